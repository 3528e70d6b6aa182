/** What a node over JSON-RPC answers to one call. */
import type { RpcCall } from '../provider.ts';

/** What the node refuses, in its own words. */
export class RefusedCall extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function answerCall(
  init: RequestInit,
  answerTo: (method: string, params: readonly unknown[]) => unknown,
): Promise<Response> {
  const { id, method, params = [] }: RpcCall = JSON.parse(String(init.body));
  try {
    return Response.json({ jsonrpc: '2.0', id, result: answerTo(method, params as readonly unknown[]) });
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    return Response.json({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message } });
  }
}
