/**
 * One node over JSON-RPC and fetch: calls and batches with a time-out. Every failure is a NodeFault or an RpcError, and
 * no message shows a URL or its credentials.
 */
import { answerBytes } from './answer-bytes.ts';
import { NodeFault, RpcError } from './faults.ts';
import type { RpcEndpoint } from './rpc-endpoint.ts';

interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcNode {
  readonly label: string;
  /** The result, unchecked. Throws RpcError when the node refuses, NodeFault when it cannot answer. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** An outcome per call, in order. Throws NodeFault when the node cannot answer. */
  outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]>;
  /** The results, in order; a refused one is asked once more by itself, then its RpcError is thrown. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>;
}

/** Gateways bound batches and their answers; 50 full blocks are some 15 MB. */
const BATCH_SIZE_MAX = 50;
const PARALLEL_CALLS = 8;
/** Statuses by which a gateway refuses this request (a method, a batch) while it may serve others. */
const REFUSING_STATUSES = [400, 403, 404, 405, 413];
/** Of an answer: traces of some dozens of full blocks are 100 MB. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** What a node answers slowly may take this many times as long. */
const SLOW_TIMEOUT_FACTOR = 4;

export function rpcNode(options: {
  endpoint: RpcEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
  /** Methods that take a node seconds: tracing a block, say. */
  slow?: (method: string) => boolean;
  /** Closes the connection after each request: litecoind does not stop while one is open. */
  closing?: boolean;
  /** Reads the answer's text; throws when it is no JSON. Default JSON.parse. */
  parse?: (text: string) => unknown;
  answerBytesMax?: number;
}): RpcNode {
  const { endpoint, timeoutMs, closed, slow = () => false, closing = false, parse = JSON.parse } = options;
  const { answerBytesMax = ANSWER_BYTES_MAX } = options;
  const { label } = endpoint;
  let idsUsed = 0;
  let takesBatches = true;

  const fault = (problem: string): NodeFault => new NodeFault(`${label}: ${problem}`);

  async function post(body: string, patiently: boolean): Promise<unknown> {
    const timeout = AbortSignal.timeout(patiently ? timeoutMs * SLOW_TIMEOUT_FACTOR : timeoutMs);
    let bytes: Buffer | null;
    let response: Response;
    try {
      response = await options.fetch(endpoint.url, {
        method: 'POST',
        headers: { ...endpoint.headers, ...(closing ? { connection: 'close' } : {}) },
        keepalive: !closing,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([timeout, closed]),
      });
      bytes = await answerBytes(response, answerBytesMax);
    } catch (error) {
      // The message of a fetch error may contain the URL: only its class is repeated.
      if (closed.aborted) throw fault('this client was closed');
      throw fault(timeout.aborted ? 'timed out' : `connection failed (${errorClass(error)})`);
    }
    if (bytes === null) throw fault('the answer is too big');
    const answer = parsed(new TextDecoder().decode(bytes), parse);
    if (response.ok && answer !== undefined) return answer;
    if (hasError(answer)) return answer;
    if (REFUSING_STATUSES.includes(response.status))
      throw new RpcError(response.status, `${label}: HTTP ${response.status}`);
    throw fault(response.ok ? 'answered no JSON' : `HTTP ${response.status}`);
  }

  function refusal(error: unknown): RpcError {
    const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Partial<RpcError>;
    const text = typeof message === 'string' ? endpoint.redact(message) : 'an error without a message';
    return new RpcError(typeof code === 'number' ? code : 0, `${label}: ${text}`);
  }

  function outcomeOf(answer: unknown): RpcOutcome {
    if (hasError(answer)) return { error: refusal(answer.error) };
    if (typeof answer === 'object' && answer !== null && 'result' in answer) return { result: answer.result };
    throw fault('answered no JSON-RPC');
  }

  async function one({ method, params }: RpcCall): Promise<RpcOutcome> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++idsUsed, method, params });
    try {
      return outcomeOf(await post(body, slow(method)));
    } catch (error) {
      if (error instanceof RpcError) return { error };
      throw error;
    }
  }

  async function oneByOne(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    const outcomes: RpcOutcome[] = [];
    for (let start = 0; start < calls.length; start += PARALLEL_CALLS)
      outcomes.push(...(await Promise.all(calls.slice(start, start + PARALLEL_CALLS).map(one))));
    return outcomes;
  }

  /** A batch in one request; a gateway that refuses batches gets single calls from then on. */
  async function together(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    if (calls.length === 1 || !takesBatches) return oneByOne(calls);
    const numbered = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++idsUsed, method, params }));
    const answers = await post(JSON.stringify(numbered), false).catch((error: unknown) => {
      if (error instanceof RpcError) return null;
      throw error;
    });
    if (!Array.isArray(answers)) {
      const outcomes = await oneByOne(calls);
      // Single calls that fail as well (a rate limit, say) tell nothing against batches.
      takesBatches = !outcomes.some((outcome) => 'result' in outcome);
      return outcomes;
    }
    const byId = new Map<unknown, unknown>(answers.map((answer: unknown) => [idOf(answer), answer]));
    return numbered.map(({ id }) => {
      if (!byId.has(id)) throw fault('left calls of a batch unanswered');
      return outcomeOf(byId.get(id));
    });
  }

  async function outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    const all: RpcOutcome[] = [];
    for (let start = 0; start < calls.length; start += BATCH_SIZE_MAX)
      all.push(...(await together(calls.slice(start, start + BATCH_SIZE_MAX))));
    return all;
  }

  return {
    label,
    outcomes,
    call: async (method, ...params) => resultOf(await one({ method, params })),
    batch: async (calls) => {
      const first = await outcomes(calls);
      return Promise.all(
        first.map(async (outcome, position) =>
          resultOf('error' in outcome ? await one(calls[position]!) : outcome),
        ),
      );
    },
  };
}

function resultOf(outcome: RpcOutcome): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function parsed(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function hasError(answer: unknown): answer is { error: unknown } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && answer.error != null;
}

function idOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;
}

function errorClass(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
}
