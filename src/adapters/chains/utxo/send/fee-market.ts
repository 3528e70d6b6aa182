/**
 * Fee rates: read from a node, and limited by the operator's floor and ceiling. Rates are base
 * units per 1,000 virtual bytes.
 */
import { larger, smaller } from '../../../../domain/money/larger.ts';
import type { SpendingBackend } from '../backend.ts';

export interface FeePolicy {
  /** The least rate, even if the node returns less. */
  readonly floor: bigint;
  /** The highest rate; null for no limit. */
  readonly ceiling: bigint | null;
}

export interface FeeMarket {
  /** The rate that gets a transaction into a block soon. */
  readonly rate: bigint;
  /**
   * The least rate that a node takes at present; also the least step of a replacement (BIP-125,
   * rule 4).
   */
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
