/**
 * A lock between processes through a file. The kernel releases it when a process dies, in any way.
 * SQLite's lock of an empty database does that on every system; the file stays empty.
 */
import { Database, SQLiteError } from 'bun:sqlite';
import { closeSync, openSync } from 'node:fs';

export interface FileLock {
  /**
   * Runs `work` while holding the lock; rejects with FileLockBusy if it is not free within
   * `timeoutMs`.
   */
  holding<T>(timeoutMs: number, work: () => Promise<T>): Promise<T>;
  close(): void;
}

export class FileLockBusy extends Error {
  override readonly name = 'FileLockBusy';
}

const RETRY_MS = 2;

/**
 * @param path the lock's own file, created if it is missing. One `holding` at a time per FileLock.
 */
export function fileLock(path: string): FileLock {
  // Only the owner may open the file, because any process that can open it can hold the lock.
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
