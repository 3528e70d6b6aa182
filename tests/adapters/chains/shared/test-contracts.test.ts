/** The committed test contracts are what their source compiles to. */
import { expect, test } from 'bun:test';

const FOLDER = `${import.meta.dir}/../../../support/contracts`;
const TON_FOLDER = `${import.meta.dir}/../../../support/ton/contracts`;

const artefacts = [
  { source: 'Solidity', folder: FOLDER, file: 'tokens.artefact.json' },
  { source: 'FunC', folder: TON_FOLDER, file: 'jetton.artefact.json' },
];

for (const { source, folder, file } of artefacts)
  test(`the committed artefact equals a fresh compile of the ${source} source`, async () => {
    const compiler = Bun.spawn([process.execPath, `${folder}/compile.ts`, '--print'], { stdout: 'pipe' });
    const fresh = await new Response(compiler.stdout).text();
    expect(await compiler.exited).toBe(0);
    expect(fresh).toBe(await Bun.file(`${folder}/${file}`).text());
  }, 120_000);
