/** The family on fake chains, where every address is an account of its own. */
import { base58xrp } from '@scure/base';
import type { FakeFamily } from '../shared/family.ts';
import { base58Filler, base58Payload, withBase58Checksum } from '../shared/keys/fake-text.ts';

export const fakeXrp: FakeFamily = {
  // XRP's base58 has the letters of Bitcoin's in another order, so any base58 text decodes in it.
  address: (entropy) => withBase58Checksum(base58xrp, base58Filler('rfake', 34, entropy)),
  normalize(address) {
    const payload = base58Payload(base58xrp, address);
    const isAccount = payload?.length === 21 && payload[0] === 0;
    // An X-address: on a fake chain an address like any other.
    const isTagged = payload?.length === 31 && payload[0] === 0x05 && payload[1] === 0x44;
    return isAccount || isTagged ? address : null;
  },
  capabilities: { expires: true, batchesAtOnce: 10 },
};
