/**
 * One node over JSON-RPC and fetch: calls and batches with a time-out. Every failure is a NodeError
 * or an RpcError. No message shows a URL or its credentials.
 */
import { inChunks } from '../chunks.ts';
import type { BudgetTime } from './call-log.ts';
import { joinedCalls } from './joined-calls.ts';
import { limitInError } from './limit-signs.ts';
import type { NodeRefusal } from './node-budget.ts';
import type { NodeEndpoint } from './node-endpoint.ts';
import { NodeError, NodeLimited, NodeSpares, RpcError } from './node-errors.ts';
import { type NodeHttp, nodeHttp } from './node-http.ts';
import { hasteNow } from './urgency.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcOutcome = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcNode {
  readonly label: string;
  /**
   * The result, unchecked. Throws RpcError when the node refuses, NodeError when it cannot answer.
   */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /**
   * An outcome per call, in order. Throws NodeError when the node cannot answer. Calls of payouts
   * may share their requests with others, as those of `call` may.
   */
  outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]>;
  /**
   * The results, in order, of one request where the node takes so many calls in one. Repeats a
   * refused call once on its own, and then throws its RpcError.
   */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>;
}

const PARALLEL_CALLS = 8;
/**
 * Statuses by which a gateway refuses this request (a method, a batch) while it may serve others.
 */
const REFUSING_STATUSES = [400, 402, 403, 404, 405, 413];
/** The longest answer. Traces of some dozens of full blocks are 100 MB. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** A slow method may take so many times as long. */
const SLOW_TIMEOUT_FACTOR = 4;
/** A call that a limit refused so often goes to another node. */
const ATTEMPTS = 4;

interface RpcOptions {
  readonly endpoint: NodeEndpoint;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  /** Aborts all running calls. */
  readonly closed: AbortSignal;
  /**
   * Methods that take a node seconds and are missing in some plans, such as the trace of a block.
   */
  readonly slow?: (method: string) => boolean;
  /**
   * Calls of payouts that may share a request: reads that are quick whoever is paid. None that
   * tries a payment or broadcasts. Default: none.
   */
  readonly joins?: (call: RpcCall) => boolean;
  /**
   * Of those, what does not depend on a payment: a round of payouts asks it once. Default: none.
   */
  readonly ofRound?: (call: RpcCall) => boolean;
  readonly time?: Pick<BudgetTime, 'now'> | undefined;
  /** Closes the connection after each request: litecoind does not stop while one is open. */
  readonly closing?: boolean;
  /** Parses the answer's text; throws when it is not JSON. Default JSON.parse. */
  readonly parse?: (text: string) => unknown;
  /** Whether a result reports a limit, where errors come inside of results. */
  readonly limitInResult?: (result: unknown) => NodeRefusal | null;
  readonly answerBytesMax?: number;
}

interface Client {
  readonly endpoint: NodeEndpoint;
  readonly http: NodeHttp;
  readonly timeoutMs: number;
  readonly slow: (method: string) => boolean;
  readonly parse: (text: string) => unknown;
  readonly limitInResult: (result: unknown) => NodeRefusal | null;
  idsUsed: number;
  takesBatches: boolean;
}

