/** One chain of each family behind the plan of a real provider, as busy as the real one. */
import type { NodeSettings } from '../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import type { MakeChain } from '../followed.ts';
import {
  ALCHEMY_FREE,
  HELIUS_FREE,
  type Plan,
  PUBLIC_RIPPLED,
  QUICKNODE_FREE,
  TONCENTER_FREE,
  TRONGRID,
} from '../plans.ts';
import { type CoinShape, coinChain } from './coins.ts';
import { type EvmShape, evmChain } from './evm.ts';
import { SOLANA_BLOCK_MS, solanaChain } from './solana.ts';
import { TON_BLOCK_MS, tonChain } from './ton.ts';
import { TRON_BLOCK_MS, tronChain } from './tron.ts';
import { XRP_BLOCK_MS, xrpChain } from './xrp.ts';

export interface ChainOnPlan {
  readonly chain: string;
  /** Beside another of the same chain. */
  readonly label?: string;
  readonly plan: Plan;
  readonly blockMs: number;
  /** What operators are told to configure of the plan, where reading depends on it. */
  readonly settings?: Partial<NodeSettings>;
  /**
   * `watched` addresses, of which one is paid in each `payEvery` blocks (0: never); `busy`: with as
   * many strangers' payments as usual.
   */
  make(given: { watched: number; payEvery: number; busy: boolean }): MakeChain;
}

const evm = (shape: Omit<EvmShape, 'watched' | 'payEvery'>): ChainOnPlan => ({
  ...{ chain: shape.chain, plan: ALCHEMY_FREE, blockMs: shape.blockMs },
  make: ({ busy, ...given }) =>
    evmChain({ ...shape, ...given, ...(busy ? {} : { transactions: 4, tokenTransfers: 2 }) }),
});

const coins = (shape: Omit<CoinShape, 'watched' | 'payEvery'>): ChainOnPlan => ({
  ...{ chain: shape.chain, plan: QUICKNODE_FREE, blockMs: shape.blockMs },
  settings: { maxRps: QUICKNODE_FREE.perSecond },
  make: ({ busy, ...given }) =>
    coinChain({ ...shape, ...given, ...(busy ? {} : { transactions: 4, waiting: 3, newASecond: 0 }) }),
});

const tron: ChainOnPlan = {
  ...{ chain: 'tron', plan: TRONGRID, blockMs: TRON_BLOCK_MS },
  make: ({ busy, ...given }) =>
    tronChain({ ...given, ...(busy ? { coins: 80, tokens: 120 } : { coins: 2, tokens: 2 }) }),
};

const solana: ChainOnPlan = {
  ...{ chain: 'solana', plan: HELIUS_FREE, blockMs: SOLANA_BLOCK_MS },
  make: ({ busy, ...given }) =>
    solanaChain({ ...given, ...(busy ? { votes: 800, calls: 500 } : { votes: 2, calls: 1 }) }),
};

const ton: ChainOnPlan = {
  ...{ chain: 'ton', plan: TONCENTER_FREE, blockMs: TON_BLOCK_MS },
  make: tonChain,
};

const xrp: ChainOnPlan = {
  ...{ chain: 'xrp', plan: PUBLIC_RIPPLED, blockMs: XRP_BLOCK_MS },
  make: xrpChain,
};

const ETHEREUM = {
  chain: 'ethereum',
  blockMs: 12_000,
  transactions: 200,
  tokenTransfers: 60,
  finalBehind: 64,
};

export const CHAINS_ON_PLANS: readonly ChainOnPlan[] = [
  evm(ETHEREUM),
  evm({ chain: 'bsc', blockMs: 450, transactions: 80, tokenTransfers: 40, finalBehind: 3 }),
  evm({ chain: 'arbitrum', blockMs: 250, transactions: 8, tokenTransfers: 2, finalBehind: 3_000 }),
  tron,
  solana,
  ton,
  xrp,
  coins({ chain: 'bitcoin', blockMs: 600_000, transactions: 3_000, waiting: 20_000, newASecond: 5 }),
  coins({ chain: 'litecoin', blockMs: 150_000, transactions: 150, waiting: 1_000, newASecond: 1 }),
];

/** The other chains of EVM, too, which are read alike, and Ethereum at a node that traces. */
export const EVERY_CHAIN: readonly ChainOnPlan[] = [
  ...CHAINS_ON_PLANS,
  { ...evm({ ...ETHEREUM, traces: true }), label: 'ethereum, traced' },
  evm({ chain: 'base', blockMs: 2_000, transactions: 200, tokenTransfers: 60, finalBehind: 600 }),
  evm({ chain: 'polygon', blockMs: 2_000, transactions: 100, tokenTransfers: 40, finalBehind: 3 }),
  evm({ chain: 'optimism', blockMs: 2_000, transactions: 40, tokenTransfers: 10, finalBehind: 600 }),
  evm({ chain: 'avalanche', blockMs: 1_500, transactions: 20, tokenTransfers: 5, finalBehind: 1 }),
];
