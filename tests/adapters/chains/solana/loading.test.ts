/**
 * Solana's library is loaded by processes that have the chain configured, and by no others: it is
 * some 20 MB.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../support/runtime/temp-directory.ts';

const PROGRAM = join(import.meta.dir, '..', '..', '..', 'support', 'solana', 'solana-loaded-writer.ts');

test('the library of Solana is loaded where the chain is configured, and nowhere else', async () => {
  const folder = await temporaryDirectory();
  const rpc = ['http://127.0.0.1:1'];
  const modulesWith = async (chains: object): Promise<number> => {
    const child = Bun.spawn([process.execPath, PROGRAM], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: folder.path, CONFIG: JSON.stringify({ chains }) },
      stdout: 'pipe',
      stderr: 'inherit',
    });
    return Number(await new Response(child.stdout).text());
  };
  try {
    expect(await modulesWith({ ethereum: { rpc } })).toBe(0);
    expect(await modulesWith({ solana: { rpc } })).toBeGreaterThan(0);
  } finally {
    await folder.remove();
  }
});
