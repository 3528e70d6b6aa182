/** The XRP Ledger. */
import type { ChainFamilyModule } from '../shared/family.ts';
import { fakeXrp } from './fake.ts';
import { xrpNetwork } from './network.ts';

export const xrp: ChainFamilyModule = {
  async wallet({ publicKey, settings }) {
    if (publicKey === null) return null;
    const { xrpDeriver } = await import('./deriver.ts');
    const network = xrpNetwork(settings?.network ?? null);
    return { deriver: xrpDeriver({ network, publicKey }), change: null };
  },
  async clients(parts) {
    const { xrpClients } = await import('./clients.ts');
    return xrpClients(parts);
  },
  async signing({ network, mnemonic }) {
    const { xrpSigning } = await import('./codec/sign.ts');
    return xrpSigning({ network: xrpNetwork(network), mnemonic });
  },
  contracts: null,
  fake: fakeXrp,
};
