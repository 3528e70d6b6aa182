/** Reads a chunked body (RFC 9112, 7.1) byte by byte, and finds its end. */

export interface ChunkedBody {
  /** `unused` bytes follow the end. Nothing more is read once the body ended or is broken. */
  feed(bytes: Buffer): { readonly state: 'open' | 'ended' | 'broken'; readonly unused: number };
}

/** For a chunk's size with its extensions, or for one trailer. */
const LINE_BYTES_MAX = 4_096;
const TRAILERS_MAX = 64;
const SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i;

/** @param take gets the data without its framing, piece by piece */
export function chunkedBody(take: (bytes: Uint8Array) => void): ChunkedBody {
  let expecting: 'size' | 'data' | 'data-end' | 'trailer' = 'size';
  let line = '';
  let left = 0;
  let trailers = 0;

  /** Interprets a whole line: whether the body is at its end, or null if it is broken. */
  function takeLine(): boolean | null {
    const text = line;
    line = '';
    if (expecting === 'trailer') {
      trailers += 1;
      return text === '' ? true : trailers > TRAILERS_MAX ? null : false;
    }
    if (expecting === 'data-end') {
      expecting = 'size';
      return text === '' ? false : null;
    }
    const size = SIZE.exec(text)?.[1];
    if (size === undefined) return null;
    left = Number.parseInt(size, 16);
    expecting = left === 0 ? 'trailer' : 'data';
    return false;
  }

  return {
    feed(bytes) {
      let at = 0;
      while (at < bytes.length) {
        if (expecting === 'data') {
          const piece = bytes.subarray(at, at + left);
          take(piece);
          at += piece.length;
          left -= piece.length;
          if (left === 0) expecting = 'data-end';
          continue;
        }
        const newline = bytes.indexOf(10, at);
        const until = newline === -1 ? bytes.length : newline;
        line += bytes.toString('latin1', at, until);
        at = until + 1;
        if (line.length > LINE_BYTES_MAX) return { state: 'broken', unused: 0 };
        if (newline === -1) break;
        if (line.endsWith('\r')) line = line.slice(0, -1);
        const isEnd = takeLine();
        if (isEnd === null) return { state: 'broken', unused: 0 };
        if (isEnd) return { state: 'ended', unused: bytes.length - at };
      }
      return { state: 'open', unused: 0 };
    },
  };
}
