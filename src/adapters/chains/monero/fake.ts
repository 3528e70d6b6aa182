/** The family on fake chains. */
import { base58xmr } from '@scure/base';
import type { FakeFamily } from '../shared/family.ts';
import { readMoneroAddress, subaddressText } from './address.ts';

/**
 * Opens a subaddress of the main network: Monero encodes 8 bytes to 11 letters, so the first block
 * spells this.
 */
const OPENING = base58xmr.decode('87Fake11111').subarray(1);

export const fakeMonero: FakeFamily = {
  address(entropy) {
    const keys = Uint8Array.from([...OPENING, ...entropy.subarray(0, 57)]);
    const [publicSpendKey, publicViewKey] = [keys.subarray(0, 32), keys.subarray(32)];
    return subaddressText({ publicSpendKey, publicViewKey }, 'main');
  },
  normalize(address) {
    const read = readMoneroAddress(address, 'main');
    return read === null || read.kind === 'integrated' ? null : address;
  },
  capabilities: {},
};
