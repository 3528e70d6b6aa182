/** The present price of priority, and the price of a compute unit that follows from it. */

import { larger, smaller } from '../../../../domain/money/larger.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import type { Moment } from '../../shared/nodes/rounds/moments.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { lamports } from '../answers.ts';
import { LAMPORTS_PER_SIGNATURE } from '../codec/transaction.ts';
import type { SolanaFeePolicy } from './sending.ts';

/**
 * Below this, leaders take a transaction only when nothing else waits. 10,000 micro-lamports are a
 * lamport for 100 units.
 */
export const USUAL_FLOOR = 10_000n;
/** 0.0005 SOL: hundred times what a transfer usually costs. */
export const USUAL_CEILING = 500_000n;

const RECENT_FEES = 'getRecentPrioritizationFees';
const FEES = { kind: 'fees', most: 50 };

/** Three in four of the slots that the node remembers (150) took less. */
const SHARE = 0.75;
const MICRO_LAMPORTS = 1_000_000n;

/**
 * Micro-lamports per compute unit for a transaction that writes to `accounts`; at least the floor.
 */
export async function readPrice(
  node: RpcNode,
  accounts: readonly string[],
  policy: SolanaFeePolicy,
): Promise<bigint> {
  return priceIn(await node.call(RECENT_FEES, accounts), policy);
}

/** The same, asked together with that of other payments. */
export async function readPriceInRound(
  moment: Moment,
  node: RpcNode,
  accounts: readonly string[],
  policy: SolanaFeePolicy,
): Promise<bigint> {
  const outcome = await moment.gathered(FEES, accounts, (all) =>
    node.outcomes(all.map((each) => ({ method: RECENT_FEES, params: [each] }))),
  );
  const price =
    outcome !== null &&
    'result' in outcome &&
    (await moment.proven(FEES, async () => priceIn(outcome.result, policy)));
  return price || readPrice(node, accounts, policy);
}

function priceIn(answer: unknown, { floorPrice }: SolanaFeePolicy): bigint {
  const prices = list(answer, 'prioritization fees')
    .map((item) => lamports(fields(item, 'prioritization fee').prioritizationFee, 'prioritization fee'))
    .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const told = prices[Math.floor((prices.length - 1) * SHARE)] ?? 0n;
  return larger(told, floorPrice);
}

/**
 * The price to offer: the market's, and half as much again as that of a transaction that expired
 * unmined; never above the ceiling. Null when the ceiling is below the floor.
 */
export function offeredPrice(
  offer: { market: bigint; replaced: bigint | null; unitLimit: number; signatures: number },
  { floorPrice, ceilingUnits }: SolanaFeePolicy,
): bigint | null {
  const { market, replaced, unitLimit, signatures } = offer;
  const forPriority = ceilingUnits - LAMPORTS_PER_SIGNATURE * BigInt(signatures);
  const most = (forPriority * MICRO_LAMPORTS) / BigInt(unitLimit);
  if (most < floorPrice) return null;
  return smaller(larger(market, replaced === null ? 0n : (replaced * 3n + 1n) / 2n), most);
}
