/** Only a family's own folder, the list of families and the catalog know a family by its name. */
import { expect, test } from 'bun:test';
import { familyFaults, needlessExemptions } from './family-rules.ts';
import { sourceFiles } from './source-tree.ts';

test('no other code names a family of chains', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(10);
  expect(familyFaults(files)).toEqual([]);
  expect(needlessExemptions(files)).toEqual([]);
});

const faults = (text: string, path = 'src/app/payouts/a.ts'): number => familyFaults([{ path, text }]).length;

test('a name is found as a text, as a property and in an identifier', () => {
  const found = [
    "if (chain.family === 'tron') return;",
    'const wallet = config.chains.monero;',
    'if (error instanceof MoneroKeysUnusable) throw error;',
    'return { evm: keys.evm };',
    'const x = evmFacts(chain);',
    'for (const sent of sentByTon) take(sent);',
  ];
  expect(found.map((text) => faults(text))).toEqual(found.map(() => 1));
});

test('comments, longer texts, other words and the homes of a family are free', () => {
  const free = [
    '// Tron has no such thing',
    ' * as on `tron`',
    "const asset = 'usdt_tron';",
    "const why = 'On Tron, energy is burnt';",
    'const button = tons(buttonText);',
  ];
  expect(free.map((text) => faults(text))).toEqual(free.map(() => 0));
  const tron = "export const family = 'tron';";
  for (const path of ['src/domain/catalog/a.ts', 'src/adapters/chains/tron/a.ts', 'tests/a.ts'])
    expect(faults(tron, path)).toBe(0);
  for (const path of ['src/adapters/chains/shared/a.ts', 'src/domain/money/a.ts', 'src/compose/a.ts'])
    expect(faults(tron, path)).toBe(1);
});
