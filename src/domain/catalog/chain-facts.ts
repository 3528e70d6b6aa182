/**
 * What is known of a chain. A fact that a chain lacks is null in its row: a hole is a decision, and
 * a forgotten one does not compile.
 */

import { formatUnits, unitsOf } from '../money/decimal.ts';
import type { CoinSymbol } from './coins.ts';
import type { Family } from './family.ts';

export interface ChainFacts {
  readonly family: Family;
  /** As people are shown it. */
  readonly label: string;
  /** What merchants may call it besides, in lower case. */
  readonly aliases: readonly string[];
  /** The chain's own coin, in which fees are paid. */
  readonly coin: CoinSymbol;
  /** Base units of a whole coin are 10^decimals. */
  readonly decimals: number;
  /** What exchanges call the network of a token there; null where nobody uses such a name. */
  readonly tokenStandard: string | null;
  /** EIP-155 chain id of the main network; null outside evm. */
  readonly chainId: number | null;
  /** Blocks that make a block final where the node has no `finalized` tag or equivalent. */
  readonly confirmations: number;
  /** How long its watcher rests between looks. */
  readonly pollMs: number;
  /**
   * The page of a transaction of the main network, with `{txid}` in its place. It is only linked.
   */
  readonly explorer: string | null;
  /** US dollars quoted as network fee where no node was asked: enough in usual conditions. */
  readonly flatFeeUsd: string;
  /** Base units of the coin: the network does not relay a smaller payment. */
  readonly leastPaymentUnits: bigint;
  /**
   * What collecting a deposit costs: of the chain's own coin, and of a token where tokens are
   * taken.
   */
  readonly collecting: { readonly native: CollectingCost; readonly token: CollectingCost | null };
  /** Lists name its own coin behind its tokens, not before them. */
  readonly coinBehindTokens?: true;
  /** Null outside evm. */
  readonly evm: EvmFacts | null;
}

/** Of bringing a deposit to where payouts are made from, at usual fees (safety.md G10). */
export interface CollectingCost {
  /** Whole coins of the chain. */
  readonly amount: string;
  readonly how: string;
}

/** A block is final by the node's `finalized` tag unless confirmations are configured. */
export interface EvmFacts {
  readonly gas: {
    /** Least tip, or gas price: below it, nodes of the chain drop transactions or let them wait. */
    readonly floorGwei: string;
    /**
     * Nothing is signed above it unless configured: no chain asked for so much a whole day long.
     */
    readonly ceilingGwei: string;
    /** What a transaction pays for its data on the chain below, on top of its gas. */
    readonly dataFee: 'op-stack' | null;
  };
  /**
   * When a block is final: with an epoch of Ethereum (`epoch`), with the blocks of Ethereum that
   * hold it, minutes later (`rollup`), or within seconds (`fast`).
   */
  readonly finality: 'epoch' | 'rollup' | 'fast';
  /** A poll seldom finds more than one block, and all are read whole. */
  readonly slowBlocks: boolean;
}

type EvmRow<C extends CoinSymbol> = EvmFacts &
  Omit<ChainFacts, 'family' | 'decimals' | 'leastPaymentUnits' | 'evm'> & {
    readonly coin: C;
    readonly chainId: number;
    readonly collecting: { readonly native: CollectingCost; readonly token: CollectingCost };
  };

/** Each of them takes tokens, and has a coin of 18 decimals. */
export function evm<const C extends CoinSymbol>({ gas, finality, slowBlocks, ...row }: EvmRow<C>) {
  return {
    ...row,
    family: 'evm',
    decimals: 18,
    leastPaymentUnits: 1n,
    evm: { gas, finality, slowBlocks },
  } as const;
}

/** What all chains outside evm lack. */
export const NOT_EVM = { chainId: null, evm: null } as const;

export const GWEI_DECIMALS = 9;
/** A coin's transfer; and a token's, behind that of the coin for its gas. */
const COIN_GAS = 21_000n;
const TOKEN_GAS = 65_000n;

/** Collecting at a usual price of gas. */
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

/** The same where the data is paid for besides: whole coins with the fee of the data. */
export function gasAndDataAt(gwei: string, { native, token }: { native: string; token: string }) {
  return {
    native: { amount: native, how: `21,000 gas at ${gwei} gwei, and its data on ethereum` },
    token: { amount: token, how: `86,000 gas at ${gwei} gwei, and the data of both transactions` },
  };
}
