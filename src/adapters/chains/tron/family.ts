/** Tron. */
import type { ChainFamilyModule } from '../shared/family.ts';
import { addressHex } from './address.ts';
import { fakeTron } from './fake.ts';

export const tron: ChainFamilyModule = {
  async wallet({ publicKey }) {
    if (publicKey === null) return null;
    const { tronDeriver } = await import('./deriver.ts');
    return { deriver: tronDeriver({ accountXpub: publicKey }), change: null };
  },
  async clients(parts) {
    const { tronClients } = await import('./clients.ts');
    return tronClients(parts);
  },
  async signing({ mnemonic }) {
    const { tronSigning } = await import('./codec/sign.ts');
    return tronSigning({ mnemonic });
  },
  contracts: { key: addressHex, expected: 'must be an address of tron' },
  fake: fakeTron,
};
