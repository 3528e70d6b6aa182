/** The family on fake chains. */
import type { FakeFamily } from '../shared/family.ts';
import { base58Filler } from '../shared/keys/fake-text.ts';
import { normalizeSolanaAddress } from './address.ts';

export const fakeSolana: FakeFamily = {
  address: (entropy) => base58Filler('Fake', 44, entropy),
  normalize: normalizeSolanaAddress,
  capabilities: { nonces: 'independent', expires: true, hotWalletPaysFees: true },
};
