/**
 * Starts real EVM nodes (anvil) for tests: loopback, a free port each, blocks only on demand, gone
 * when the process ends.
 */
import { existsSync } from 'node:fs';
import { HDNodeWallet } from 'ethers';
import { startRpcProxy } from '../chains/rpc-proxy.ts';
import { endsWithUs } from '../runtime/ends-with-us.ts';

const START_DEADLINE_MS = 60_000;
/**
 * anvil 1.7.1 was seen to stop answering for good under concurrent calls, once in a hundred drills:
 * a test then says so.
 */
const CALL_DEADLINE_MS = 60_000;
const PACKAGED = `${import.meta.dir}/../../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil`;
const PHRASE = 'test test test test test test test test test test test junk';

export interface Anvil {
  readonly url: string;
  readonly chainId: number;
  /** Funded accounts; the node itself signs for them in `eth_sendTransaction`. */
  readonly accounts: readonly { address: string; privateKey: string }[];
  /** One JSON-RPC call; an error answer throws. */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Appends `count` blocks; the first takes the waiting transactions. */
  mine(count?: number): Promise<void>;
  /**
   * Replaces the last `depth` blocks by as many; `transactions` are [raw transaction, block of the
   * new ones] pairs.
   */
  reorg(depth: number, transactions?: readonly (readonly [string, number])[]): Promise<void>;
  stop(): Promise<void>;
}

function binary(): string | null {
  return existsSync(PACKAGED) ? PACKAGED : Bun.which('anvil');
}

/** Whether this machine can run anvil: for `needs('anvil', anvilAvailable())`. */
export function anvilAvailable(): boolean {
  return binary() !== null;
}

/**
 * A node of its own. Blocks come by `mine`, or every `blockTimeSeconds`. With `hardfork: 'berlin'`
 * they have no base fee. With `noTrace` the node is seen through a proxy that refuses debug_* and
 * trace_*, as most public nodes do.
 */
export async function startAnvil(
  options: {
    chainId?: number;
    blockTimeSeconds?: number;
    noTrace?: boolean;
    hardfork?: 'berlin';
    /** Unix seconds of the first block, whose hash follows from it. */
    genesisTime?: number;
  } = {},
): Promise<Anvil> {
  const { chainId = 31_337, blockTimeSeconds, noTrace = false, hardfork, genesisTime } = options;
  const program = binary();
  if (program === null) throw new Error('anvil is not installed');
  const mining = blockTimeSeconds === undefined ? ['--no-mining'] : ['--block-time', `${blockTimeSeconds}`];
  const node = Bun.spawn(
    [
      program,
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--chain-id',
      `${chainId}`,
      '--slots-in-an-epoch',
      '1',
      ...mining,
      ...(hardfork === undefined ? [] : ['--hardfork', hardfork]),
      ...(genesisTime === undefined ? [] : ['--timestamp', `${genesisTime}`]),
    ],
    { stdout: 'pipe', stderr: 'ignore', stdin: 'ignore' },
  );
  const kill = (): void => node.kill('SIGKILL');
  endsWithUs(node);
  const url = await listeningUrl(node.stdout).catch((error: unknown) => {
    kill();
    throw error;
  });
  const proxy = noTrace ? await startRpcProxy(url) : null;
  proxy?.behave({ refuse: ['debug_', 'trace_'] });
  const rpc = <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    rpcCall(url, method, params);
  return {
    url: proxy?.url ?? url,
    chainId,
    accounts: Array.from({ length: 10 }, (_, index) =>
      HDNodeWallet.fromPhrase(PHRASE, '', `m/44'/60'/0'/0/${index}`),
    ),
    rpc,
    mine: async (count = 1) => {
      await rpc('anvil_mine', [`0x${count.toString(16)}`]);
    },
    reorg: async (depth, transactions = []) => {
      await rpc('anvil_reorg', [depth, transactions]);
    },
    stop: async () => {
      kill();
      await Promise.all([node.exited, proxy?.stop()]);
    },
  };
}

/**
 * Waits for the line that tells the port, then keeps draining the output so that the node never
 * blocks on it.
 */
function listeningUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(new Error('anvil did not start in time')), START_DEADLINE_MS);
    const drain = async (): Promise<void> => {
      let heard = '';
      const decoder = new TextDecoder();
      for await (const chunk of output) {
        if (heard === 'all') continue;
        heard += decoder.decode(chunk);
        const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(heard)?.[1];
        if (port === undefined) continue;
        heard = 'all';
        clearTimeout(deadline);
        resolve(`http://127.0.0.1:${port}`);
      }
      reject(new Error(`anvil ended: ${heard.slice(-200)}`));
    };
    void drain().catch(reject);
  });
}

async function rpcCall<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(CALL_DEADLINE_MS),
  }).catch((error: unknown) => {
    throw new Error(`anvil did not answer ${method}: ${String(error)}`);
  });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result as T;
}
