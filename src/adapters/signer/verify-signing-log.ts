/**
 * Walks a signer's log from its first line and reports where its hash chain breaks. Read-only,
 * without a lock.
 */
import { open } from 'node:fs/promises';
import { eachLine } from '../shared/files/log-lines.ts';
import { FIRST, hashOf, type Remark, readLine, type SignedEntry } from './signing-entry.ts';

export interface LogVerdict {
  /** Lines up to the break. */
  readonly lines: number;
  readonly signed: number;
  /**
   * Hash of the last good line. An operator who keeps a copy can detect later that lines were cut
   * off the end.
   */
  readonly head: string;
  readonly remarks: readonly Remark[];
  /** The first line that is wrong; null when all are right. */
  readonly broken: { readonly line: number; readonly fault: string } | null;
  /** Bytes after the last complete line: a line that is being written, or was torn. */
  readonly tornBytes: number;
}

/**
 * Calls `each` with every signed transaction up to the break. Throws when the file cannot be read.
 */
export async function verifySigningLog(
  path: string,
  each: (entry: SignedEntry) => void = () => {},
): Promise<LogVerdict> {
  const remarks: Remark[] = [];
  let lines = 0;
  let signed = 0;
  let head = FIRST;
  let broken: LogVerdict['broken'] = null;
  const file = await open(path, 'r');
  try {
    const { rest } = await eachLine(file, 0, (line) => {
      if (broken !== null) return;
      const read = readLine(line, head);
      if ('fault' in read) {
        broken = { line: lines + 1, fault: read.fault };
        return;
      }
      if ('note' in read.entry) remarks.push(read.entry);
      else {
        signed += 1;
        each(read.entry);
      }
      lines += 1;
      head = hashOf(line);
    });
    return { lines, signed, head, remarks, broken, tornBytes: rest.length };
  } finally {
    await file.close();
  }
}
