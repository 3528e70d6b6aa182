/**
 * Deposit addresses for sandboxes and tests: deterministic, right in shape for the family, and payable to nobody.
 * Never wire it for live invoices: money sent to such an address is lost.
 */
import type { OfflineDeriver } from '../../../ports/address-deriver.ts';
import { derivationIndexes } from '../shared/derivation-range.ts';
import { addressShape, fakeEntropy } from './address-shapes.ts';

/** An index that no deposit address has. */
const HOT_WALLET = 2 ** 31;

/** A deriver of `family` (evm, bitcoin, litecoin, bitcoincash, tron, solana, xrp, ton or monero; others throw). */
export function fakeDeriver({ family }: { family: string }): OfflineDeriver {
  const shape = addressShape(family);
  const hotWallet = shape.make(fakeEntropy(family, HOT_WALLET));
  return {
    family,
    derive: (range) => derivationIndexes(range).map((index) => shape.make(fakeEntropy(family, index))),
    hotWallet: () => hotWallet,
    normalize: shape.normalize,
  };
}
