/**
 * One Tron node over its HTTP API: JSON posted to a path. Numbers in answers are kept as text,
 * since amounts are 64-bit integers. Every failure is a NodeError or an RpcError. Messages never
 * show a URL's credentials or the API key.
 */
import { member, parseNumbersAsText } from '../../../domain/money/lossless-json.ts';
import type { NodeEndpoint } from '../shared/nodes/node-endpoint.ts';
import { NodeError, RpcError } from '../shared/nodes/node-errors.ts';
import { nodeHttp } from '../shared/nodes/node-http.ts';

export interface TronNode {
  readonly label: string;
  /**
   * The answer of `wallet/...` (the newest state) or `walletsolidity/...` (the solidified state),
   * unchecked. Throws RpcError when the node refuses, NodeError when it cannot answer.
   */
  ask(path: `wallet/${string}` | `walletsolidity/${string}`, question?: object): Promise<unknown>;
}

/** Statuses by which a gateway refuses this request while it may serve others. */
const REFUSING_STATUSES = [400, 404, 405, 413];
/** Of an answer: a full block and the results of its transactions are some 2 MB each. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function tronNode(options: {
  endpoint: NodeEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts all running calls. */
  closed: AbortSignal;
}): TronNode {
  const { endpoint } = options;
  const { label } = endpoint;
  const http = nodeHttp({ ...options, answerBytesMax: ANSWER_BYTES_MAX });
  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);

  return {
    label,
    async ask(path, question = {}) {
      const request = { method: 'POST', path: `/${path}`, body: JSON.stringify(question) } as const;
      const { status, bytes } = await http.request(request);
      if (REFUSING_STATUSES.includes(status)) throw new RpcError(status, `${label}: ${path}: HTTP ${status}`);
      if (status !== 200) throw fault(`${path}: HTTP ${status}`);
      let answer: unknown;
      try {
        answer = parseNumbersAsText(bytes.toString('utf8'));
      } catch {
        throw fault(`${path}: answered no JSON`);
      }
      // java-tron answers 200 also for failed requests.
      const error = member(answer, 'Error');
      if (error !== undefined) throw new RpcError(0, `${label}: ${path}: ${endpoint.redact(String(error))}`);
      return answer;
    },
  };
}
