/**
 * Copies the files of the embedded database during writes
 * (adapters/postgres/client/online-backup.ts makes the copy consistent).
 */
import type { Dirent } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders that a backup contains empty (PostgreSQL's manual, 25.3.4.3). */
const LEFT_EMPTY: ReadonlySet<string> = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);
const LEFT_OUT = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*|backup_label|tablespace_map)$/;
/**
 * Read until two reads are equal, because it may be written at any moment; last, as in
 * pg_basebackup.
 */
const CONTROL = join('global', 'pg_control');
const READ_AGAIN_MAX = 100;

/** Everything except the write-ahead log. `to` must not exist. */
export async function copyDataFolder(from: string, to: string): Promise<void> {
  await copyFolder(from, to, '');
  await writeWhole(join(to, CONTROL), await settled(join(from, CONTROL)));
}

/** The write-ahead log written during the copy, and the label that marks its beginning. */
export async function copyLogSegments(
  from: string,
  to: string,
  { segments, label }: { segments: readonly string[]; label: string },
): Promise<void> {
  for (const name of segments) await copyWhole(join(from, 'pg_wal', name), join(to, 'pg_wal', name));
  await writeWhole(join(to, 'backup_label'), Buffer.from(label));
}

/** Flushed to disk. */
export async function copyWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await flush(to);
}

async function copyFolder(from: string, to: string, inside: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  if (LEFT_EMPTY.has(inside)) return;
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const path = join(inside, entry.name);
    if (LEFT_OUT.test(entry.name) || path === CONTROL) continue;
    await copyEntry(entry, { from: join(from, entry.name), to: join(to, entry.name), inside: path });
  }
  await flush(to);
}

/** A table that was dropped meanwhile is missing, and the log records that. */
async function copyEntry(entry: Dirent, { from, to, inside }: { from: string; to: string; inside: string }) {
  try {
    if (entry.isDirectory()) await copyFolder(from, to, inside);
    else if (entry.isFile()) await copyWhole(from, to);
    else
      throw new Error(`${from} is neither a file nor a folder: a database with such files cannot be copied`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function settled(path: string): Promise<Buffer> {
  let last = await readFile(path);
  for (let tries = 0; tries < READ_AGAIN_MAX; tries++) {
    const again = await readFile(path);
    if (again.equals(last)) return again;
    last = again;
  }
  throw new Error(`${path} never stayed the same while it was read`);
}

async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flush: true });
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
