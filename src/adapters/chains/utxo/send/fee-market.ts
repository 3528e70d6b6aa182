/**
 * What transactions cost: read from a node, held between the operator's floor and ceiling. Rates are base units per 1,000
 * virtual bytes.
 */
import { larger, smaller } from '../../shared/larger.ts';
import type { SpendingBackend } from '../backend.ts';

export interface FeePolicy {
  /** Never less, whatever the node says. */
  readonly floor: bigint;
  /** Never more; null for no limit. */
  readonly ceiling: bigint | null;
}

export interface FeeMarket {
  /** What gets a transaction into a block soon. */
  readonly rate: bigint;
  /** Below this a node does not take it at present; also the least step of a replacement (BIP-125, rule 4). */
  readonly minimum: bigint;
}

/** The default of the nodes of all three chains, for transactions and for replacements. */
export const RELAY_RATE = 1_000n;
/** Blocks within which a payment should be mined. */
const TARGET_BLOCKS = 2;

export async function readMarket(backend: SpendingBackend, policy: FeePolicy): Promise<FeeMarket> {
  const [estimate, told] = await Promise.all([backend.feeRate(TARGET_BLOCKS), backend.minimumFeeRate()]);
  const minimum = larger(told, RELAY_RATE);
  return { rate: within(policy, larger(estimate ?? minimum, minimum)), minimum };
}

function within({ floor, ceiling }: FeePolicy, rate: bigint): bigint {
  const raised = larger(rate, floor);
  return ceiling === null ? raised : smaller(raised, ceiling);
}
