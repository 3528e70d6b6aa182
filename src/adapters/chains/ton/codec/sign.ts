/**
 * TON's key and signatures. One ed25519 key (SLIP-10, m/44'/607'/0') owns every wallet: the hot
 * wallet, and one for each derivation index. Of the mnemonic only that key is kept, in memory.
 * TON's library is loaded at the first signature.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { walletKey } from '../../../../domain/catalog/family.ts';
import type { FamilySigning } from '../../../../ports/sending/family-signing.ts';
import type { SigningOrder, WalletKey } from '../../../../ports/sending/signer.ts';
import { ed25519PublicKey, slip10Ed25519 } from '../../../shared/slip10.ts';
import { normalizeTonAddress, rawAddress } from '../address.ts';
import type { TonNetwork } from '../network.ts';
import { type TonWallet, walletAddress, walletId } from './wallet-v5.ts';

const PATH = walletKey('ton').path;
const INDEX_MAX = 2 ** 31 - 1;

interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

export function tonSigning(options: { network: TonNetwork; mnemonic(): Promise<string> }): FamilySigning {
  const { network, mnemonic } = options;
  let opened: Promise<KeyPair> | null = null;

  async function openKeys(): Promise<KeyPair> {
    const { Mnemonic } = await import('ethers');
    const seed = Buffer.from(
      Mnemonic.fromPhrase(await mnemonic())
        .computeSeed()
        .slice(2),
      'hex',
    );
    const privateKey = slip10Ed25519(seed, PATH);
    return { privateKey, publicKey: ed25519PublicKey(privateKey) };
  }

  function keys(): Promise<KeyPair> {
    opened ??= openKeys().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  const addressOf = async (key: WalletKey): Promise<string> =>
    rawAddress(walletAddress(network, (await keys()).publicKey, walletOf(key)));

  return {
    normalize: (address) => normalizeTonAddress(network, address),
    addressOf,
    async check(order, terms) {
      const { checkOrder } = await import('./check-order.ts');
      return checkOrder({ network, order, terms, hotWallet: await addressOf({ role: 'hot' }) });
    },
    async sign({ key, payload }: SigningOrder) {
      const { signedExternal } = await import('./external.ts');
      const { readPayload } = await import('./payload.ts');
      const read = readPayload(payload);
      if (read === null) throw new Error('a payload to be signed cannot be read');
      const { privateKey, publicKey } = await keys();
      const wallet = { address: await addressOf(key), walletId: walletId(network, walletOf(key)), publicKey };
      return signedExternal(read.request, wallet, (hash) => ed25519.sign(hash, privateKey));
    },
  };
}

function walletOf(key: WalletKey): TonWallet {
  if (key.role === 'change') throw new RangeError('TON wallets have no change addresses');
  if (key.role === 'hot') return key;
  if (Number.isInteger(key.index) && key.index >= 0 && key.index <= INDEX_MAX)
    return { role: 'deposit', index: key.index };
  throw new RangeError('a derivation index is a whole number below 2^31');
}
