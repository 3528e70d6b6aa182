/**
 * A node of a test ledger: JSON-RPC over HTTP on a loopback port, batches too. Several nodes may
 * serve one ledger.
 */
import type { Ledger } from './ledger.ts';
import { type NodeSettings, RpcFailure, rpcMethods } from './rpc.ts';

export const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
/** Of devnet: what is configured as the network `test`. */
const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

export interface SolanaNode {
  readonly url: string;
  /**
   * Answers a request without a connection: what stands behind a provider in virtual time
   * (tests/support/providers).
   */
  answer(url: string, init: RequestInit): Promise<Response>;
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

  async function answer(_url: string, init: RequestInit): Promise<Response> {
    const asked = JSON.parse(String(init.body)) as Call | readonly Call[];
    const answered = Array.isArray(asked) ? (asked as readonly Call[]).map(reply) : reply(asked as Call);
    return new Response(exactJson(answered), { headers: { 'content-type': 'application/json' } });
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => answer(request.url, { body: await request.text() }),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    answer,
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
