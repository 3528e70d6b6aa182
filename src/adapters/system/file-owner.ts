/** Whose files the embedded database's are: PostgreSQL serves its own user's only, and a copy may be another's. */
import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunAs } from './unprivileged.ts';

/** The files of the embedded database cannot be used as they are. The message says what to do. */
export class ClusterUnusable extends Error {
  override readonly name = 'ClusterUnusable';
}

/**
 * Makes sure that `folder` and all in it belong to the user of the server. What root copied (`cp -r`) is root's: a service that runs as
 * root gives it back. Throws ClusterUnusable where the files are somebody else's.
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

/** The folder itself last: what a kill left undone is done at the next start. */
function giveTo(path: string, owner: { readonly uid: number; readonly gid: number }): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) giveTo(inside, owner);
    else lchownSync(inside, owner.uid, owner.gid);
  }
  lchownSync(path, owner.uid, owner.gid);
}