export function rpcNode(options: RpcOptions): RpcNode {
  const { endpoint, timeoutMs, slow = () => false, parse = JSON.parse } = options;
  const { limitInResult = () => null, joins = () => false } = options;
  const http = nodeHttp({ answerBytesMax: ANSWER_BYTES_MAX, ...options });
  const client: Client = {
    endpoint,
    http,
    timeoutMs,
    slow,
    parse,
    limitInResult,
    idsUsed: 0,
    takesBatches: true,
  };
  const joined = joinedCalls((calls) => outcomes(client, calls), {
    ...options,
    serves: (outcome) => 'result' in outcome && outcome.result !== null,
  });
  const isJoined = (calls: readonly RpcCall[]): boolean =>
    hasteNow().urgency === 'payout' && calls.every(joins);
  const ask = (calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> =>
    isJoined(calls) ? joined(calls) : outcomes(client, calls);
  return {
    label: endpoint.label,
    outcomes: ask,
    call: async (method, ...params) => {
      const call = { method, params };
      const [outcome] = isJoined([call]) ? await joined([call]) : [];
      return resultOf(outcome ?? (await one(client, call)));
    },
    batch: async (calls) => {
      const first = await outcomes(client, calls);
      return Promise.all(
        first.map(async (outcome, position) =>
          resultOf('error' in outcome ? await one(client, calls[position]!) : outcome),
        ),
      );
    },
  };
}

async function outcomes(client: Client, calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
  const all: RpcOutcome[] = [];
  while (all.length < calls.length) {
    const some = calls.slice(all.length, all.length + client.endpoint.budget.callsAtOnce);
    all.push(...(await together(client, some)));
  }
  return all;
}

/** A batch in one request. A node that refuses batches gets single calls from then on. */
async function together(client: Client, calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
  if (calls.length === 1 || !client.takesBatches) return oneByOne(client, calls);
  const told = await asBatch(client, calls);
  if (hasteNow().spared) return sparedOutcomes(client, told);
  if (told === 'too many') return outcomes(client, calls);
  if (told === 'no batches') {
    const alone = await oneByOne(client, calls);
    // Single calls that fail too (at a rate limit, for example) do not speak against batches.
    client.takesBatches = !alone.some((outcome) => 'result' in outcome);
    return alone;
  }
  const limited = new Set(
    told.flatMap((outcome, position) => (isLimited(client, outcome) ? [position] : [])),
  );
  if (limited.size === 0) return told;
  // The answers are kept. The rest is asked again.
  const again = await oneByOne(
    client,
    calls.filter((_, position) => limited.has(position)),
  );
  const rest = again.values();
  return told.map((outcome, position) => (limited.has(position) ? rest.next().value! : outcome));
}

/** Calls of a batch that a limit refused stay refused; NodeSpares where it refused them all. */
function sparedOutcomes(client: Client, told: Awaited<ReturnType<typeof asBatch>>): readonly RpcOutcome[] {
  const refused = typeof told === 'string' || told.every((each) => limitOf(client, each) !== null);
  if (refused) throw spares(client);
  return told;
}

/** `too many`: the node now takes fewer in one batch. */
async function asBatch(
  client: Client,
  calls: readonly RpcCall[],
): Promise<readonly RpcOutcome[] | 'too many' | 'no batches'> {
  const numbered = calls.map(({ method, params }) => requestOf(client, method, params));
  let answers: unknown;
  try {
    answers = await post(client, numbered, { calls: calls.length, patiently: false });
  } catch (error) {
    if (error instanceof RpcError) return 'no batches';
    if (error instanceof NodeLimited && calls.length > client.endpoint.budget.callsAtOnce) return 'too many';
    throw error;
  }
  if (!Array.isArray(answers)) return 'no batches';
  const byId = new Map<unknown, unknown>(answers.map((answer: unknown) => [idOf(answer), answer]));
  return numbered.map(({ id }) => {
    if (!byId.has(id)) throw fault(client, 'left calls of a batch unanswered');
    return outcomeOf(client, byId.get(id));
  });
}

async function oneByOne(client: Client, calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
  const all: RpcOutcome[] = [];
  for (const some of inChunks(calls, PARALLEL_CALLS))
    all.push(...(await Promise.all(some.map((call) => one(client, call)))));
  return all;
}

/** Repeats, when the budget allows it, the calls that a limit refused. */
async function one(client: Client, call: RpcCall): Promise<RpcOutcome> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcome = await once(client, call);
    if (!isLimited(client, outcome)) return outcome;
  }
  throw new NodeLimited(`${client.endpoint.label}: its limit leaves no room at present`);
}

async function once(client: Client, { method, params }: RpcCall): Promise<RpcOutcome> {
  const request = requestOf(client, method, params);
  try {
    return outcomeOf(client, await post(client, request, { calls: 1, patiently: client.slow(method) }));
  } catch (error) {
    if (error instanceof RpcError) return { error };
    throw error;
  }
}

function requestOf(client: Client, method: string, params: readonly unknown[]) {
  client.idsUsed += 1;
  return { jsonrpc: '2.0', id: client.idsUsed, method, params };
}

async function post(
  client: Client,
  request: object,
  { calls, patiently }: { calls: number; patiently: boolean },
): Promise<unknown> {
  const { http, parse, timeoutMs, endpoint } = client;
  const { status, bytes } = await http.request({
    method: 'POST',
    body: JSON.stringify(request),
    calls,
    ofEveryPlan: !patiently,
    timeoutMs: patiently ? timeoutMs * SLOW_TIMEOUT_FACTOR : timeoutMs,
  });
  const answer = parsed(new TextDecoder().decode(bytes), parse);
  if (status === 200 && answer !== undefined) return answer;
  if (hasError(answer)) return answer;
  if (REFUSING_STATUSES.includes(status)) throw new RpcError(status, `${endpoint.label}: HTTP ${status}`);
  throw fault(client, status === 200 ? 'answered no JSON' : `HTTP ${status}`);
}

function outcomeOf(client: Client, answer: unknown): RpcOutcome {
  if (hasError(answer)) return { error: refusal(client, answer.error) };
  if (typeof answer === 'object' && answer !== null && 'result' in answer) return { result: answer.result };
  throw fault(client, 'answered no JSON-RPC');
}

function refusal({ endpoint }: Client, error: unknown): RpcError {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Partial<RpcError>;
  const text = typeof message === 'string' ? endpoint.redact(message) : 'an error without a message';
  return new RpcError(typeof code === 'number' ? code : 0, `${endpoint.label}: ${text}`);
}

/** Notifies the budget of results that report a limit. NodeSpares for one of what may be spared. */
function isLimited(client: Client, outcome: RpcOutcome): boolean {
  const limit = limitOf(client, outcome);
  if (limit === null) return false;
  if (hasteNow().spared) throw spares(client);
  client.endpoint.budget.refused(limit);
  return true;
}

function limitOf({ limitInResult }: Client, outcome: RpcOutcome): NodeRefusal | null {
  return 'error' in outcome ? limitInError(outcome.error) : limitInResult(outcome.result);
}

function spares({ endpoint }: Client): NodeSpares {
  return new NodeSpares(`${endpoint.label}: does not answer this one at present`);
}

function fault({ endpoint }: Client, problem: string): NodeError {
  return new NodeError(`${endpoint.label}: ${problem}`);
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
