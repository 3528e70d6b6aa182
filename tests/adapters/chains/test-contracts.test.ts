/** The committed test contracts are what their source compiles to. */
import { expect, test } from 'bun:test';

const FOLDER = `${import.meta.dir}/../../support/contracts`;

test('the committed artefact equals a fresh compile of the Solidity source', async () => {
  const compiler = Bun.spawn([process.execPath, `${FOLDER}/compile.ts`, '--print'], { stdout: 'pipe' });
  const fresh = await new Response(compiler.stdout).text();
  expect(await compiler.exited).toBe(0);
  expect(fresh).toBe(await Bun.file(`${FOLDER}/tokens.artefact.json`).text());
}, 30_000);
