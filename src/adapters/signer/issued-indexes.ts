/**
 * The high-water mark of derivation beside the keystore: `issued-indexes.json` in the data
 * directory (ports/chains/issued-indexes.ts). Several processes may share one. The file is replaced
 * as a whole, and its values never decrease.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { IssuedIndexes } from '../../ports/chains/issued-indexes.ts';
import { createFileOnce, replaceFile } from '../shared/files/atomic-file.ts';
import { type FileLock, fileLock } from '../shared/files/file-lock.ts';

const FILE_NAME = 'issued-indexes.json';
const LOCK_TIMEOUT_MS = 5_000;
/** Indexes of BIP-32 children without hardening end here. */
const INDEX_LIMIT = 2 ** 31;

const Marks = Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: INDEX_LIMIT }));
type Marks = Readonly<Record<string, number>>;

/**
 * The file is not what this service wrote. The indexes in use are unknown, so no address may be
 * handed out.
 */
export class IssuedIndexesUnusable extends Error {
  override readonly name = 'IssuedIndexesUnusable';
}

/**
 * The first note creates the file. Both calls fail with IssuedIndexesUnusable where the file is
 * damaged, and with the file system's error where it cannot be read or written.
 */
export function issuedIndexes(directory: string): IssuedIndexes {
  const path = join(directory, FILE_NAME);
  let lock: FileLock | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function raise(issued: ReadonlyMap<string, number>): Promise<void> {
    if (lock === null) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      lock = fileLock(`${path}.lock`);
    }
    await lock.holding(LOCK_TIMEOUT_MS, async () => {
      const marks = await read(path);
      const higher = [...issued].filter(([deriver, index]) => index > (marks?.[deriver] ?? -1));
      if (higher.length === 0) return;
      const text = `${JSON.stringify({ ...marks, ...Object.fromEntries(higher) }, null, 2)}\n`;
      if (marks !== null || !(await createFileOnce(path, text))) await replaceFile(path, text);
    });
  }

  return {
    async all() {
      return new Map(Object.entries((await read(path)) ?? {}));
    },
    note(issued) {
      const mine = last.then(() => raise(issued));
      last = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      await last;
      lock?.close();
    },
  };
}

/** Null where there is none. */
async function read(path: string): Promise<Marks | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const marks = parsed(text);
  if (Value.Check(Marks, marks)) return marks;
  throw new IssuedIndexesUnusable(`${path} does not say how many addresses were given out`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
