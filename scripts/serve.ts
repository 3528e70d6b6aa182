/**
 * Becomes the service, from its bundle. Where there is none and none can be made, from its sources.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundlesFolder, ENTRY, findBundle } from './support/service-bundle.ts';

const ROOT = join(import.meta.dir, '..');
const BUILD_TIMEOUT_MS = 30_000;

const bundle = findBundle(ROOT) ?? (mayWrite() && wasMade() ? findBundle(ROOT) : null);
await import(bundle === null ? '../src/main.ts' : join(bundle, ENTRY));

/** A disk that is only read is no fault: the service runs from its sources. */
function mayWrite(): boolean {
  const folder = bundlesFolder(ROOT);
  try {
    accessSync(existsSync(folder) ? folder : ROOT, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** In a process of its own, which says why if it fails: the bundler's memory ends with it. */
function wasMade(): boolean {
  const { exitCode } = Bun.spawnSync([process.execPath, join(ROOT, 'scripts', 'bundle.ts')], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    timeout: BUILD_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return exitCode === 0;
}
