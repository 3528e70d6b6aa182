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

/** What is sealed with the key cannot be opened: it must be put back, and no other made. */
export class MasterKeyMissing extends Error {
  override readonly name = 'MasterKeyMissing';
}

/** The key as 64 lower-case hex digits, made if it is not there. Throws when the file is there but does not hold one. */
export function loadOrMakeMasterKey(dataDir: string): string {
  const path = pathOf(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  if (!isThere(path)) makeMasterKey(dataDir, path);
  return readMasterKey(dataDir);
}

/** As loadOrMakeMasterKey, for what was sealed before: throws MasterKeyMissing when the file is not there. */
export function readMasterKey(dataDir: string): string {
  const path = pathOf(dataDir);
  if (!isThere(path)) throw new MasterKeyMissing(`there is no master key at ${path}`);
  const key = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(key)) {
    throw new Error(`${path} does not hold a master key (64 hex digits). Restore it from a backup.`);
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return key;
}

const pathOf = (dataDir: string): string => join(dataDir, 'master.key');

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

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
