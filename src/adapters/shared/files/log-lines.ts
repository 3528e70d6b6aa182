/**
 * Reads whole lines of a file from a given position, in pieces, so that a long log is never in
 * memory.
 */
import type { FileHandle } from 'node:fs/promises';

const PIECE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * Calls `each` with every line from `from` on, without its end. Returns the bytes after the last
 * newline.
 */
export async function eachLine(
  file: FileHandle,
  from: number,
  each: (line: Buffer) => void,
): Promise<{ readonly rest: Buffer }> {
  const piece = Buffer.alloc(PIECE_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let position = from;
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, position);
    if (bytesRead === 0) return { rest };
    position += bytesRead;
    let text: Buffer = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
      each(text.subarray(0, end));
      text = text.subarray(end + 1);
    }
    rest = text;
  }
}

/** The line that begins at `from`, without its end; null if there is none. */
export async function lineAt(file: FileHandle, from: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  for (let position = from; ; position += PIECE_BYTES) {
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, position);
    const end = piece.subarray(0, bytesRead).indexOf(NEWLINE);
    pieces.push(piece.subarray(0, end === -1 ? bytesRead : end));
    if (end !== -1) return Buffer.concat(pieces);
    if (bytesRead < PIECE_BYTES) return null;
  }
}
