/**
 * Sends the request over an open connection and reads the response. Once the status is known,
 * nothing changes the verdict.
 */
import type { WebhookRequest } from '../../ports/webhooks/webhook-transport.ts';
import { answerReader } from './answer-reader.ts';
import { answerText } from './answer-text.ts';
import type { Connection } from './connection.ts';
import { AttemptFailure, asAttemptFailure } from './failure.ts';
import type { WebhookTarget } from './webhook-target.ts';

export interface ReceiverAnswer {
  readonly status: number;
  readonly body: string;
  /**
   * How long the connection may wait for another request, in milliseconds; 0 if it must be closed.
   */
  readonly reusableMs: number;
}

const OWN_HEADERS = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']);

/**
 * Rejects with AttemptFailure if the attempt ended before a complete head. The caller closes or
 * keeps the connection.
 */
export function exchange(
  connection: Connection,
  target: WebhookTarget,
  request: WebhookRequest,
  attempt: AbortSignal,
): Promise<ReceiverAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ReceiverAnswer>();
  const reader = answerReader();
  let concluded = false;

  /** The response, if its head is complete; else the reason why there is none. */
  function conclude(reason: unknown): void {
    if (concluded) return;
    concluded = true;
    attempt.removeEventListener('abort', onAbort);
    const sentWhole = connection.end();
    const answer = reader.answer();
    if (answer === null) reject(asAttemptFailure(reason));
    else
      resolve({
        status: answer.status,
        body: answerText(answer.chunks),
        reusableMs: sentWhole ? reader.reusableMs() : 0,
      });
  }

  const onAbort = () => conclude(new AttemptFailure('no answer in time'));
  attempt.addEventListener('abort', onAbort);
  if (attempt.aborted) onAbort();
  else
    connection.begin(bytesOf(target, request), {
      data(bytes) {
        try {
          reader.feed(bytes);
          if (reader.isOver()) conclude(null);
        } catch (error) {
          conclude(error);
        }
      },
      closed: (error) =>
        conclude(error ?? new AttemptFailure('the receiver closed the connection without an answer')),
    });
  return promise;
}

function bytesOf(target: WebhookTarget, request: WebhookRequest): Uint8Array {
  const given = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const lines = [
    `POST ${target.path} HTTP/1.1`,
    `Host: ${target.hostHeader}`,
    ...given.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${request.body.byteLength}`,
    'Accept-Encoding: identity',
    'Connection: keep-alive',
  ];
  for (const line of lines) {
    if (!/^[\x20-\x7e]+$/.test(line)) throw new Error('a header of a webhook that is not printable ASCII');
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), request.body]);
}
