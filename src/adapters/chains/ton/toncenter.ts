/**
 * One node that speaks toncenter's API v2: JSON-RPC with named parameters, errors as a text. Every failure is a NodeError or an
 * RpcError, and no message shows a URL, its credentials or the API key. Where it speaks version 3 as well, both share its budget.
 */
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import type { NodeAddress, NodeEndpoint } from '../shared/nodes/node-endpoint.ts';
import { NodeError, NodeLagging, RpcError } from '../shared/nodes/node-errors.ts';
import { nodeHttp } from '../shared/nodes/node-http.ts';
import { type TonIndex, tonIndex } from './index-api.ts';

export interface TonNode {
  readonly label: string;
  /** The result, unchecked. Throws RpcError when the node refuses, NodeError when it cannot answer. */
  call(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Its index of the chain; absent where none can be beside it. */
  readonly index?: TonIndex;
}

/** The rest waits for its turn: public services allow some ten calls a second with a key. */
const CALLS_AT_A_TIME = 8;
/** Statuses of a gateway in front of the node that say nothing about the question. */
const AWAY = [502, 503, 504];
/** Of an answer: the transactions of a busy block are some megabytes. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function toncenterNode(options: {
  endpoint: NodeEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
  time?: BudgetTime | undefined;
  /** Hears why its index is not used for a while. */
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

/** Whether the node says by it that it does not have what was asked: not yet, or not any more. */
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
 * Some versions write amounts as numbers: one past 2^53 stays the text that it was. The third argument is part of the language
 * (JSON.parse source text access) but not yet of the compiler's library.
 */
function exactly(_key: string, value: unknown, context: { readonly source: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? context.source : value;
}

/** The address of the API's JSON-RPC: a host alone, or the API's own root, get the path that toncenter has. */
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
