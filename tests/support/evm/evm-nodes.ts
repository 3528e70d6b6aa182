/**
 * A chain, a rival branch of it, a chain of another id, and two proxies in front of the first: the
 * stage for node trouble.
 */

import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';
import { type EvmScannerOptions, evmScanner } from '../../../src/adapters/chains/evm/read/scanner.ts';
import type { ChainScanner } from '../../../src/ports/chains/chain-scanner.ts';
import type { LogEvent } from '../../../src/ports/runtime/log-events.ts';
import { type RpcProxy, startRpcProxy } from '../chains/rpc-proxy.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { type EvmLab, type LogLine, openEvmLab, recordingLogger } from './evm-lab.ts';

export const LONG_MS = 600_000;

interface Nodes {
  readonly lab: EvmLab;
  /** Same chain id, other blocks. */
  readonly rival: Anvil;
  /** Chain id 56. */
  readonly stranger: Anvil;
  readonly first: RpcProxy;
  readonly second: RpcProxy;
}

export interface NodesStage {
  readonly nodes: Nodes;
  /** A scanner over both proxies in which a failed node rests long; closed after the test. */
  readonly open: (changes?: Partial<EvmScannerOptions>) => ChainScanner;
  /** Log lines since the test began. */
  readonly lines: () => readonly LogLine[];
  /** Messages of one level. */
  readonly logged: (level: LogLine['level']) => readonly LogEvent[];
}

/**
 * Registers the hooks that start, reset and stop everything around the tests of the describe block
 * it is called in.
 */
export function stageNodes(): NodesStage {
  let nodes: Nodes | null = null;
  let logger = recordingLogger();
  const opened: ChainScanner[] = [];
  const started = (): Nodes => {
    if (nodes === null) throw new Error('the nodes start in beforeAll');
    return nodes;
  };

  beforeAll(async () => {
    const [lab, rival, stranger] = await Promise.all([
      openEvmLab(),
      startAnvil(),
      startAnvil({ chainId: 56 }),
    ]);
    const [first, second] = await Promise.all([startRpcProxy(lab.anvil.url), startRpcProxy(lab.anvil.url)]);
    await Promise.all([lab.mine(20), rival.mine(40), stranger.mine(40)]);
    nodes = { lab, rival, stranger, first, second };
  });
  beforeEach(() => {
    started().first.behave({});
    started().second.behave({});
    logger = recordingLogger();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((scanner) => scanner.close()));
  });
  afterAll(async () => {
    const { lab, rival, stranger, first, second } = started();
    await Promise.all([first.stop(), second.stop(), lab.anvil.stop(), rival.stop(), stranger.stop()]);
  });

  return {
    get nodes() {
      return started();
    },
    open: (changes = {}) => {
      const { lab, first, second } = started();
      const scanner = evmScanner({
        chain: 'ethereum',
        chainId: lab.anvil.chainId,
        rpc: [first.url, second.url],
        finality: { confirmations: 3 },
        nativeAsset: 'eth_ethereum',
        tokens: [{ asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 }],
        logger,
        timing: { coolDownMs: LONG_MS, finalityMs: 0, pendingMs: 0, lagMs: 0 },
        ...changes,
      });
      opened.push(scanner);
      return scanner;
    },
    lines: () => logger.lines,
    logged: (level) => logger.lines.filter((line) => line.level === level).map(({ event }) => event),
  };
}
