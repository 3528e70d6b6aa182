/** A node of a test ledger: JSON-RPC over HTTP on a loopback port, batches too. Several nodes may serve one ledger. */
import type { Ledger } from './ledger.ts';
import { type NodeSettings, RpcFailure, rpcMethods } from './rpc.ts';

export const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
/** Of devnet: what is configured as the network `test`. */
const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

export interface SolanaNode {
  readonly url: string;
  readonly settings: NodeSettings;
  stop(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

export function startSolanaNode(ledger: Ledger, genesisHash: string = DEVNET_GENESIS): SolanaNode {
  const settings: NodeSettings = { genesisHash };
  const answerTo = rpcMethods(ledger, settings);

  function reply({ id, method, params = [] }: Call): object {
    try {
      return { jsonrpc: '2.0', id, result: answerTo(method, params) };
    } catch (error) {
      const { code = -32_603, data } = error instanceof RpcFailure ? error : { data: undefined };
      return { jsonrpc: '2.0', id, error: { code, message: (error as Error).message, data } };
    }
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Call | readonly Call[];
      const answer = Array.isArray(body) ? (body as readonly Call[]).map(reply) : reply(body as Call);
      return new Response(exactJson(answer), { headers: { 'content-type': 'application/json' } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    settings,
    stop: () => server.stop(true),
  };
}

/** Nodes write lamports as JSON numbers however large. */
function exactJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? rawNumber(part.toString()) : part,
  );
}

/** Part of the language, but not yet of the compiler's library. */
const rawNumber = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
