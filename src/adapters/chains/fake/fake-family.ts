/**
 * Addresses of every network family that look right (alphabet, prefix, length, checksum) and belong
 * to nobody: each spells "fake" after its network prefix, because its bytes come from a published
 * phrase and not from a key.
 */
import { shake256 } from '@noble/hashes/sha3.js';
import { CHAIN_FAMILIES } from '../families.ts';
import type { FakeFamily } from '../shared/family.ts';

const FAKE_SEED = 'quittance fake chain: nobody holds these keys';

/** How `family` is faked; throws for a family nobody knows, which is a wiring bug. */
export function fakeFamily(family: string): FakeFamily {
  const found = Object.entries(CHAIN_FAMILIES).find(([name]) => name === family);
  if (found === undefined) throw new Error(`no address shape for the network family ${family}`);
  return found[1].fake;
}

/** 128 bytes that depend on the published phrase, the family and the index only. */
export function fakeEntropy(family: string, index: number): Uint8Array {
  return shake256(Buffer.from(`${FAKE_SEED}/${family}/${index}`), { dkLen: 128 });
}
