/** Sends the request over an open connection and reads the answer. From the moment the status is known, nothing changes the verdict. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebhookRequest } from '../../ports/webhook-transport.ts';
import { ANSWER_BYTES_MAX, answerText } from './answer-text.ts';
import { AttemptFailure, asAttemptFailure } from './failure.ts';
import type { WebhookTarget } from './webhook-target.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

const HEADER_BYTES_MAX = 16 * 1024;
const INTERIM_ANSWERS_MAX = 8;
const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']);

/** Rejects with AttemptFailure when no whole status and header came before the attempt was over. */
export function exchange(
  socket: Socket,
  target: WebhookTarget,
  request: WebhookRequest,
  attempt: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  /** Ends the exchange for the given reason; it becomes an answer as soon as there is one. */
  let conclude = (reason: unknown): void => reject(asAttemptFailure(reason));
  const concludeWith = (reason: string) => conclude(new AttemptFailure(reason));
  let interimAnswers = 0;

  const sending = httpRequest({
    createConnection: () => socket,
    method: 'POST',
    path: target.path,
    headers: headersOf(target, request),
    setHost: false,
    maxHeaderSize: HEADER_BYTES_MAX,
  });
  // A tunnel is handed over paused, so that nothing is lost before the parser listens.
  sending.on('socket', (assigned) => assigned.resume());
  sending.on('error', (error) => conclude(error));
  sending.on('close', () => concludeWith('the receiver closed the connection without an answer'));
  sending.on('upgrade', () => concludeWith('the receiver switched protocols'));
  sending.on('information', () => {
    interimAnswers += 1;
    if (interimAnswers > INTERIM_ANSWERS_MAX) concludeWith('too many interim answers');
  });
  sending.on('response', (message) => {
    const status = message.statusCode ?? 0;
    if (status < 200) return concludeWith('the answer is not HTTP (no such status)');
    const chunks = readBody(message, () => concludeWith('the answer is complete'));
    conclude = () => resolve({ status, body: answerText(chunks) });
  });

  const onAbort = () => concludeWith('no answer in time');
  attempt.addEventListener('abort', onAbort);
  if (attempt.aborted) onAbort();
  sending.end(request.body);
  return promise.finally(() => {
    attempt.removeEventListener('abort', onAbort);
    sending.destroy();
  });
}

function headersOf(target: WebhookTarget, request: WebhookRequest): Record<string, string> {
  const given = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  return {
    Host: target.hostHeader,
    ...Object.fromEntries(given),
    'Content-Length': String(request.body.byteLength),
    'Accept-Encoding': 'identity',
    Connection: 'close',
  };
}

/** Collects up to 64 KiB; calls `over` when the answer ended, broke off, or has given that much. */
function readBody(message: IncomingMessage, over: () => void): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let room = ANSWER_BYTES_MAX;
  message.on('data', (chunk: Buffer) => {
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
    if (room <= 0) over();
  });
  for (const end of ['end', 'error', 'close']) message.on(end, over);
  return chunks;
}
