/**
 * The highest fee of any transaction, under every configuration: no sender offers more, and no
 * signer signs it. It is the greater of 2,000 base units per virtual byte (more than blocks ever
 * required) and a twentieth of what is spent; the share lets a child pay for a large parent.
 */
import { larger } from '../../../../domain/money/larger.ts';
import { feeAt } from '../codec/sizes.ts';

const RATE_MAX = 2_000_000n;
const SHARE = 20n;

/** Base units. */
export function saneFeeMax(virtualBytes: bigint, spentUnits: bigint): bigint {
  return larger(feeAt(RATE_MAX, virtualBytes), spentUnits / SHARE);
}
