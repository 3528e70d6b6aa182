/**
 * One monerod or monero-wallet-rpc over HTTP, one request at a time: a wallet does one thing at once anyway, and a digest
 * login belongs to a connection. Every failure is a NodeError or an RpcError, and no message shows a secret.
 */
import { member, parseNumbersAsText } from '../../../domain/money/lossless-json.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { limitIn } from '../shared/nodes/limit-signs.ts';
import type { NodeBudget, Refusal } from '../shared/nodes/node-budget.ts';
import { nodeEndpoint } from '../shared/nodes/node-endpoint.ts';
import { NodeError, NodeLimited, RpcError } from '../shared/nodes/node-errors.ts';
import { type Challenge, digestHeader, type Login, readChallenge } from './digest-login.ts';

export interface MoneroRpc {
  readonly label: string;
  readonly budget: NodeBudget;
  /** The result of a JSON-RPC method, unchecked; its numbers are text. Throws RpcError for a refusal, NodeError otherwise. */
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

/** A challenge, a second one where the connection of the first is gone, and a refusal or more for asking too often. */
const ATTEMPTS = 5;

export function moneroRpc(options: MoneroRpcOptions): MoneroRpc {
  const { timeoutMs, closed, secrets = [] } = options;
  const fetched = options.fetch ?? fetch;
  const endpoint = nodeEndpoint({ url: options.url }, 0, { time: options.time });
  const base = new URL(endpoint.url);
  const label = `${options.label} (${base.host})`;
  const login = loginOf(options.url);
  let session: { challenge: Challenge; count: number } | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);
  const redact = (text: string): string =>
    endpoint.redact(secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), text));

  async function send(path: string, body: string, patienceMs: number): Promise<Response> {
    const timeout = AbortSignal.timeout(patienceMs);
    await endpoint.budget.take(1);
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
      if (closed.aborted) throw fault('this client was closed');
      throw fault(timeout.aborted ? 'timed out' : `connection failed (${errorClass(error)})`);
    }
  }

  async function request(path: string, body: object, patienceMs: number): Promise<unknown> {
    const fullPath = `${base.pathname.replace(/\/+$/, '')}${path}`;
    let isLimited = false;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const response = await send(fullPath, JSON.stringify(body), patienceMs);
      const text = await response.text().catch(() => {
        throw fault('broke its answer off');
      });
      const limit = limitOf(response, text);
      if (limit !== null) {
        endpoint.budget.refused(limit);
        isLimited = true;
        continue;
      }
      endpoint.budget.served(1, text.length);
      if (response.status !== 401) return answerOf(response, text);
      const challenge = readChallenge(response.headers.get('www-authenticate'));
      if (login === null || challenge === null) throw fault('wants a login: put user:password@ into its URL');
      session = { challenge, count: 0 };
    }
    if (isLimited) throw new NodeLimited(`${label}: its limit leaves no room at present`);
    throw fault('does not take this login');
  }

  function answerOf(response: Response, text: string): unknown {
    if (!response.ok) throw new RpcError(response.status, `${label}: HTTP ${response.status}`);
    try {
      return parseNumbersAsText(text);
    } catch {
      throw fault('answered no JSON');
    }
  }

  /** After whatever was asked before, however that ended. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    label,
    budget: endpoint.budget,
    async call(method, params = {}, { patienceMs = timeoutMs } = {}) {
      const body = { jsonrpc: '2.0', id: '0', method, params };
      const answer = await inTurn(() => request('/json_rpc', body, patienceMs));
      const error = member(answer, 'error');
      if (error != null) {
        const [code, message] = [Number(member(error, 'code')), member(error, 'message')];
        const text = typeof message === 'string' ? redact(message) : 'an error without a message';
        throw new RpcError(Number.isSafeInteger(code) ? code : 0, `${label}: ${method}: ${text}`);
      }
      const result = member(answer, 'result');
      if (result === undefined) throw fault('answered no JSON-RPC');
      return result;
    },
    post: (path, body) => inTurn(() => request(path, body, timeoutMs)),
  };
}

/** What the answer says of limits; null: nothing. */
function limitOf({ status, headers }: Response, text: string): Refusal | null {
  const [retryAfter = null, date = null] = ['retry-after', 'date'].map((name) => headers.get(name));
  return limitIn({ status, bytes: Buffer.from(text), retryAfter, date });
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
