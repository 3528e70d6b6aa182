/** How many blocks a payment waits for, as the checkout tells a customer. */
import type { Config } from '../../config/types.ts';
import { CHAINS } from '../../domain/catalog/chain.ts';
import { FAMILY_ROWS } from '../../domain/catalog/family.ts';

/**
 * Null where the node's own `finalized` tag decides, and on no chain at all (simulated payments). A configured number only
 * adds to what some families ask for themselves (safety.md T4); fake chains keep to the catalog.
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
