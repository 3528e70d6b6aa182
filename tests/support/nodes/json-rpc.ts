/**
 * JSON-RPC as tests ask the nodes themselves: one connection per call, since litecoind does not
 * stop while one is open.
 */

export type NodeRpc = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>;

const CALL_DEADLINE_MS = 30_000;

/** Calls to `url`, whose user and password go into the header; an error answer throws. */
export function nodeRpc(url: string): NodeRpc {
  const { username, password, host, pathname } = new URL(url);
  return async <T>(method: string, ...params: readonly unknown[]): Promise<T> => {
    const response = await fetch(`http://${host}${pathname}`, {
      method: 'POST',
      keepalive: false,
      headers: {
        connection: 'close',
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${username}:${password}`)}`,
      },
      body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
      signal: AbortSignal.timeout(CALL_DEADLINE_MS),
    });
    const answer = (await response.json()) as { result: T; error: { code: number; message: string } | null };
    if (answer.error !== null) throw new Error(`${method}: ${answer.error.code} ${answer.error.message}`);
    return answer.result;
  };
}
