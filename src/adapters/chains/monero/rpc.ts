/**
 * One monerod or monero-wallet-rpc over HTTP, with one request at a time: a wallet does one thing
 * at once anyway, and a digest login belongs to a connection. Every failure is a NodeError or an
 * RpcError, and no message shows a secret.
 */
import { member, parseNumbersAsText } from '../../../domain/money/lossless-json.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { limitIn } from '../shared/nodes/limit-signs.ts';
import type { NodeBudget, NodeRefusal } from '../shared/nodes/node-budget.ts';
import { type NodeEndpoint, nodeEndpoint } from '../shared/nodes/node-endpoint.ts';
import { NodeError, NodeLimited, RpcError } from '../shared/nodes/node-errors.ts';
import { type Challenge, digestHeader, type Login, readChallenge } from './digest-login.ts';

export interface MoneroRpc {
  readonly label: string;
  readonly budget: NodeBudget;
  /**
   * The result of a JSON-RPC method, unchecked; its numbers are text. Throws RpcError for a
   * refusal, NodeError otherwise.
   */
  call(method: string, params?: object, options?: { patienceMs?: number }): Promise<unknown>;
  /** The answer of a path of its own (`/get_transactions`). */
  post(path: string, body: object): Promise<unknown>;
}

export interface MoneroRpcOptions {
  /** With `user:password@` where the program was started with --rpc-login. */
  readonly url: string;
  readonly label: string;
  /** What messages of the program must not repeat. */
  readonly secrets?: readonly string[];
  readonly timeoutMs: number;
  /** Aborts whatever is under way. */
  readonly closed: AbortSignal;
  readonly fetch?: typeof fetch | undefined;
  readonly time?: BudgetTime | undefined;
}

/**
 * One that is challenged, a second one where the connection of the challenge is gone, and some that
 * are refused for asking too often.
 */
const ATTEMPTS = 5;

interface MoneroRpcContext {
  readonly options: MoneroRpcOptions;
  readonly endpoint: NodeEndpoint;
  readonly base: URL;
  readonly label: string;
  readonly login: Login | null;
  /** The challenge of the connection, and how many requests used it; null before the first. */
  session: { readonly challenge: Challenge; count: number } | null;
  /** The request that was asked for last. */
  last: Promise<unknown>;
}

export function moneroRpc(options: MoneroRpcOptions): MoneroRpc {
  const { timeoutMs } = options;
  const endpoint = nodeEndpoint({ url: options.url }, 0, { time: options.time });
  const base = new URL(endpoint.url);
  const label = `${options.label} (${base.host})`;
  const context: MoneroRpcContext = {
    ...{ options, endpoint, base, label, login: loginOf(options.url) },
    ...{ session: null, last: Promise.resolve() },
  };
  return {
    label,
    budget: endpoint.budget,
    async call(method, params = {}, { patienceMs = timeoutMs } = {}) {
      const body = { jsonrpc: '2.0', id: '0', method, params };
      const answer = await inTurn(context, () => request(context, '/json_rpc', body, patienceMs));
      return resultIn(context, method, answer);
    },
    post: (path, body) => inTurn(context, () => request(context, path, body, timeoutMs)),
  };
}

/** Begins when the request before has ended, however it ended. */
function inTurn<T>(context: MoneroRpcContext, work: () => Promise<T>): Promise<T> {
  const turn = context.last.then(work, work);
  context.last = turn.catch(() => {});
  return turn;
}

async function request(
  context: MoneroRpcContext,
  path: string,
  body: object,
  patienceMs: number,
): Promise<unknown> {
  const { endpoint, base, label, login } = context;
  const fullPath = `${base.pathname.replace(/\/+$/, '')}${path}`;
  let isLimited = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const response = await send(context, fullPath, JSON.stringify(body), patienceMs);
    const text = await response.text().catch(() => {
      throw faultOf(context, 'broke its answer off');
    });
    const limit = limitOf(response, text);
    if (limit !== null) {
      endpoint.budget.refused(limit);
      isLimited = true;
      continue;
    }
    endpoint.budget.served(1, text.length);
    if (response.status !== 401) return answerOf(context, response, text);
    const challenge = readChallenge(response.headers.get('www-authenticate'));
    if (login === null || challenge === null)
      throw faultOf(context, 'wants a login: put user:password@ into its URL');
    context.session = { challenge, count: 0 };
  }
  if (isLimited) throw new NodeLimited(`${label}: its limit leaves no room at present`);
  throw faultOf(context, 'does not take this login');
}

async function send(
  context: MoneroRpcContext,
  path: string,
  body: string,
  patienceMs: number,
): Promise<Response> {
  const { endpoint, base, login, options } = context;
  const { closed, fetch: fetched = fetch } = options;
  const timeout = AbortSignal.timeout(patienceMs);
  await endpoint.budget.take(1);
  const { session } = context;
  if (session !== null) session.count += 1;
  const authorization =
    login === null || session === null ? {} : { authorization: digestHeader({ login, path, ...session }) };
  try {
    return await fetched(new URL(path, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, closed]),
    });
  } catch (error) {
    // The message of a fetch error may contain the URL: only its class is repeated.
    if (closed.aborted) throw faultOf(context, 'this client was closed');
    throw faultOf(context, timeout.aborted ? 'timed out' : `connection failed (${errorClass(error)})`);
  }
}

/** What the answer says of limits; null: nothing. */
function limitOf({ status, headers }: Response, text: string): NodeRefusal | null {
  const [retryAfter = null, date = null] = ['retry-after', 'date'].map((name) => headers.get(name));
  return limitIn({ status, bytes: Buffer.from(text), retryAfter, date });
}

function answerOf(context: MoneroRpcContext, response: Response, text: string): unknown {
  const { status } = response;
  if (!response.ok) throw new RpcError(status, `${context.label}: HTTP ${status}`);
  try {
    return parseNumbersAsText(text);
  } catch {
    throw faultOf(context, 'answered no JSON');
  }
}

function resultIn(context: MoneroRpcContext, method: string, answer: unknown): unknown {
  const error = member(answer, 'error');
  if (error != null) {
    const [code, message] = [Number(member(error, 'code')), member(error, 'message')];
    const text = typeof message === 'string' ? redact(context, message) : 'an error without a message';
    throw new RpcError(Number.isSafeInteger(code) ? code : 0, `${context.label}: ${method}: ${text}`);
  }
  const result = member(answer, 'result');
  if (result === undefined) throw faultOf(context, 'answered no JSON-RPC');
  return result;
}

function faultOf({ label }: MoneroRpcContext, problem: string): NodeError {
  return new NodeError(`${label}: ${problem}`);
}

function redact({ endpoint, options: { secrets = [] } }: MoneroRpcContext, text: string): string {
  return endpoint.redact(secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), text));
}

function loginOf(text: string): Login | null {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return null;
  return { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
}

function errorClass(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
}
