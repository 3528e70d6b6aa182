/**
 * Compiles the test jetton, and a contract whose actions fail, into jetton.artefact.json: run it
 * (`bun tests/support/ton/contracts/compile.ts`) after a change of the sources, and commit both.
 * `--print` writes to the standard output instead, for the test that compares.
 */
import { compileFunc, compilerVersion } from '@ton-community/func-js';

const read = (file: string): Promise<string> => Bun.file(new URL(file, import.meta.url)).text();

/** The code of one contract, as a bag of cells in base64. */
async function codeOf(file: string): Promise<string> {
  const sources = { 'common.fc': await read('common.fc'), [file]: await read(file) };
  const result = await compileFunc({ targets: [file], sources });
  if (result.status === 'error') throw new Error(result.message);
  return result.codeBoc;
}

const { funcVersion } = await compilerVersion();
const artefact = {
  compiler: `func ${funcVersion}`,
  minter: await codeOf('minter.fc'),
  wallet: await codeOf('wallet.fc'),
  greedy: await codeOf('greedy.fc'),
};
const text = `${JSON.stringify(artefact, null, 1)}\n`;
const destination = process.argv.includes('--print')
  ? Bun.stdout
  : Bun.file(new URL('jetton.artefact.json', import.meta.url));
await Bun.write(destination, text);
