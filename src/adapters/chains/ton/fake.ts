/** The family on fake chains. */
import { base64url } from '@scure/base';
import type { FakeFamily } from '../shared/family.ts';
import { friendlyAddress, normalizeTonAddress } from './address.ts';
import { tonNetwork } from './network.ts';

const MAIN = tonNetwork('main');

export const fakeTon: FakeFamily = {
  address: (entropy) =>
    friendlyAddress(MAIN, {
      workchain: 0,
      hash: Buffer.from([entropy[0]!, ...base64url.decode('Fake'), ...entropy.subarray(1, 29)]),
    }),
  normalize: (address) => normalizeTonAddress(MAIN, address),
  capabilities: { expires: true, batchesAtOnce: 1 },
};
