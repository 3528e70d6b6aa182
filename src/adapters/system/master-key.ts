/**
 * The master key of a machine without a configured one: created once, stored in DATA_DIR/master.key
 * for its owner only, and never replaced. Without it every sealed API key is lost, so it is on disk
 * before its first use.
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

/** The master key of sealed data is missing: it must be restored, not created again. */
export class MasterKeyMissing extends Error {
  override readonly name = 'MasterKeyMissing';
}

/**
 * The key as 64 lower-case hex digits; creates it if the file is missing. Throws if the file
 * contains no key.
 */
export function loadOrMakeMasterKey(dataDir: string): string {
  const path = pathOf(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  if (!isThere(path)) makeMasterKey(dataDir, path);
  return readMasterKey(dataDir);
}

/**
 * As loadOrMakeMasterKey, for existing sealed data: throws MasterKeyMissing if the file is missing.
 */
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

/**
 * Written to a draft and linked, which fails if another process was first: then its key is used.
 */
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
