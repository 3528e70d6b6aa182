/**
 * Deposit addresses for sandboxes and tests: deterministic, right in shape for the family, and
 * payable to nobody. Never wire it for live invoices: money sent to such an address is lost.
 */
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { fakeEntropy, fakeFamily } from './fake-family.ts';

/** An index that no deposit address has; those of change follow it. */
const HOT_WALLET = 2 ** 31;

/**
 * A deriver of `family` (evm, bitcoin, litecoin, bitcoincash, tron, solana, xrp, ton or monero;
 * others throw).
 */
export function fakeDeriver({ family }: { family: string }): OfflineDeriver & ChangeAddresses {
  const fake = fakeFamily(family);
  const hotWallet = fake.address(fakeEntropy(family, HOT_WALLET));
  return {
    family,
    derive: (range) => derivationIndexes(range).map((index) => fake.address(fakeEntropy(family, index))),
    hotWallet: () => hotWallet,
    changeAddress(index) {
      if (!Number.isInteger(index) || index < 1 || index >= HOT_WALLET)
        throw new RangeError(`change goes to a whole index from 1 below 2^31, not to ${index}`);
      return fake.address(fakeEntropy(family, HOT_WALLET + index));
    },
    normalize: fake.normalize,
  };
}
