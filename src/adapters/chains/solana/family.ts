/** Solana. */
import type { ChainFamilyModule } from '../shared/family.ts';
import { normalizeSolanaAddress } from './address.ts';
import { fakeSolana } from './fake.ts';

export const solana: ChainFamilyModule = {
  async wallet({ publicKey, pool }) {
    if (publicKey === null || pool === null) return null;
    const { solanaDeriver } = await import('./deriver.ts');
    return { deriver: solanaDeriver({ hotWallet: Buffer.from(publicKey, 'hex'), pool }), change: null };
  },
  async clients(parts) {
    const { solanaClients } = await import('./clients.ts');
    return solanaClients(parts);
  },
  async signing({ mnemonic }) {
    const { solanaSigning } = await import('./codec/sign.ts');
    return solanaSigning({ mnemonic });
  },
  contracts: { key: normalizeSolanaAddress, expected: "must be the address of the token's mint" },
  fake: fakeSolana,
};
