/**
 * Addresses against independent wallets: what bitcoind and litecoind derive from the same extended
 * public key.
 */
import { expect, test } from 'bun:test';
import { HDKey } from '@scure/bip32';
import { utxoDeriver } from '../../../../src/adapters/chains/utxo/deriver.ts';
import { publicKeysOf } from '../../../../src/adapters/signer/keystore.ts';
import { BITCOIN, LITECOIN } from '../../../support/utxo/utxo-nodes.ts';

const WORDS = 'test test test test test test test test test test test junk';
/**
 * Version bytes of extended public keys on test networks (BIP-32), as nodes in regtest read them.
 */
const TEST_VERSIONS = { public: 0x043587cf, private: 0x04358394 };
const LAST = 199;

for (const chain of [BITCOIN, LITECOIN]) {
  const family = chain.family as 'bitcoin' | 'litecoin';
  test.skipIf(!chain.there())(
    `${family}: deposit, hot and change addresses are those of the node's own wallet`,
    async () => {
      const { xpub } = (await publicKeysOf(WORDS))[family];
      const { publicKey, chainCode, depth, index, parentFingerprint } = HDKey.fromExtendedKey(xpub);
      if (publicKey === null || chainCode === null) throw new Error('the account key has no public part');
      const account = { publicKey, chainCode, depth, index, parentFingerprint, versions: TEST_VERSIONS };
      const tpub = new HDKey(account).publicExtendedKey;
      const node = await chain.start();
      try {
        const derived = async (branch: number): Promise<string[]> => {
          const { descriptor } = await node.rpc<{ descriptor: string }>(
            'getdescriptorinfo',
            `wpkh(${tpub}/${branch}/*)`,
          );
          return node.rpc<string[]>('deriveaddresses', descriptor, [0, LAST]);
        };
        const deriver = utxoDeriver({ network: node.network, accountXpub: xpub });
        expect(deriver.derive({ from: 0, count: LAST + 1 })).toEqual(await derived(0));
        const [hot, ...change] = await derived(1);
        expect(deriver.hotWallet()).toBe(hot ?? '');
        expect(change.map((_, position) => deriver.changeAddress(position + 1))).toEqual(change);
      } finally {
        await node.stop();
      }
    },
  );
}
