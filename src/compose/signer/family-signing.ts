/** What signs for the families, with the keys of the words. */
import { CHAIN_FAMILIES } from '../../adapters/chains/families.ts';
import type { Config } from '../../config/types.ts';
import { FAMILIES, type Family } from '../../domain/catalog/family.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';

/** Of those of `families` that can be signed for, each on the network that is configured for its chain. */
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
