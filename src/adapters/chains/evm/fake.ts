/** The family on fake chains. */
import type { FakeFamily } from '../shared/family.ts';
import { checksumAddress, normalizeEvmAddress } from './address.ts';

export const fakeEvm: FakeFamily = {
  address: (entropy) => checksumAddress(`fa4e${Buffer.from(entropy.subarray(0, 18)).toString('hex')}`),
  normalize: normalizeEvmAddress,
  capabilities: {},
};
