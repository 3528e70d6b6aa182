/**
 * Deposit addresses for the pools of families whose public keys cannot derive: only a process with
 * the private keys can make them.
 */
import { setImmediate } from 'node:timers/promises';
import type { Family } from '../../domain/catalog/family.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';
import { DERIVED_AT_ONCE, type DerivedRange, SigningRefused } from '../../ports/sending/signer.ts';

/** After so many, at a fifth of a millisecond each, other work of this process gets its turn. */
const IN_A_ROW = 32;

export async function derivedAddresses(
  families: ReadonlyMap<Family, FamilySigning>,
  { family, from, count }: DerivedRange,
): Promise<readonly string[]> {
  const [, keys] = [...families].find(([name]) => name === family) ?? [];
  if (keys === undefined)
    throw new SigningRefused(`there are no keys of the family ${family}`, { lasting: false });
  if (!(Number.isInteger(count) && count >= 0 && count <= DERIVED_AT_ONCE))
    throw new SigningRefused(`at most ${DERIVED_AT_ONCE} addresses are derived at once`);
  const addresses: string[] = [];
  for (let index = from; index < from + count; index++) {
    if (addresses.length % IN_A_ROW === 0) await setImmediate();
    addresses.push(await addressOf(keys, index));
  }
  return addresses;
}

async function addressOf(keys: FamilySigning, index: number): Promise<string> {
  try {
    return await keys.addressOf({ role: 'deposit', index });
  } catch (error) {
    throw error instanceof RangeError ? new SigningRefused(error.message) : error;
  }
}
