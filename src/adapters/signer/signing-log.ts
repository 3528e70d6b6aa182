/**
 * The signer's own log, append-only: an entry is on disk before its signature leaves the process.
 * Several processes may share one; each reads the entries of the others before it signs.
 */
import { constants } from 'node:fs';
import { appendFile, type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../ports/runtime/logger.ts';
import { type FileLock, FileLockBusy, fileLock } from '../shared/files/file-lock.ts';
import { eachLine, lineAt } from '../shared/files/log-lines.ts';
import { FIRST, hashOf, lineOf, type Remark, readLine, type SignedEntry } from './signing-entry.ts';
import { SigningHistory } from './signing-history.ts';

export interface SigningLog {
  /**
   * Calls `allow` with the history of all signatures, and appends `entry`; when this resolves the
   * entry is on disk. An error of `allow` is passed on, and nothing is written. Rejects with
   * SigningLogUnusable when the log cannot be used. Returns the entry; or, without calling `allow`
   * or writing, the forgotten one (SigningHistory.forgottenLine).
   */
  append(
    entry: SignedEntry,
    allow: (history: SigningHistory) => void,
    replaces?: string | null,
  ): Promise<SignedEntry>;
  close(): Promise<void>;
}

/** The log cannot be read or written, or was altered: nothing may be signed. */
export class SigningLogUnusable extends Error {
  override readonly name = 'SigningLogUnusable';
}

interface SigningLogOptions {
  readonly path: string;
  readonly now: () => Date;
  readonly logger: Logger;
}

const LOCK_TIMEOUT_MS = 5_000;

/**
 * Opens the log, or creates it, and reads all of it. Throws SigningLogUnusable where its hash chain
 * is broken.
 */
export async function openSigningLog(options: SigningLogOptions): Promise<SigningLog> {
  const { path } = options;
  const { file, lock } = await openFiles(path).catch((error: unknown) => {
    throw unusable(path, error);
  });
  const reader = logReader(file, options);
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time within this process, and under a lock among processes. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(() => lock.holding(LOCK_TIMEOUT_MS, work));
    last = mine.catch(() => undefined);
    return mine.catch((error: unknown) => {
      throw unusable(path, error);
    });
  }

  const close = async (): Promise<void> => {
    await last;
    lock.close();
    await file.close();
  };
  try {
    await alone(() => reader.catchUp());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    append: (entry, allow, replaces = null) =>
      alone(async () => {
        await reader.catchUp();
        const forgotten = reader.history.forgottenLine(entry, replaces);
        if (forgotten !== null) return reader.signedAt(forgotten);
        allow(reader.history);
        if (!reader.history.isNewest(entry)) await reader.write(entry);
        return entry;
      }),
    close,
  };
}

async function openFiles(path: string): Promise<{ file: FileHandle; lock: FileLock }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const lock = fileLock(`${path}.lock`);
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  const folder = await open(dirname(path), 'r');
  await folder.sync();
  await folder.close();
  return { file, lock };
}

class BrokenLog extends Error {}

/**
 * Failures of the log and of the system become SigningLogUnusable; errors of `allow` do not change.
 */
function unusable(path: string, error: unknown): unknown {
  const isOurs = error instanceof BrokenLog || error instanceof FileLockBusy;
  const ofTheSystem = error instanceof Error && 'code' in error;
  return isOurs || ofTheSystem ? new SigningLogUnusable(`${path}: ${error.message}`) : error;
}

/** Runs under the lock. */
function logReader(file: FileHandle, { path, now, logger }: SigningLogOptions) {
  const history = new SigningHistory();
  let position = 0;
  let lines = 0;
  let head = FIRST;

  function take(line: Uint8Array): void {
    const read = readLine(line, head);
    if ('fault' in read) throw new BrokenLog(`line ${lines + 1} ${read.fault}`);
    if ('txid' in read.entry) history.add(read.entry, position);
    head = hashOf(line);
    position += line.length + 1;
    lines += 1;
  }

  async function write(entry: SignedEntry | Remark): Promise<void> {
    const line = Buffer.from(lineOf(entry, head), 'utf8');
    await file.appendFile(Buffer.concat([line, Buffer.from('\n')]));
    await file.sync();
    take(line);
  }

  /** A process that died while it wrote left a part of a line: its signature never left it. */
  async function setAside(torn: Buffer): Promise<void> {
    await appendFile(`${path}.torn`, Buffer.concat([torn, Buffer.from('\n')]), { mode: 0o600, flush: true });
    await file.truncate(position);
    const note = `a torn line of ${torn.length} bytes was set aside, SHA-256 ${hashOf(torn)}`;
    logger.warn('signer.log_torn', {
      path,
      bytes: torn.length,
    });
    await write({ at: now(), note });
  }

  return {
    history,
    write,
    /** The signed transaction in the line at that place. */
    async signedAt(place: number): Promise<SignedEntry> {
      const line = await lineAt(file, place);
      const read = line === null ? null : readLine(line, null);
      if (read === null || !('entry' in read) || !('txid' in read.entry))
        throw new BrokenLog(`there is no signature at byte ${place} any more`);
      return read.entry;
    },
    /** Reads what this process or another one has written since. */
    async catchUp(): Promise<void> {
      const [named, opened] = [await stat(path), await file.stat()];
      if (named.ino !== opened.ino || named.dev !== opened.dev)
        throw new BrokenLog('another file is in its place: start the signer again');
      if (opened.size < position) throw new BrokenLog('it has become shorter');
      if (opened.size === position) return;
      const { rest } = await eachLine(file, position, take);
      if (rest.length > 0) await setAside(rest);
    },
  };
}
