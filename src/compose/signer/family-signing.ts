/** The families' signing code with the keys of the seed words. */
import { CHAIN_FAMILIES } from '../../adapters/chains/families.ts';
import type { Config } from '../../config/types.ts';
import { FAMILIES, type Family } from '../../domain/catalog/family.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';

/** Those of `families` that can sign, each on the configured network of its chain. */
export async function familySigning(
  { chains }: Pick<Config, 'chains'>,
  { mnemonic }: { mnemonic(): Promise<string> },
  families: readonly Family[] = FAMILIES,
): Promise<ReadonlyMap<Family, FamilySigning>> {
  const signing = new Map<Family, FamilySigning>();
  for (const family of families) {
    const network = chains[family]?.network ?? 'main';
    const made = await CHAIN_FAMILIES[family].signing?.({ network, mnemonic });
    if (made !== undefined) signing.set(family, made);
  }
  return signing;
}
