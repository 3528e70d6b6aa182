/** TON. */
import type { NetworkName } from '../../../domain/catalog/family.ts';
import type { ChainFamilyModule } from '../shared/family.ts';
import { parseTonAddress, rawAddress } from './address.ts';
import { fakeTon } from './fake.ts';
import { tonNetwork } from './network.ts';

export const ton: ChainFamilyModule = {
  async wallet({ publicKey, settings }) {
    if (publicKey === null) return null;
    const { tonDeriver } = await import('./deriver.ts');
    const network = tonNetwork(settings?.network ?? 'main');
    return { deriver: tonDeriver({ network, publicKey }), change: null };
  },
  async clients(parts) {
    const { tonClients } = await import('./clients.ts');
    return tonClients(parts);
  },
  async signing({ network, mnemonic }) {
    const { tonSigning } = await import('./codec/sign.ts');
    return tonSigning({ network: tonNetwork(network), mnemonic });
  },
  contracts: {
    key: jettonMaster,
    expected: "must be the address of the jetton's master in the user-friendly form, EQ...",
  },
  fake: fakeTon,
};

/** Wallets accept only the user-friendly form, and the payment link names the contract. */
function jettonMaster(text: string, network: NetworkName): string | null {
  const address = parseTonAddress(tonNetwork(network), text);
  return address === null || address.bounceable === null ? null : rawAddress(address);
}
