/**
 * Gas prices from a node (EIP-1559 where blocks have a base fee, else one gas price), and the pure
 * rules for a transaction's fee fields: from these prices, the transaction that is replaced, the
 * ceiling and the wallet.
 */

import { evmFacts } from '../../../../domain/catalog/chain.ts';
import { GWEI_DECIMALS } from '../../../../domain/catalog/chain-facts.ts';
import { unitsOf } from '../../../../domain/money/decimal.ts';
import { larger, smaller } from '../../../../domain/money/larger.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { quantity } from '../decode.ts';
import { type GasFees, highestPrice } from './transaction.ts';

/** Present prices in wei per unit of gas. */
export type GasMarket =
  | { readonly kind: 'dynamic'; readonly basePerGas: bigint; readonly tipPerGas: bigint }
  | { readonly kind: 'legacy'; readonly gasPrice: bigint };

export interface EvmFeePolicy {
  /**
   * Least tip (gas price on a legacy chain), even if the node returns less: what validators
   * require. Wei per gas.
   */
  readonly floorPerGas: bigint;
  /** Highest price that is ever signed. Wei per gas; null for no limit. */
  readonly ceilingPerGas: bigint | null;
}

/** As the catalog says, unless configuration says otherwise. */
export function usualPolicy(chain: string): EvmFeePolicy {
  const { floorGwei, ceilingGwei } = evmFacts(chain).gas;
  return {
    floorPerGas: unitsOf(floorGwei, GWEI_DECIMALS),
    ceilingPerGas: unitsOf(ceilingGwei, GWEI_DECIMALS),
  };
}

const HISTORY_BLOCKS = 20;
/** The percentile of tips: the median by gas used. */
const TIP_PERCENTILE = 50;

export interface BlockMarket {
  readonly market: GasMarket;
  /** Most gas that all transactions of a block may take. */
  readonly blockGas: bigint;
}

/**
 * The prices at the node's tip. Tip and gas price are at least `floorPerGas`. RpcError when the
 * node returns no price.
 */
