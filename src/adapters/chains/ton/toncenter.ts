/**
 * One node with toncenter's API v2: JSON-RPC with named parameters, and errors as text. Every
 * failure is a NodeError or an RpcError. Messages never show a URL, its credentials or the API key.
 * An index (version 3) shares the node's budget.
 */
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import type { NodeAddress, NodeEndpoint } from '../shared/nodes/node-endpoint.ts';
import { NodeError, NodeLagging, RpcError } from '../shared/nodes/node-errors.ts';
import { nodeHttp } from '../shared/nodes/node-http.ts';
import { type TonIndex, tonIndex } from './index-api.ts';

export interface TonNode {
  readonly label: string;
  /**
   * The result, unchecked. Throws RpcError when the node refuses, NodeError when it cannot answer.
   */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Its index of the chain; absent where the URL has no place for one. */
  readonly index?: TonIndex;
}

/** Further calls wait for their turn: public services allow some ten a second with a key. */
const CALLS_AT_A_TIME = 8;
/** Statuses of a gateway in front of the node, which say nothing about the request. */
const AWAY = [502, 503, 504];
/** Of an answer: the transactions of a busy block are some megabytes. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function toncenterNode(options: {
  endpoint: NodeEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts all running calls. */
  closed: AbortSignal;
  time?: BudgetTime | undefined;
  /** Called with the reason when its index is not used for a while. */
  unfit?: (why: string) => void;
}): TonNode {
  const { endpoint } = options;
  const { label } = endpoint;
  const http = nodeHttp({ ...options, answerBytesMax: ANSWER_BYTES_MAX });
  let idsUsed = 0;

  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);

  async function call(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const id = String(++idsUsed);
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const { status, bytes } = await http.request({ method: 'POST', body });
    if (AWAY.includes(status)) throw fault(`HTTP ${status}`);
    const answer = parsed(bytes.toString('utf8'));
    if (answer === null) throw fault(status === 200 ? 'answered no JSON' : `HTTP ${status}`);
    if (answer.ok === true && 'result' in answer) return answer.result;
    if (answer.ok !== false) throw fault('answered in another shape than the API');
    const said = typeof answer.error === 'string' ? endpoint.redact(answer.error) : 'an error without a text';
    throw new RpcError(typeof answer.code === 'number' ? answer.code : status, `${label}: ${said}`);
  }

  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (running >= CALLS_AT_A_TIME) await new Promise<void>((resume) => waiting.push(resume));
    running += 1;
    try {
      return await ask();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }

  const index = tonIndex({ ...options, answerBytesMax: ANSWER_BYTES_MAX, inTurn });
  return {
    label,
    call: (method, params) => inTurn(() => call(method, params)),
    ...(index === null ? {} : { index }),
  };
}

/** Whether the error says that the node does not have the data: not yet, or no longer. */
export function lacksBlock(error: unknown): boolean {
  return (
    error instanceof NodeLagging ||
    (error instanceof RpcError && error.message.includes('LITE_SERVER_NOTREADY'))
  );
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
 * Some versions write amounts as numbers: one past 2^53 keeps its text. TypeScript's library does
 * not yet declare the third argument (JSON.parse source text access).
 */
function exactly(_key: string, value: unknown, context: { readonly source: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context.source : value;
}

/** The address of the API's JSON-RPC. A bare host, or the API's root, gets toncenter's path. */
export function withJsonRpcPath(address: NodeAddress): NodeAddress {
  return typeof address === 'string' ? jsonRpcUrl(address) : { ...address, url: jsonRpcUrl(address.url) };
}

function jsonRpcUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '' || path === '/api/v2') url.pathname = '/api/v2/jsonRPC';
  return url.href;
}
