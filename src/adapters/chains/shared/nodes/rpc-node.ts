/**
 * One node over JSON-RPC and fetch: calls and batches with a time-out. Every failure is a NodeError or an RpcError, and
 * no message shows a URL or its credentials.
 */
import { inChunks } from '../chunks.ts';
import { limitInError } from './limit-signs.ts';
import type { Refusal } from './node-budget.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import { NodeError, NodeLimited, RpcError } from './node-errors.ts';
import { nodeHttp } from './node-http.ts';

interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcNode {
  readonly label: string;
  /** The result, unchecked. Throws RpcError when the node refuses, NodeError when it cannot answer. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** An outcome per call, in order. Throws NodeError when the node cannot answer. */
  outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]>;
  /** The results, in order; a refused one is asked once more by itself, then its RpcError is thrown. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>;
}

const PARALLEL_CALLS = 8;
/** Statuses by which a gateway refuses this request (a method, a batch) while it may serve others. */
const REFUSING_STATUSES = [400, 402, 403, 404, 405, 413];
/** Of an answer: traces of some dozens of full blocks are 100 MB. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** What a node answers slowly may take this many times as long. */
const SLOW_TIMEOUT_FACTOR = 4;
/** A call that was refused so often for being too much is left to another node. */
const ATTEMPTS = 4;

export function rpcNode(options: {
  endpoint: NodeEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
  /** Methods that take a node seconds and are not of every plan: tracing a block, say. */
  slow?: (method: string) => boolean;
  /** Closes the connection after each request: litecoind does not stop while one is open. */
  closing?: boolean;
  /** Reads the answer's text; throws when it is no JSON. Default JSON.parse. */
  parse?: (text: string) => unknown;
  /** Whether a result says that this was too much, where errors come inside of results. */
  limitInResult?: (result: unknown) => Refusal | null;
  answerBytesMax?: number;
}): RpcNode {
  const { endpoint, timeoutMs, slow = () => false, parse = JSON.parse, limitInResult } = options;
  const { label } = endpoint;
  const http = nodeHttp({ answerBytesMax: ANSWER_BYTES_MAX, ...options });
  let idsUsed = 0;
  let takesBatches = true;

  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);

  async function post(body: string, { calls, patiently }: { calls: number; patiently: boolean }) {
    const { status, bytes } = await http.request({
      method: 'POST',
      body,
      calls,
      ofEveryPlan: !patiently,
      timeoutMs: patiently ? timeoutMs * SLOW_TIMEOUT_FACTOR : timeoutMs,
    });
    const answer = parsed(new TextDecoder().decode(bytes), parse);
    if (status === 200 && answer !== undefined) return answer;
    if (hasError(answer)) return answer;
    if (REFUSING_STATUSES.includes(status)) throw new RpcError(status, `${label}: HTTP ${status}`);
    throw fault(status === 200 ? 'answered no JSON' : `HTTP ${status}`);
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

  async function once({ method, params }: RpcCall): Promise<RpcOutcome> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++idsUsed, method, params });
    try {
      return outcomeOf(await post(body, { calls: 1, patiently: slow(method) }));
    } catch (error) {
      if (error instanceof RpcError) return { error };
      throw error;
    }
  }

  /** Tells the budget where the node says that it was too much. */
  function isLimited(outcome: RpcOutcome): boolean {
    const limit =
      'error' in outcome ? limitInError(outcome.error) : (limitInResult?.(outcome.result) ?? null);
    if (limit !== null) endpoint.budget.refused(limit);
    return limit !== null;
  }

  /** Asks again, when the budget allows it, what the node refused for being too much. */
  async function one(call: RpcCall): Promise<RpcOutcome> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const outcome = await once(call);
      if (!isLimited(outcome)) return outcome;
    }
    throw new NodeLimited(`${label}: its limit leaves no room at present`);
  }

  async function oneByOne(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    const outcomes: RpcOutcome[] = [];
    for (const some of inChunks(calls, PARALLEL_CALLS)) outcomes.push(...(await Promise.all(some.map(one))));
    return outcomes;
  }

  /** A batch in one request; a gateway that refuses batches gets single calls from then on. */
  async function together(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    if (calls.length === 1 || !takesBatches) return oneByOne(calls);
    const numbered = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++idsUsed, method, params }));
    const answers = await post(JSON.stringify(numbered), {
      calls: calls.length,
      patiently: false,
    }).catch((error: unknown) => {
      if (error instanceof RpcError) return null;
      if (error instanceof NodeLimited && calls.length > endpoint.budget.callsAtOnce) return 'too many';
      throw error;
    });
    if (answers === 'too many') return outcomes(calls);
    if (!Array.isArray(answers)) {
      const alone = await oneByOne(calls);
      // Single calls that fail as well (a rate limit, say) tell nothing against batches.
      takesBatches = !alone.some((outcome) => 'result' in outcome);
      return alone;
    }
    const byId = new Map<unknown, unknown>(answers.map((answer: unknown) => [idOf(answer), answer]));
    const told = numbered.map(({ id }) => {
      if (!byId.has(id)) throw fault('left calls of a batch unanswered');
      return outcomeOf(byId.get(id));
    });
    const limited = new Set(told.flatMap((outcome, position) => (isLimited(outcome) ? [position] : [])));
    if (limited.size === 0) return told;
    // What was answered is kept; the rest is asked again.
    const again = await oneByOne(calls.filter((_, position) => limited.has(position)));
    const rest = again.values();
    return told.map((outcome, position) => (limited.has(position) ? rest.next().value! : outcome));
  }

  async function outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    const all: RpcOutcome[] = [];
    while (all.length < calls.length)
      all.push(...(await together(calls.slice(all.length, all.length + endpoint.budget.callsAtOnce))));
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
