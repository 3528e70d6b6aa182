/**
 * One node that speaks toncenter's API v2: JSON-RPC with named parameters, errors as a text. Every failure is a NodeFault or an
 * RpcError, and no message shows a URL, its credentials or the API key.
 */
import { NodeFault, RpcError } from '../shared/faults.ts';
import type { RpcEndpoint } from '../shared/rpc-endpoint.ts';

export interface TonNode {
  readonly label: string;
  /** The result, unchecked. Throws RpcError when the node refuses, NodeFault when it cannot answer. */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The rest waits for its turn: public services allow some ten calls a second with a key. */
const CALLS_AT_A_TIME = 8;
/** Statuses of a gateway in front of the node that say nothing about the question. */
const AWAY = [429, 502, 503, 504];

export function toncenterNode(options: {
  endpoint: RpcEndpoint;
  apiKey: string | null;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
}): TonNode {
  const { endpoint, apiKey, timeoutMs, closed } = options;
  const { label } = endpoint;
  const headers = { ...endpoint.headers, ...(apiKey === null ? {} : { 'x-api-key': apiKey }) };
  let idsUsed = 0;

  const fault = (problem: string): NodeFault => new NodeFault(`${label}: ${problem}`);

  async function post(body: string): Promise<{ status: number; text: string }> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([timeout, closed]);
    try {
      const request = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
      const response = await options.fetch(endpoint.url, request);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      // The message of a fetch error may contain the URL: only its class is repeated.
      if (closed.aborted) throw fault('this client was closed');
      const kind = error instanceof Error ? error.name : 'unknown';
      throw fault(timeout.aborted ? 'timed out' : `connection failed (${kind})`);
    }
  }

  async function call(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const id = String(++idsUsed);
    const { status, text } = await post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    if (AWAY.includes(status)) throw fault(`HTTP ${status}`);
    const answer = parsed(text);
    if (answer === null) throw fault(status === 200 ? 'answered no JSON' : `HTTP ${status}`);
    if (answer.ok === true && 'result' in answer) return answer.result;
    if (answer.ok !== false) throw fault('answered in another shape than the API');
    const said = typeof answer.error === 'string' ? endpoint.redact(answer.error) : 'an error without a text';
    throw new RpcError(typeof answer.code === 'number' ? answer.code : status, `${label}: ${said}`);
  }

  let running = 0;
  const waiting: (() => void)[] = [];

  return {
    label,
    call: async (method, params) => {
      if (running >= CALLS_AT_A_TIME) await new Promise<void>((resume) => waiting.push(resume));
      running += 1;
      try {
        return await call(method, params);
      } finally {
        running -= 1;
        waiting.shift()?.();
      }
    },
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text, exactly as (key: string, value: unknown) => unknown);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/**
 * Some versions write amounts as numbers: one past 2^53 stays the text that it was. The third argument is part of the language
 * (JSON.parse source text access) but not yet of the compiler's library.
 */
function exactly(_key: string, value: unknown, context: { readonly source: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context.source : value;
}

/** The URL of the API's JSON-RPC: a host alone, or the API's own root, get the path that toncenter has. */
export function jsonRpcUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '' || path === '/api/v2') url.pathname = '/api/v2/jsonRPC';
  return url.href;
}
