/**
 * Monero, which only receives: to a wallet of the operator's own, whose keys are in the
 * configuration.
 */
import type { ChainFamilyModule } from '../shared/family.ts';
import { fakeMonero } from './fake.ts';

export const monero: ChainFamilyModule = {
  async wallet({ settings }) {
    const keys = settings?.ownWallet ?? null;
    if (keys === null) return null;
    const { moneroDeriver } = await import('./deriver.ts');
    return { deriver: moneroDeriver(keys), change: null };
  },
  async clients(parts) {
    const { moneroClients } = await import('./clients.ts');
    return moneroClients(parts);
  },
  signing: null,
  contracts: null,
  fake: fakeMonero,
};
