/**
 * The master key of a machine that was given none: made once, kept in DATA_DIR/master.key for its owner alone, and never
 * replaced. Whoever loses it loses every sealed API key, so it is on disk before it is first used.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The key as 64 lower-case hex digits. Throws when the file is there but does not hold one. */
export function loadOrMakeMasterKey(dataDir: string): string {
  const path = join(dataDir, 'master.key');
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  if (!statSync(path, { throwIfNoEntry: false })) makeMasterKey(dataDir, path);
  const key = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(key)) {
    throw new Error(`${path} does not hold a master key (64 hex digits). Restore it from a backup.`);
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return key;
}

/** Written beside its place and linked, which fails where another process was first: theirs is then the key. */
function makeMasterKey(dataDir: string, path: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
