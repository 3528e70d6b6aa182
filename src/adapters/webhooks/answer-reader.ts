/**
 * Reads one HTTP/1.1 response (RFC 9112) from the bytes of a connection: the status, the first 64
 * KiB of the body, and whether the connection may carry another request. Once the status is known,
 * nothing changes it.
 */

import { type AnswerHead, readHead } from './answer-head.ts';
import { ANSWER_BYTES_MAX } from './answer-text.ts';
import { type ChunkedBody, chunkedBody } from './chunked-body.ts';
import { AttemptFailure } from './failure.ts';

export interface AnswerReader {
  /**
   * Takes the next bytes; bytes after the end of the response make the connection unusable. Throws
   * AttemptFailure if it is not HTTP.
   */
  feed(bytes: Buffer): void;
  /** The status with the body so far, or null before the head of the response was complete. */
  answer(): { readonly status: number; readonly chunks: readonly Uint8Array[] } | null;
  /** Reading is complete: the response ended, broke the rules, or reached the limit. */
  isOver(): boolean;
  /**
   * How long the connection may wait for the next request, in milliseconds; 0 if it cannot be
   * reused.
   */
  reusableMs(): number;
}

const HEAD_BYTES_MAX = 16 * 1024;
const INTERIM_ANSWERS_MAX = 8;
const PREFIX = Buffer.from('HTTP/1.');
/** Below the five seconds after which common servers close an idle connection. */
const IDLE_MS_MAX = 4_000;
/** Subtracted from the server's own limit, which it counts from an earlier moment. */
const IDLE_MARGIN_MS = 1_000;

export function answerReader(): AnswerReader {
  const chunks: Uint8Array[] = [];
  let unread: Buffer = Buffer.alloc(0);
  let head: AnswerHead | null = null;
  let chunked: ChunkedBody | null = null;
  let interim = 0;
  let room = ANSWER_BYTES_MAX;
  let left = Number.POSITIVE_INFINITY;
  let over = false;
  let reusable = false;

  function feed(bytes: Buffer): void {
    if (over) reusable = false;
    else if (head === null) takeHead(unread.length === 0 ? bytes : Buffer.concat([unread, bytes]));
    else takeBody(head, bytes);
  }

  function takeHead(bytes: Buffer): void {
    const known = Math.min(bytes.length, PREFIX.length);
    if (!bytes.subarray(0, known).equals(PREFIX.subarray(0, known))) throw notHttp();
    const end = headEnd(bytes);
    if (end > HEAD_BYTES_MAX || (end === -1 && bytes.length > HEAD_BYTES_MAX))
      throw new AttemptFailure('the head of the answer is too long');
    unread = bytes;
    if (end === -1) return;
    const read = readHead(bytes.toString('latin1', 0, end));
    if (read === null) throw notHttp();
    if (read.status === 101) throw new AttemptFailure('the receiver switched protocols');
    const rest = bytes.subarray(end);
    if (read.status >= 200) {
      begin(read, rest);
      return;
    }
    interim += 1;
    if (interim > INTERIM_ANSWERS_MAX) throw new AttemptFailure('too many interim answers');
    unread = Buffer.alloc(0);
    if (rest.length > 0) takeHead(rest);
  }

  function begin(read: AnswerHead, rest: Buffer): void {
    head = read;
    if (read.body.kind === 'chunked') chunked = chunkedBody(take);
    if (read.body.kind === 'length') left = read.body.bytes;
    if (left === 0) end(rest.length === 0);
    else if (rest.length > 0) takeBody(read, rest);
  }

  function takeBody({ body }: AnswerHead, bytes: Buffer): void {
    if (body.kind === 'chunked' && chunked !== null) {
      const { state, unused } = chunked.feed(bytes);
      if (state === 'broken') end(false);
      else if (state === 'ended') end(unused === 0);
    } else {
      take(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) end(left === 0);
    }
    if (room <= 0 && !over) end(false);
  }

  function take(bytes: Uint8Array): void {
    if (room > 0) chunks.push(bytes.subarray(0, room));
    room -= bytes.length;
  }

  function end(wellFramed: boolean): void {
    over = true;
    reusable = wellFramed && room >= 0;
  }

  return {
    feed,
    answer: () => (head === null ? null : { status: head.status, chunks }),
    isOver: () => over,
    reusableMs() {
      if (!over || !reusable || head === null || !head.persistent) return 0;
      const { serverIdleMs } = head;
      return Math.max(0, Math.min(IDLE_MS_MAX, (serverIdleMs ?? Number.POSITIVE_INFINITY) - IDLE_MARGIN_MS));
    },
  };
}

/**
 * The end of the head after its empty line, or -1. A line may end with LF alone (RFC 9112, 2.2).
 */
function headEnd(bytes: Buffer): number {
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2;
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3;
  }
  return -1;
}

function notHttp(): AttemptFailure {
  return new AttemptFailure('the answer is not HTTP');
}
