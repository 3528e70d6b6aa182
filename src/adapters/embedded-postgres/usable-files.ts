/**
 * Whether a server may be started on the files of the embedded database: a copy may belong to
 * another user, or be inconsistent.
 */
import { lchownSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunAs } from './unprivileged.ts';

/** The files of the embedded database cannot be used as they are. The message says what to do. */
export class ClusterUnusable extends Error {
  override readonly name = 'ClusterUnusable';
}

/**
 * Makes sure that `folder` and its contents belong to the user of the server. A copy by root (`cp
 * -r`) belongs to root: a service that runs as root changes the owner. Throws ClusterUnusable if
 * the files belong to another user.
 */
export function ensureOwner(folder: string, { owner }: RunAs): void {
  const wanted = owner ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { uid } = lstatSync(folder);
  if (owner !== null && uid === 0) giveTo(folder, owner);
  else if (uid !== wanted.uid)
    throw new ClusterUnusable(
      `the database in ${folder} belongs to the user ${uid}, and its server runs as ${wanted.uid}: ` +
        `chown -R ${wanted.uid}:${wanted.gid} ${folder}`,
    );
}

/** The folder itself comes last, so that the next start continues after a kill. */
function giveTo(path: string, owner: { readonly uid: number; readonly gid: number }): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) giveTo(inside, owner);
    else lchownSync(inside, owner.uid, owner.gid);
  }
  lchownSync(path, owner.uid, owner.gid);
}

/**
 * Files that were copied one after the other from a running server are inconsistent. PostgreSQL
 * would start on them as after a crash, and might have lost anything. The copy's lock names the
 * folder that it was copied from. Throws ClusterUnusable.
 */
export function refuseCopyOfRunning({ directory, data }: { directory: string; data: string }): void {
  const [, from = ''] = lockLines(data);
  if (from === '' || from === data) return;
  throw new ClusterUnusable(
    `the database in ${directory} was copied from ${from} while its server ran: such a copy cannot be trusted. ` +
      'Make one with `bun run backup`, or copy it while the service is stopped. ' +
      `If nothing wrote while it was copied or moved (its machine had ended), remove ${lockOf(data)} and start again`,
  );
}

/** The lines of postmaster.pid; none if the file does not exist. */
export function lockLines(data: string): readonly string[] {
  try {
    return readFileSync(lockOf(data), 'utf8').split('\n');
  } catch {
    return [];
  }
}

const lockOf = (data: string): string => join(data, 'postmaster.pid');
