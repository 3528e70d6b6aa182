/** One Esplora server over HTTP: texts, JSON and bytes by path. No message shows the URL's credentials. */
import { NodeFault, RpcError } from '../shared/faults.ts';
import type { RpcEndpoint } from '../shared/rpc-endpoint.ts';
import { parseKeepingDecimals } from './rpc-json.ts';

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

export function esploraHttp(options: {
  endpoint: RpcEndpoint;
  timeoutMs: number;
  fetch: typeof fetch;
  closed: AbortSignal;
}): EsploraHttp {
  const { endpoint, timeoutMs, closed } = options;
  const { label, headers } = endpoint;
  const base = endpoint.url.replace(/\/+$/, '');
  const fault = (problem: string): NodeFault => new NodeFault(`${label}: ${problem}`);

  async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: Uint8Array }> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await options.fetch(`${base}/${path}`, {
        ...init,
        headers: { ...headers, 'content-type': 'text/plain' },
        redirect: 'manual',
        signal: AbortSignal.any([timeout, closed]),
      });
      return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      // The message of a fetch error may contain the URL: only its class is repeated.
      if (closed.aborted) throw fault('this client was closed');
      throw fault(
        timeout.aborted
          ? 'timed out'
          : `connection failed (${error instanceof Error ? error.name : 'unknown'})`,
      );
    }
  }

  async function bytes(path: string): Promise<Uint8Array | null> {
    const { status, body } = await ask(path);
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
      const answer = await ask(path, { method: 'POST', body });
      const said = Buffer.from(answer.body).toString('utf8').trim();
      if (answer.status === 200) return { text: said };
      if (answer.status === 400) return { refused: endpoint.redact(said) };
      throw fault(`HTTP ${answer.status}`);
    },
  };
}
