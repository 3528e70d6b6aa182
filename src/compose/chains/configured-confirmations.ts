/** How many blocks a payment waits for, as the checkout shows it. */
import type { Config } from '../../config/types.ts';
import { CHAINS } from '../../domain/catalog/chain.ts';
import { FAMILY_ROWS } from '../../domain/catalog/family.ts';

/**
 * Null if the node's own `finalized` tag decides, and for simulated payments, which have no chain.
 * A configured number only adds to the families' own (safety.md T4); fake chains use the catalog's.
 */
export function confirmationsOf({
  chains,
  fakeChains,
}: Pick<Config, 'chains' | 'fakeChains'>): (chain: string) => number | null {
  return (name) => {
    const chain = CHAINS.find((one) => one.name === name);
    if (chain === undefined) return null;
    const configured = fakeChains ? chain.confirmations : (chains[name]?.confirmations ?? null);
    const { finalityTag, leastConfirmations } = FAMILY_ROWS[chain.family];
    if (configured === null) return finalityTag ? null : chain.confirmations;
    return leastConfirmations ? Math.max(configured, chain.confirmations) : configured;
  };
}
