/** The family on fake chains. */
import { base58 } from '@scure/base';
import type { FakeFamily } from '../shared/family.ts';
import { base58Filler, withBase58Checksum } from '../shared/keys/fake-text.ts';
import { normalizeTronAddress } from './address.ts';

export const fakeTron: FakeFamily = {
  address: (entropy) => withBase58Checksum(base58, base58Filler('TFake', 34, entropy)),
  normalize: normalizeTronAddress,
  capabilities: { nonces: 'independent', expires: true },
};
