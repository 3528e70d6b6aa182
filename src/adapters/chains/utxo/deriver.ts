/**
 * Addresses of Bitcoin, Litecoin and Bitcoin Cash from the account's extended public key: P2WPKH
 * (BIP-84) where the chain has segwit, else P2PKH (BIP-44). Deposits are <account>/0/<index>, our
 * own <account>/1/<index>.
 */
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import { CHANGE, compressedKey, EXTERNAL, openAccountXpub } from '../shared/keys/account-xpub.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import type { AffinePoint } from '../shared/keys/secp256k1-sums.ts';
import { addressOf, normalizeUtxoAddress } from './codec/address.ts';
import { ownScript } from './codec/own-script.ts';
import type { UtxoNetwork } from './network.ts';

const HOT_WALLET_INDEX = 0;

/**
 * A deriver from the public key of `network.accountPath`. Throws when it is another key
 * (shared/keys/account-xpub.ts).
 */
export function utxoDeriver(options: {
  network: UtxoNetwork;
  accountXpub: string;
}): OfflineDeriver & ChangeAddresses {
  const { network, accountXpub } = options;
  const { family, accountPath: path } = network;
  const account = openAccountXpub({ xpub: accountXpub, family, path });
  const addresses = (branch: typeof EXTERNAL | typeof CHANGE, range: { from: number; count: number }) =>
    account.children(branch, derivationIndexes(range)).map((point) => addressOfPoint(network, point));
  const own = (index: number): string => addresses(CHANGE, { from: index, count: 1 })[0]!;
  let hotWallet: string | null = null;
  return {
    family,
    derive: (range) => addresses(EXTERNAL, range),
    hotWallet() {
      hotWallet ??= own(HOT_WALLET_INDEX);
      return hotWallet;
    },
    changeAddress(index) {
      if (index === HOT_WALLET_INDEX) throw new RangeError('change goes to index 1 or above');
      return own(index);
    },
    normalize: (address) => normalizeUtxoAddress(network, address),
  };
}

function addressOfPoint(network: UtxoNetwork, point: AffinePoint): string {
  const address = addressOf(network, ownScript(network, compressedKey(point)));
  if (address === null) throw new Error(`a key of ${network.family} has no address`);
  return address;
}
