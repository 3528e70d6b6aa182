/** What is built of the TypeScript client. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');

describe('the built package', () => {
  let folder = '';
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd: ROOT });
    return { exitCode, said: [stdout, stderr].join('') };
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quittance-client-'));
    expect(run('clients/typescript/build.ts', folder)).toMatchObject({ exitCode: 0 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is one ES module that imports nothing', async () => {
    const text = readFileSync(join(folder, 'quittance.js'), 'utf8');
    expect(new Bun.Transpiler({ loader: 'js' }).scanImports(text)).toEqual([]);
    expect(Object.keys(await import(join(folder, 'quittance.js'))).toSorted()).toEqual([
      ...['Quittance', 'QuittanceError', 'WebhookError', 'verifyWebhook'],
    ]);
  });

  test('has types that say of amounts what was asked for', async () => {
    await Bun.write(
      join(folder, 'user.mts'),
      `import { Quittance, type Invoice } from ${JSON.stringify('./quittance.js')};
       const own = { apiKey: 'k', baseUrl: 'http://localhost' };
       export const plain: Invoice = await new Quittance(own).getInvoice('1');
       export const amount: number | null = plain.amount;
       export const exact: string | null = (await new Quittance({ ...own, decimals: 'string' }).getInvoice('1')).amount;
       // @ts-expect-error a status that does not exist
       new Quittance(own).allInvoices({ status: 'paid' });`,
    );
    const compiler = [
      'tsc',
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
    ];
    expect(run('run', '--bun', ...compiler, '--types', '', join(folder, 'user.mts'))).toEqual({
      exitCode: 0,
      said: '',
    });
  });
});
