/**
 * The facts about a chain. A fact that a chain lacks is null in its row, so that each gap is a
 * decision, and a forgotten fact does not compile.
 */

import { formatUnits, unitsOf } from '../money/decimal.ts';
import type { CoinSymbol } from './coins.ts';
import type { Family } from './family.ts';

export interface ChainFacts {
  readonly family: Family;
  /** Shown to people. */
  readonly label: string;
  /** Other names that merchants may use, in lower case. */
  readonly aliases: readonly string[];
  /** The chain's own coin, in which fees are paid. */
  readonly coin: CoinSymbol;
  /** Base units of a whole coin are 10^decimals. */
  readonly decimals: number;
  /** The exchanges' name for its tokens' network; null if there is none. */
  readonly tokenStandard: string | null;
  /** EIP-155 chain id of the main network; null outside evm. */
  readonly chainId: number | null;
  /** Blocks that make a block final where the node has no `finalized` tag or equivalent. */
  readonly confirmations: number;
  /** Pause between polls. */
  readonly pollMs: number;
  /**
   * The page of a transaction of the main network, with `{txid}` in its place. It is only linked.
   */
  readonly explorer: string | null;
  /** US dollars quoted as network fee without a node's price: enough in usual conditions. */
  readonly flatFeeUsd: string;
  /** Base units of the coin: the network does not relay a smaller payment. */
  readonly leastPaymentUnits: bigint;
  /**
   * The cost of collecting a deposit of the native coin, and of a token; null if it takes no
   * tokens.
   */
  readonly collecting: { readonly native: CollectingCost; readonly token: CollectingCost | null };
  /** Lists name its own coin behind its tokens, not before them. */
  readonly coinBehindTokens?: true;
  /** Null outside evm. */
  readonly evm: EvmFacts | null;
}

/** The cost of bringing a deposit to the hot wallet at usual fees (safety.md G10). */
export interface CollectingCost {
  /** Whole coins of the chain. */
  readonly amount: string;
  readonly how: string;
}

/** A block is final by the node's `finalized` tag unless confirmations are configured. */
export interface EvmFacts {
  readonly gas: {
    /** Least tip or gas price: below it, nodes drop transactions or delay them. */
    readonly floorGwei: string;
    /**
     * Nothing is signed above it unless configured. No chain ever had such prices for a whole day.
     */
    readonly ceilingGwei: string;
    /** How it charges for data on its layer 1, besides gas. */
    readonly dataFee: 'op-stack' | null;
  };
  /**
   * When a block is final: by epochs as Ethereum's (`epoch`), with the Ethereum block that holds
   * it, minutes later (`rollup`), or within seconds (`fast`).
   */
  readonly finality: 'epoch' | 'rollup' | 'fast';
  /** A poll rarely finds more than one block, and all blocks are read whole. */
  readonly slowBlocks: boolean;
}

type EvmRow<C extends CoinSymbol> = EvmFacts &
  Omit<ChainFacts, 'family' | 'decimals' | 'leastPaymentUnits' | 'evm'> & {
    readonly coin: C;
    readonly chainId: number;
    readonly collecting: { readonly native: CollectingCost; readonly token: CollectingCost };
  };

/** An EVM chain: it takes tokens, and its coin has 18 decimals. */
export function evm<const C extends CoinSymbol>({ gas, finality, slowBlocks, ...row }: EvmRow<C>) {
  return {
    ...row,
    family: 'evm',
    decimals: 18,
    leastPaymentUnits: 1n,
    evm: { gas, finality, slowBlocks },
  } as const;
}

/** The facts that all other chains lack. */
export const NOT_EVM = { chainId: null, evm: null } as const;

export const GWEI_DECIMALS = 9;
/** Gas of a coin transfer; and of a token transfer after the coin transfer that pays for it. */
const COIN_GAS = 21_000n;
const TOKEN_GAS = 65_000n;

/** The collecting cost at a usual gas price. */
export function gasAt(gwei: string) {
  const cost = (gas: bigint): string => formatUnits(gas * unitsOf(gwei, GWEI_DECIMALS), 18);
  return {
    native: { amount: cost(COIN_GAS), how: `21,000 gas at ${gwei} gwei` },
    token: {
      amount: cost(COIN_GAS + TOKEN_GAS),
      how: `86,000 gas: 21,000 to send the gas, 65,000 for the token, at ${gwei} gwei`,
    },
  };
}

/** The same with a fee for data, which is included: whole coins. */
export function gasAndDataAt(gwei: string, { native, token }: { native: string; token: string }) {
  return {
    native: { amount: native, how: `21,000 gas at ${gwei} gwei, and its data on ethereum` },
    token: { amount: token, how: `86,000 gas at ${gwei} gwei, and the data of both transactions` },
  };
}
