/**
 * Deposit addresses for sandboxes and tests: deterministic, right in shape for the family, and
 * payable to nobody. Never wire it for live invoices: money sent to such an address is lost.
 */
import { boundedMap } from '../../../domain/bounded-map.ts';
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
  const { addressOf, normalize } = rememberedFamily(family);
  const hotWallet = addressOf(HOT_WALLET);
  return {
    family,
    derive: (range) => derivationIndexes(range).map(addressOf),
    hotWallet: () => hotWallet,
    changeAddress(index) {
      if (!Number.isInteger(index) || index < 1 || index >= HOT_WALLET)
        throw new RangeError(`change goes to a whole index from 1 below 2^31, not to ${index}`);
      return addressOf(HOT_WALLET + index);
    },
    normalize,
  };
}

interface RememberedFamily {
  addressOf(index: number): string;
  normalize(address: string): string | null;
}

const REMEMBERED_MAX = 8_192;

/** Derivers of a family share what they made: a hash and a checksum are most of a fake's work. */
const rememberedFamily = remembered((family: string): RememberedFamily => {
  const fake = fakeFamily(family);
  return {
    addressOf: remembered((index: number) => fake.address(fakeEntropy(family, index))),
    normalize: remembered((address: string) => fake.normalize(address)),
  };
});

function remembered<Of, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = boundedMap<Of, Made>(REMEMBERED_MAX);
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const value = make(of);
    made.set(of, value);
    return value;
  };
}
