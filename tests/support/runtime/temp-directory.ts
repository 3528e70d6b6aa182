/** A private folder for one test, removed with everything in it by `remove()`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'quittance-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
