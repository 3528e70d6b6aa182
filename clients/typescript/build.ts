/**
 * Builds the package into the folder that the first argument names, `dist` unless given: one ES
 * module, and its types.
 */
import { resolve } from 'node:path';

const here = import.meta.dir;
const outdir = resolve(here, process.argv[2] ?? 'dist');

await Bun.build({ entrypoints: [resolve(here, 'src/quittance.ts')], outdir, target: 'browser' });
const tsc = Bun.spawnSync([process.execPath, 'run', '--bun', 'tsc', '-p', here, '--outDir', outdir], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exit(tsc.exitCode);
