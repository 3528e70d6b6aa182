/** Bitcoin, Litecoin and Bitcoin Cash: three families that share one folder. */
import type { UtxoFamily } from '../../../domain/catalog/family.ts';
import type { ChainFamilyModule } from '../shared/family.ts';
import { FAKE_UTXO } from './fake.ts';
import { utxoNetwork } from './network.ts';

export function utxo(family: UtxoFamily): ChainFamilyModule {
  return {
    async wallet({ publicKey, settings }) {
      if (publicKey === null) return null;
      const { utxoDeriver } = await import('./deriver.ts');
      const network = utxoNetwork(family, settings?.network ?? 'main');
      const deriver = utxoDeriver({ network, accountXpub: publicKey });
      return { deriver, change: deriver };
    },
    async clients(parts) {
      const { utxoClients } = await import('./clients.ts');
      return utxoClients(parts, family);
    },
    async signing({ network, mnemonic }) {
      const { utxoSigning } = await import('./send/sign.ts');
      return utxoSigning({ network: utxoNetwork(family, network), mnemonic });
    },
    contracts: null,
    fake: FAKE_UTXO[family],
  };
}