export async function readMarket(node: RpcNode, floorPerGas: bigint): Promise<BlockMarket> {
  const [latest, history, gasPrice, suggestedTip] = await node.outcomes([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    {
      method: 'eth_feeHistory',
      params: [`0x${HISTORY_BLOCKS.toString(16)}`, 'latest', [TIP_PERCENTILE]],
    },
    { method: 'eth_gasPrice', params: [] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
  ]);
  if ('error' in latest!) throw latest.error;
  const { baseFeePerGas, gasLimit } = fields(latest!.result, 'block');
  const blockGas = quantity(gasLimit, 'block gasLimit');
  if (baseFeePerGas == null) {
    if ('error' in gasPrice!) throw gasPrice.error;
    const price = larger(quantity(gasPrice!.result, 'gas price'), floorPerGas);
    return { market: { kind: 'legacy', gasPrice: price }, blockGas };
  }
  const base = quantity(baseFeePerGas, 'block baseFeePerGas');
  if ('result' in history! && history.result !== null) {
    const told = readHistory(history.result);
    const basePerGas = larger(told.nextBase ?? 0n, base);
    const tipPerGas = larger(told.tip ?? 0n, floorPerGas);
    return { market: { kind: 'dynamic', basePerGas, tipPerGas }, blockGas };
  }
  const tip = 'result' in suggestedTip! ? quantity(suggestedTip.result, 'priority fee') : floorPerGas;
  return { market: { kind: 'dynamic', basePerGas: base, tipPerGas: larger(tip, floorPerGas) }, blockGas };
}

/**
 * The next block's base fee, and the median tip of recent blocks with transactions; null where the
 * node returns none.
 */
function readHistory(answer: unknown): { nextBase: bigint | null; tip: bigint | null } {
  const history = fields(answer, 'fee history');
  const bases = list(history.baseFeePerGas, 'fee history baseFeePerGas');
  const ratios = list(history.gasUsedRatio, 'fee history gasUsedRatio');
  const rewards = history.reward == null ? [] : list(history.reward, 'fee history reward');
  const tips = rewards
    .filter((_, position) => Number(ratios[position]) > 0)
    .map((reward) => quantity(list(reward, 'fee history reward')[0], 'fee history reward'))
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const nextBase = bases.at(-1);
  return {
    nextBase: nextBase === undefined ? null : quantity(nextBase, 'fee history baseFeePerGas'),
    tip: tips[Math.floor((tips.length - 1) / 2)] ?? null,
  };
}

/** Wei per gas that a transaction pays if it is mined now. */
export function presentPrice(market: GasMarket): bigint {
  return market.kind === 'dynamic' ? market.basePerGas + market.tipPerGas : market.gasPrice;
}

/** Wei per gas to set aside before the transaction is written: prices may rise until then. */
export function reservedPrice(market: GasMarket, policy: EvmFeePolicy): bigint {
  const raised =
    market.kind === 'dynamic' ? highestPrice(roomyFees(market)) : (market.gasPrice * 3n + 1n) / 2n;
  const { ceilingPerGas } = policy;
  return ceilingPerGas === null ? raised : larger(smaller(raised, ceilingPerGas), presentPrice(market));
}

/** Enough for the block after next: the base fee grows by an eighth per full block (EIP-1559). */
function leastFees(market: GasMarket): GasFees {
  if (market.kind === 'legacy') return market;
  const { basePerGas, tipPerGas } = market;
  return {
    kind: 'dynamic',
    maxFeePerGas: raisedByAnEighth(basePerGas) + tipPerGas,
    maxPriorityFeePerGas: tipPerGas,
  };
}

/** Enough for six full blocks in a row. Gas that is not needed is not paid. */
function roomyFees(market: GasMarket): GasFees {
  if (market.kind === 'legacy') return market;
  const { basePerGas, tipPerGas } = market;
  return { kind: 'dynamic', maxFeePerGas: 2n * basePerGas + tipPerGas, maxPriorityFeePerGas: tipPerGas };
}

/**
 * Nodes require 10 % more in both fields (some 12.5 %), and at least one wei (safety.md, "Paid
 * once").
 */
function bumpedFees(fees: GasFees): GasFees {
  const bumped = (price: bigint): bigint => larger(raisedByAnEighth(price), price + 1n);
  if (fees.kind === 'legacy') return { kind: 'legacy', gasPrice: bumped(fees.gasPrice) };
  return {
    kind: 'dynamic',
    maxFeePerGas: bumped(fees.maxFeePerGas),
    maxPriorityFeePerGas: bumped(fees.maxPriorityFeePerGas),
  };
}

export type ChosenFees = { readonly fees: GasFees } | { readonly lacking: 'money' | 'ceiling' | 'patience' };

/**
 * The fee fields of a transaction. They leave room for rising prices as far as ceiling and wallet
 * allow, and are never below present prices or below what replaces `replaced`. A replacement is of
 * the same type as the replaced transaction, since nodes compare fields. `affordablePerGas` is the
 * wei per gas that the wallet has. A `slow` transaction that already offers twice the market is not
 * raised: something else holds it up, and raising it again and again would drain the wallet.
 */
export function chooseFees(options: {
  market: GasMarket;
  replaced: GasFees | null;
  /** Whether it is replaced because it waits long, and not because it must not be mined. */
  slow: boolean;
  ceilingPerGas: bigint | null;
  affordablePerGas: bigint;
}): ChosenFees {
  const { replaced, slow, ceilingPerGas, affordablePerGas } = options;
  const market = replaced === null ? options.market : marketFor(replaced.kind, options.market);
  if (slow && replaced !== null && outbids(replaced, market)) return { lacking: 'patience' };
  const bump = replaced === null ? null : bumpedFees(replaced);
  const least = fieldwiseLarger(leastFees(market), bump);
  const roomy = fieldwiseLarger(roomyFees(market), bump);
  if (ceilingPerGas !== null && highestPrice(least) > ceilingPerGas) return { lacking: 'ceiling' };
  if (highestPrice(least) > affordablePerGas) return { lacking: 'money' };
  const limit = ceilingPerGas === null ? affordablePerGas : smaller(ceilingPerGas, affordablePerGas);
  return { fees: withHighestPrice(roomy, larger(smaller(highestPrice(roomy), limit), highestPrice(least))) };
}

/** Twice what others pay, and room for six full blocks. */
function outbids(fees: GasFees, market: GasMarket): boolean {
  if (fees.kind === 'legacy' || market.kind === 'legacy')
    return highestPrice(fees) >= 2n * presentPrice(market);
  const roomy = highestPrice(roomyFees(market));
  return fees.maxFeePerGas >= roomy && fees.maxPriorityFeePerGas >= 2n * market.tipPerGas;
}

/**
 * The market in the terms of the other transaction type. A legacy one pays its whole price,
 * whatever the base fee.
 */
function marketFor(kind: GasFees['kind'], market: GasMarket): GasMarket {
  if (kind === market.kind) return market;
  return kind === 'legacy'
    ? { kind, gasPrice: highestPrice(leastFees(market)) }
    : { kind, basePerGas: 0n, tipPerGas: presentPrice(market) };
}

function fieldwiseLarger(a: GasFees, b: GasFees | null): GasFees {
  if (b === null) return a;
  if (a.kind === 'legacy' || b.kind === 'legacy')
    return { kind: 'legacy', gasPrice: larger(highestPrice(a), highestPrice(b)) };
  return {
    kind: 'dynamic',
    maxFeePerGas: larger(a.maxFeePerGas, b.maxFeePerGas),
    maxPriorityFeePerGas: larger(a.maxPriorityFeePerGas, b.maxPriorityFeePerGas),
  };
}

function withHighestPrice(fees: GasFees, price: bigint): GasFees {
  return fees.kind === 'dynamic' ? { ...fees, maxFeePerGas: price } : { kind: 'legacy', gasPrice: price };
}

/** Rounded up. */
const raisedByAnEighth = (price: bigint): bigint => (price * 9n + 7n) / 8n;
