/**
 * A lock that several processes share through a file, and that the kernel takes back from a process that dies, whatever
 * kills it. SQLite's own lock of an empty database does that on every system; nothing is ever stored in the file.
 */
import { Database, SQLiteError } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';

export interface FileLock {
  /** Runs `work` while nobody else holds the lock; rejects with FileLockBusy when it is not free within `timeoutMs`. */
  holding<T>(timeoutMs: number, work: () => Promise<T>): Promise<T>;
  close(): void;
}

export class FileLockBusy extends Error {
  override readonly name = 'FileLockBusy';
}

const RETRY_MS = 2;

/** @param path the lock's own file, made when it is not there. One `holding` at a time per FileLock. */
export function fileLock(path: string): FileLock {
  // Whoever can open the file can hold the lock, so it is for its owner alone.
  closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path, { create: true, readwrite: true });
  database.run('pragma busy_timeout = 0');
  return {
    async holding(timeoutMs, work) {
      const deadline = performance.now() + timeoutMs;
      while (!taken(database)) {
        if (performance.now() > deadline) throw new FileLockBusy(`${path} is held by another process`);
        await Bun.sleep(RETRY_MS);
      }
      try {
        return await work();
      } finally {
        database.run('rollback');
      }
    },
    close: () => database.close(),
  };
}

function taken(database: Database): boolean {
  try {
    database.run('begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
