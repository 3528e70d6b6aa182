/**
 * One chain seen by a tracing scanner and by a blind one, and the payments of the safety catalogue:
 * the stage for E1 to E11.
 */
import { afterAll, beforeAll } from 'bun:test';
import { type EvmScannerOptions, evmScanner } from '../../../src/adapters/chains/evm/read/scanner.ts';
import type { ChainScanner, Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import { type RpcProxy, startRpcProxy } from '../chains/rpc-proxy.ts';
import { watching } from '../chains/watch-list.ts';
import { type EvmLab, openEvmLab, recordingLogger } from './evm-lab.ts';

interface Stage {
  readonly lab: EvmLab;
  readonly noTrace: RpcProxy;
  readonly tracing: ChainScanner;
  readonly blind: ChainScanner;
}

export interface PaymentsStage {
  readonly lab: EvmLab;
  /** Its node traces. */
  readonly tracing: ChainScanner;
  /** Its node does not: it reconciles balances. */
  readonly blind: ChainScanner;
  /** Another scanner of the chain; closed at the end. */
  readonly open: (changes: Partial<EvmScannerOptions>) => ChainScanner;
  /** What the last `depth` blocks pay to `addresses`, all of which also expect the native coin. */
  readonly paid: (
    addresses: readonly string[],
    scanner?: ChainScanner,
    depth?: number,
  ) => Promise<readonly Transfer[]>;
  /** `0x1` or `0x0` of a mined transaction. */
  readonly statusOf: (txid: string) => Promise<string>;
  readonly router: (method: string, args: readonly unknown[], value: bigint) => Promise<string>;
  readonly tether: (method: string, args: readonly unknown[]) => Promise<string>;
  readonly usdc: (method: string, args: readonly unknown[]) => Promise<string>;
  /** A Transfer event without a transfer. */
  readonly spoof: (method: 'spoof' | 'spoofShape', to: string, units: bigint) => Promise<string>;
}

/**
 * Registers the hooks that start and stop the node around the tests of the describe block it is
 * called in.
 */
export function stagePayments(): PaymentsStage {
  let stage: Stage | null = null;
  const opened: ChainScanner[] = [];
  const started = (): Stage => {
    if (stage === null) throw new Error('the node starts in beforeAll');
    return stage;
  };
  const openOn = (lab: EvmLab, changes: Partial<EvmScannerOptions>): ChainScanner => {
    const scanner = evmScanner({
      chain: 'ethereum',
      chainId: lab.anvil.chainId,
      rpc: [lab.anvil.url],
      finality: { confirmations: null },
      nativeAsset: 'eth_ethereum',
      tokens: [
        { asset: 'usdt_ethereum', contract: lab.contracts.tether, decimals: 6 },
        { asset: 'usdc_ethereum', contract: lab.contracts.usdc, decimals: 6 },
      ],
      logger: recordingLogger(),
      ...changes,
    });
    opened.push(scanner);
    return scanner;
  };

  beforeAll(async () => {
    const lab = await openEvmLab();
    const noTrace = await startRpcProxy(lab.anvil.url);
    noTrace.behave({ refuse: ['debug_', 'trace_'] });
    stage = { lab, noTrace, tracing: openOn(lab, {}), blind: openOn(lab, { rpc: [noTrace.url] }) };
  });
  afterAll(async () => {
    await Promise.all(opened.map((scanner) => scanner.close()));
    await started().noTrace.stop();
    await started().lab.anvil.stop();
  });

  const onContract =
    (contract: 'tether' | 'usdc', name: 'TetherLikeToken' | 'OrdinaryToken') =>
    (method: string, args: readonly unknown[]): Promise<string> => {
      const { lab } = started();
      return lab.send({ to: lab.contracts[contract], data: lab.call(name, method, args) });
    };
  return {
    get lab() {
      return started().lab;
    },
    get tracing() {
      return started().tracing;
    },
    get blind() {
      return started().blind;
    },
    open: (changes) => openOn(started().lab, changes),
    paid: async (addresses, scanner = started().tracing, depth = 1) => {
      const { height } = (await scanner.head()).tip;
      const range = { from: height - depth + 1, to: height };
      const blocks = await scanner.blocks(range, watching(addresses, addresses));
      return blocks.flatMap(({ transfers }) => transfers);
    },
    statusOf: async (txid) => {
      const { anvil } = started().lab;
      return (await anvil.rpc<{ status: string }>('eth_getTransactionReceipt', [txid])).status;
    },
    router: (method, args, value) => {
      const { lab } = started();
      return lab.send({ to: lab.contracts.router, data: lab.call('Router', method, args), value });
    },
    tether: onContract('tether', 'TetherLikeToken'),
    usdc: onContract('usdc', 'OrdinaryToken'),
    spoof: (method, to, units) => {
      const { lab } = started();
      const data = lab.call('SpoofingToken', method, [lab.anvil.accounts[3]!.address, to, units]);
      return lab.send({ to: lab.contracts.spoofing, data });
    },
  };
}
