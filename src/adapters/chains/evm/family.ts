/** The family of all EVM chains: an address is valid on every one. */
import type { ChainFamilyModule } from '../shared/family.ts';
import { normalizeEvmAddress } from './address.ts';
import { fakeEvm } from './fake.ts';

export const evm: ChainFamilyModule = {
  async wallet({ publicKey }) {
    if (publicKey === null) return null;
    const { evmDeriver } = await import('./deriver.ts');
    return { deriver: evmDeriver({ accountXpub: publicKey }), change: null };
  },
  async clients(parts) {
    const { evmClients } = await import('./clients.ts');
    return evmClients(parts);
  },
  async signing({ mnemonic }) {
    const { evmSigning } = await import('./send/sign.ts');
    return evmSigning({ mnemonic });
  },
  contracts: {
    key: normalizeEvmAddress,
    expected: 'must be an address of 40 hex digits behind 0x, its capitals right or none',
  },
  fake: fakeEvm,
};
