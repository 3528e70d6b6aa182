/** The import rules hold for every file, and each rule catches what it is there for. */
import { describe, expect, test } from 'bun:test';
import { importFaults, importsOf } from './import-rules.ts';
import { sourceFiles } from './source-tree.ts';

test('every file imports only what its layer may', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(10);
  expect(importFaults(files)).toEqual([]);
});

const faults = (path: string, text: string): readonly string[] => importFaults([{ path, text }]);

describe('allowed', () => {
  const allowed: [path: string, text: string][] = [
    ['src/domain/money/fee.ts', "import { a } from './decimal.ts';"],
    ['src/ports/clock.ts', "import type { A } from '../domain/money.ts'; export type { B } from './ids.ts';"],
    ['src/app/notify.ts', "import { a } from '../domain/money.ts'; import { b } from './other.ts';"],
    ['src/app/notify.ts', "import type { Clock } from '../ports/clock.ts';"],
    ['src/adapters/http/server.ts', "import { Elysia } from 'elysia'; import { x } from './auth.ts';"],
    ['src/adapters/http/routes/a.ts', "import { x } from '../auth.ts'; import { join } from 'node:path';"],
    ['src/adapters/http/server.ts', "import type { App } from '../../app/application.ts';"],
    ['src/adapters/http/server.ts', "import { type App, type B } from '../../app/application.ts';"],
    ['src/adapters/http/view.ts', "import { seconds } from '../../app/invoices/present-invoice.ts';"],
    ['src/adapters/chains/evm/scanner.ts', "import { x } from '../shared/range.ts'; import 'ethers';"],
    ['src/config/config.ts', "import { Type } from '@sinclair/typebox'; import { r } from './file.ts';"],
    ['src/adapters/chains/fake/sender.ts', "import { x } from '../utxo/sizes.ts';"],
    [
      'src/compose/compose.ts',
      "import { a } from '../adapters/http/server.ts'; import { b } from '../config/config.ts';",
    ],
    ['src/main.ts', "const { a } = await import('./compose/compose.ts');"],
    ['src/compose/wallet.ts', "import { a } from '../adapters/chains/families.ts';"],
    ['src/app/notify.ts', 'const asset = catalog.require(key);'],
    ['clients/typescript/src/a.ts', "import { a } from './generated/b.ts';"],
    ['clients/typescript/build.ts', "import { resolve } from 'node:path';"],
    ['scripts/check.ts', "import { a } from '../src/app/notify.ts'; import 'postgres';"],
  ];
  test.each(allowed)('%s: %s', (path, text) => {
    expect(faults(path, text)).toEqual([]);
  });
});

describe('refused', () => {
  const refused: [path: string, text: string][] = [
    ['src/domain/fee.ts', "import { a } from '../ports/clock.ts';"],
    ['src/domain/fee.ts', "import type { A } from '../app/notify.ts';"],
    ['src/domain/fee.ts', "import { createHash } from 'node:crypto';"],
    ['src/domain/fee.ts', "import Decimal from 'decimal.js';"],
    ['src/domain/fee.ts', "export * from '../adapters/http/server.ts';"],
    ['src/ports/clock.ts', "import type { A } from '../app/notify.ts';"],
    ['src/ports/clock.ts', "import type { Sql } from 'postgres';"],
    ['src/app/notify.ts', "import { a } from '../adapters/postgres/client.ts';"],
    ['src/app/notify.ts', "import type { A } from '../adapters/postgres/client.ts';"],
    ['src/app/notify.ts', "const a = await import('../adapters/postgres/client.ts');"],
    ['src/app/notify.ts', "type A = import('../adapters/postgres/client.ts').A;"],
    ['src/app/notify.ts', "import { readFileSync } from 'node:fs';"],
    ['src/app/notify.ts', "import type { Config } from '../config/config.ts';"],
    ['src/adapters/http/server.ts', "import { a } from '../postgres/client.ts';"],
    ['src/adapters/http/pipeline.ts', "import { a } from './compat/surfaces.ts';"],
    ['src/adapters/http/server.ts', "import type { A } from '../system/pino-logger.ts';"],
    ['src/adapters/http/server.ts', "import { notify } from '../../app/notify.ts';"],
    ['src/adapters/http/server.ts', "import { type A, notify } from '../../app/notify.ts';"],
    ['src/adapters/http/server.ts', "import type { Config } from '../../config/config.ts';"],
    ['src/adapters/http/server.ts', "import { compose } from '../../compose/compose.ts';"],
    ['src/adapters/http/server.ts', "import postgres from 'postgres';"],
    ['src/adapters/webhooks/send.ts', "import { Elysia } from 'elysia';"],
    ['src/adapters/webhooks/send.ts', "import { Cron } from 'croner';"],
    ['src/adapters/chains/evm/scanner.ts', "import { a } from '../utxo/scanner.ts';"],
    ['src/adapters/chains/fake/sender.ts', "import { a } from '../evm/fees.ts';"],
    ['src/adapters/chains/utxo/sender.ts', "import { a } from '../fake/fake-utxos.ts';"],
    ['src/adapters/chains/shared/range.ts', "import { a } from '../evm/scanner.ts';"],
    ['src/adapters/webhooks/send.ts', "import { a } from '../chains/shared/range.ts';"],
    ['src/config/config.ts', "import { a } from '../adapters/system/pino-logger.ts';"],
    ['src/config/config.ts', "import { readFileSync } from 'node:fs';"],
    ['src/compose/wallet.ts', "import { a } from '../adapters/chains/monero/deriver.ts';"],
    ['clients/typescript/src/a.ts', "import type { A } from '../../../src/domain/money.ts';"],
    ['clients/typescript/src/a.ts', "import { resolve } from 'node:path';"],
    ['src/app/notify.ts', "import { a } from './other';"],
    ['src/adapters/system/a.ts', 'await import(name);'],
  ];
  test.each(refused)('%s: %s', (path, text) => {
    expect(faults(path, text)).toHaveLength(1);
  });

  test.each(['src/helpers.ts', 'src/util/a.ts', 'src/adapters/a.ts', 'src/adapters/chains/a.ts', 'tool.ts'])(
    '%s is in no layer',
    (path) => {
      expect(faults(path, '')).toEqual([expect.stringContaining('is in no layer')]);
    },
  );
});

test('every form of import is read, over several lines too', () => {
  const text = `
    import a, {
      b,
      type C,
    } from './1.ts';
    import type D from "./2.ts";
    import * as e from './3.ts';
    import './4.ts';
    export { f } from './5.ts';
    export type { G } from './6.ts';
    export * from './7.ts';
    const h = await import('./8.ts');
    type I = import('./9.ts').I;
    import type, { j } from './10.ts';`;
  expect(
    importsOf(text).map(({ specifier, typeOnly }) => `${specifier} ${typeOnly ? 'type' : 'value'}`),
  ).toEqual([
    './1.ts value',
    './2.ts type',
    './3.ts value',
    './5.ts value',
    './6.ts type',
    './7.ts value',
    './10.ts value',
    './4.ts value',
    './8.ts value',
    './9.ts value',
  ]);
});
