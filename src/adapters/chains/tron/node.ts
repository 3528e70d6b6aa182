/**
 * One Tron node over its HTTP API: JSON posted to a path. Every number of an answer arrives as its text, since amounts are
 * 64-bit integers. Every failure is a NodeFault or an RpcError, and no message shows a URL's credentials or the API key.
 */
import { member, parseNumbersAsText } from '../../../domain/numbers-as-text.ts';
import { answerBytes } from '../shared/answer-bytes.ts';
import { NodeFault, RpcError } from '../shared/faults.ts';
import type { RpcEndpoint } from '../shared/rpc-endpoint.ts';

export interface TronNode {
  readonly label: string;
  /**
   * The answer of `wallet/...` (the newest state) or `walletsolidity/...` (the solidified state), unchecked. Throws RpcError
   * when the node refuses, NodeFault when it cannot answer.
   */
  ask(path: `wallet/${string}` | `walletsolidity/${string}`, question?: object): Promise<unknown>;
}

/** Statuses by which a gateway refuses this request while it may serve others. */
const REFUSING_STATUSES = [400, 404, 405, 413];
/** Of an answer: a full block and what became of its transactions are some 2 MB each. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function tronNode(options: {
  endpoint: RpcEndpoint;
  /** Sent as TronGrid wants it; null where no key is needed. */
  apiKey: string | null;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Aborts whatever is under way. */
  closed: AbortSignal;
}): TronNode {
  const { endpoint, apiKey, timeoutMs, closed } = options;
  const { label } = endpoint;
  const base = endpoint.url.replace(/\/+$/, '');
  const headers = { ...endpoint.headers, ...(apiKey === null ? {} : { 'tron-pro-api-key': apiKey }) };
  const fault = (problem: string): NodeFault => new NodeFault(`${label}: ${problem}`);
  const shown = (text: string): string =>
    endpoint.redact(apiKey === null ? text : text.replaceAll(apiKey, '***'));

  async function post(path: string, body: string): Promise<{ status: number; text: string }> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await options.fetch(`${base}/${path}`, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([timeout, closed]),
      });
      const bytes = await answerBytes(response, ANSWER_BYTES_MAX);
      if (bytes === null) throw fault(`${path}: the answer is too big`);
      return { status: response.status, text: bytes.toString('utf8') };
    } catch (error) {
      if (error instanceof NodeFault) throw error;
      // The message of a fetch error may contain the URL: only its class is repeated.
      if (closed.aborted) throw fault('this client was closed');
      throw fault(timeout.aborted ? 'timed out' : `connection failed (${errorClass(error)})`);
    }
  }

  return {
    label,
    async ask(path, question = {}) {
      const { status, text } = await post(path, JSON.stringify(question));
      if (REFUSING_STATUSES.includes(status)) throw new RpcError(status, `${label}: ${path}: HTTP ${status}`);
      if (status !== 200) throw fault(`${path}: HTTP ${status}`);
      let answer: unknown;
      try {
        answer = parseNumbersAsText(text);
      } catch {
        throw fault(`${path}: answered no JSON`);
      }
      // java-tron answers 200 to whatever it could not do.
      const error = member(answer, 'Error');
      if (error !== undefined) throw new RpcError(0, `${label}: ${path}: ${shown(String(error))}`);
      return answer;
    },
  };
}

function errorClass(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
}
