/**
 * One Esplora server over HTTP: texts, JSON and bytes by path. No message shows the URL's
 * credentials.
 */

import type { NodeEndpoint } from '../../shared/nodes/node-endpoint.ts';
import { NodeError, RpcError } from '../../shared/nodes/node-errors.ts';
import { nodeHttp } from '../../shared/nodes/node-http.ts';
import { parseKeepingDecimals } from '../rpc/json.ts';

export interface EsploraHttp {
  readonly label: string;
  /** Null: the server has no such thing (404, or 400 for what it cannot read). */
  bytes(path: string): Promise<Uint8Array | null>;
  text(path: string): Promise<string | null>;
  json(path: string): Promise<unknown>;
  /** The answer's text, or the reason of a refusal. */
  post(path: string, body: string): Promise<{ readonly text: string } | { readonly refused: string }>;
}

const NOT_THERE = [400, 404];
/** Of an answer: a block is 4 MB, one of Bitcoin Cash 32. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export function esploraHttp(options: {
  endpoint: NodeEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  closed: AbortSignal;
}): EsploraHttp {
  const { endpoint } = options;
  const { label } = endpoint;
  const http = nodeHttp({ ...options, answerBytesMax: ANSWER_BYTES_MAX });
  const fault = (problem: string): NodeError => new NodeError(`${label}: ${problem}`);
  const headers = { 'content-type': 'text/plain' };

  async function bytes(path: string): Promise<Uint8Array | null> {
    const { status, bytes: body } = await http.request({ method: 'GET', path: `/${path}`, headers });
    if (status === 200) return body;
    if (NOT_THERE.includes(status)) return null;
    throw status === 403 || status === 405
      ? new RpcError(status, `${label}: HTTP ${status}`)
      : fault(`HTTP ${status}`);
  }

  async function text(path: string): Promise<string | null> {
    const body = await bytes(path);
    return body && Buffer.from(body).toString('utf8').trim();
  }

  return {
    label,
    bytes,
    text,
    json: async (path) => {
      const answer = await text(path);
      if (answer === null) return null;
      try {
        return parseKeepingDecimals(answer);
      } catch {
        throw fault('answered no JSON');
      }
    },
    post: async (path, body) => {
      const answer = await http.request({ method: 'POST', path: `/${path}`, headers, body });
      const said = answer.bytes.toString('utf8').trim();
      if (answer.status === 200) return { text: said };
      if (answer.status === 400) return { refused: endpoint.redact(said) };
      throw fault(`HTTP ${answer.status}`);
    },
  };
}
