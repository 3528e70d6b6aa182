/**
 * One node over HTTP, for every protocol. Requests wait for the node's budget, end in time, and
 * read a bounded answer. Refusals because of a limit are recognised by status and body. No message
 * shows a URL or a secret.
 */
import { answerBytes } from './answer-bytes.ts';
import { limitIn } from './limit-signs.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import { NodeError, NodeLimited, NodeSpares } from './node-errors.ts';
import { hasteNow } from './urgency.ts';

export interface NodeHttp {
  readonly label: string;
  /**
   * The answer of any status. If the answer says that a limit was reached, the request is repeated
   * a few times when the budget allows it. Throws NodeLimited when that takes too long, NodeError
   * when there is no answer, and NodeSpares instead of a second attempt at what may be spared.
   */
  request(request: NodeRequest): Promise<NodeAnswer>;
}

export interface NodeRequest {
  /** Appended to the endpoint's URL. */
  readonly path?: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many calls the node counts for it. Default 1. */
  readonly calls?: number;
  readonly timeoutMs?: number;
  /** False: 402 may mean that the plan lacks this method, and the caller reads it. Default true. */
  readonly ofEveryPlan?: boolean;
}

export interface NodeAnswer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** A request that was refused so often goes to another node. */
const ATTEMPTS = 4;
/** What may be spared is waited for no longer: other calls answer it. */
const SPARED_TIMEOUT_MS = 5_000;

export function nodeHttp(options: {
  endpoint: NodeEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts all running requests. */
  closed: AbortSignal;
  answerBytesMax: number;
  /** Closes the connection after each request: litecoind does not stop while one is open. */
  closing?: boolean;
}): NodeHttp {
  const { endpoint, closed, answerBytesMax, closing = false } = options;
  const { label, budget } = endpoint;
  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);

  async function once({ path = '', method, body, headers, timeoutMs }: NodeRequest) {
    const most = hasteNow().spared ? SPARED_TIMEOUT_MS : Number.POSITIVE_INFINITY;
    const timeout = AbortSignal.timeout(Math.min(most, timeoutMs ?? options.timeoutMs));
    try {
      const response = await options.fetch(`${endpoint.url}${path}`, {
        method,
        headers: { ...endpoint.headers, ...headers, ...(closing ? { connection: 'close' } : {}) },
        keepalive: !closing,
        redirect: 'manual',
        signal: AbortSignal.any([timeout, closed]),
        ...(body === undefined ? {} : { body }),
      });
      const bytes = await answerBytes(response, answerBytesMax);
      if (bytes === null) throw fault('the answer is too big');
      const [retryAfter, date] = ['retry-after', 'date'].map((name) => response.headers.get(name));
      return { status: response.status, bytes, retryAfter: retryAfter ?? null, date: date ?? null };
    } catch (error) {
      if (error instanceof NodeError) throw error;
      // The message of a fetch error may contain the URL, so only its class is repeated.
      if (closed.aborted) throw fault('this client was closed');
      throw fault(timeout.aborted ? 'timed out' : `connection failed (${errorClass(error)})`);
    }
  }

  return {
    label,
    async request(request) {
      const { calls = 1, ofEveryPlan = true } = request;
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        await budget.take(calls);
        const answer = await once(request);
        const limit = answer.status === 402 && !ofEveryPlan ? null : limitIn(answer);
        if (limit === null) {
          budget.served(calls, answer.bytes.length);
          return answer;
        }
        if (hasteNow().spared) throw new NodeSpares(`${label}: does not answer this one at present`);
        budget.refused(limit);
        // More than the node takes in one request: it would be refused again.
        if (calls > budget.callsAtOnce) break;
      }
      throw new NodeLimited(`${label}: its limit leaves no room at present`);
    },
  };
}

function errorClass(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
}
