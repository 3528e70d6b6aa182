/**
 * Deposit addresses for sandboxes and tests: deterministic, right in shape for the family, and payable to nobody.
 * Never wire it for live invoices: money sent to such an address is lost.
 */
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { addressShape, fakeEntropy } from './address-shapes.ts';

/** An index that no deposit address has; those of change follow it. */
const HOT_WALLET = 2 ** 31;

/** A deriver of `family` (evm, bitcoin, litecoin, bitcoincash, tron, solana, xrp, ton or monero; others throw). */
export function fakeDeriver({ family }: { family: string }): OfflineDeriver & ChangeAddresses {
  const shape = addressShape(family);
  const hotWallet = shape.make(fakeEntropy(family, HOT_WALLET));
  return {
    family,
    derive: (range) => derivationIndexes(range).map((index) => shape.make(fakeEntropy(family, index))),
    hotWallet: () => hotWallet,
    changeAddress(index) {
      if (!Number.isInteger(index) || index < 1 || index >= HOT_WALLET)
        throw new RangeError(`change goes to a whole index from 1 below 2^31, not to ${index}`);
      return shape.make(fakeEntropy(family, HOT_WALLET + index));
    },
    normalize: shape.normalize,
  };
}
