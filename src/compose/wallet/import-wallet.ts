/** Creates keystore.json again from the seed words, for the wallet's own database or a new one. */
import type { WalletKeys } from '../../adapters/postgres/sending/wallet-keys.ts';
import { keyFingerprints } from '../../adapters/signer/key-fingerprints.ts';
import { keystoreIsThere, makeKeystoreOf, publicKeysOf } from '../../adapters/signer/keystore.ts';
import type { PublicKeys } from '../../adapters/signer/keystore-file.ts';
import type { Config } from '../../config/types.ts';
import { compareWallets } from '../../domain/chains/wallet-keys.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import { placeOf } from '../place.ts';
import { checkAddresses, masterKeyOf } from './open-wallet.ts';
import { keystoreThere, wordsOfAnotherWallet } from './wallet-refused.ts';

/**
 * `words` are valid BIP-39. `newMasterKey`: DATA_DIR/master.key is lost as well and may be created
 * again; API keys sealed with it are lost. Throws WalletRefused without any change if there is a
 * keystore, or if the database belongs to another wallet.
 */
export function importWallet(
  config: Config,
  { walletKeys, clock }: { walletKeys: WalletKeys; clock: Clock },
  { words, newMasterKey }: { words: string; newMasterKey: boolean },
): Promise<PublicKeys> {
  const { dataDir: directory } = config;
  return walletKeys.holding(async (held) => {
    if (await keystoreIsThere(directory)) throw keystoreThere(placeOf(config));
    const keys = await publicKeysOf(words);
    const noted = await held.noted();
    const { differing, added } = compareWallets(noted, keyFingerprints(keys));
    if (differing.length > 0) throw wordsOfAnotherWallet(placeOf(config), differing);
    const isUsed = noted.length > 0 || (await held.isUsed());
    if (noted.length === 0 && isUsed)
      await checkAddresses(config, held, { keys, keystore: { mnemonic: async () => words } });
    const masterKey = masterKeyOf(config, { mayMake: newMasterKey || !isUsed });
    if (!(await makeKeystoreOf(words, { directory, masterKey }))) throw keystoreThere(placeOf(config));
    await held.note(added, clock.now());
    return keys;
  });
}
