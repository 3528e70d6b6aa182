/** One chain of each family behind the plan of a real provider, as busy as the real one. */
import type { MakeChain } from '../followed.ts';
import { ALCHEMY_FREE, type Plan, QUICKNODE_FREE } from '../plans.ts';
import { type CoinShape, coinChain } from './coins.ts';
import { type EvmShape, evmChain } from './evm.ts';

export interface ChainOnPlan {
  readonly chain: string;
  readonly plan: Plan;
  readonly blockMs: number;
  /** `watched` addresses, of which one is paid in each `payEvery` blocks (0: never); `busy`: with as many strangers' payments as usual. */
  make(given: { watched: number; payEvery: number; busy: boolean }): MakeChain;
}

const evm = (shape: Omit<EvmShape, 'watched' | 'payEvery'>): ChainOnPlan => ({
  ...{ chain: shape.chain, plan: ALCHEMY_FREE, blockMs: shape.blockMs },
  make: ({ busy, ...given }) =>
    evmChain({ ...shape, ...given, ...(busy ? {} : { transactions: 4, tokenTransfers: 2 }) }),
});

const coins = (shape: Omit<CoinShape, 'watched' | 'payEvery'>): ChainOnPlan => ({
  ...{ chain: shape.chain, plan: QUICKNODE_FREE, blockMs: shape.blockMs },
  make: ({ busy, ...given }) =>
    coinChain({ ...shape, ...given, ...(busy ? {} : { transactions: 4, waiting: 3, newASecond: 0 }) }),
});

export const CHAINS_ON_PLANS: readonly ChainOnPlan[] = [
  evm({ chain: 'ethereum', blockMs: 12_000, transactions: 200, tokenTransfers: 60, finalBehind: 64 }),
  evm({ chain: 'bsc', blockMs: 450, transactions: 80, tokenTransfers: 40, finalBehind: 3 }),
  evm({ chain: 'arbitrum', blockMs: 250, transactions: 8, tokenTransfers: 2, finalBehind: 3_000 }),
  coins({ chain: 'bitcoin', blockMs: 600_000, transactions: 3_000, waiting: 20_000, newASecond: 5 }),
  coins({ chain: 'litecoin', blockMs: 150_000, transactions: 150, waiting: 1_000, newASecond: 1 }),
];
