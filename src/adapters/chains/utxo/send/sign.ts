/**
 * Keys and signatures of Bitcoin, Litecoin and Bitcoin Cash. Deposits are <account>/0/<index>, the
 * hot wallet is <account>/1/0, change is <account>/1/<index>. Of the mnemonic only the keys of the
 * two branches are kept, in memory. Signatures commit to amounts (BIP-143, on Bitcoin Cash with
 * SIGHASH_FORKID), and are RFC 6979 and low S. Libraries are loaded at their first use.
 */
import { setImmediate } from 'node:timers/promises';
import type { HDNodeWallet } from 'ethers';
import type { FamilySigning } from '../../../../ports/sending/family-signing.ts';
import type { SigningOrder, WalletKey } from '../../../../ports/sending/signer.ts';
import { CHANGE, EXTERNAL } from '../../shared/keys/account-xpub.ts';
import { addressOf, normalizeUtxoAddress } from '../codec/address.ts';
import { inputDigests } from '../codec/bip143.ts';
import { ownScript, signedScript } from '../codec/own-script.ts';
import { signedForm } from '../codec/signed-form.ts';
import type { UtxoNetwork } from '../network.ts';
import { checkOrder } from './check-order.ts';

const INDEX_MAX = 2 ** 31 - 1;
const SIGHASH_ALL = 0x01;
/** Keeps signatures of Bitcoin Cash from being valid on Bitcoin, and the other way round. */
const SIGHASH_FORKID = 0x40;

export function utxoSigning(options: { network: UtxoNetwork; mnemonic(): Promise<string> }): FamilySigning {
  const { network, mnemonic } = options;
  let opened: Promise<Branches> | null = null;

  async function openBranches(): Promise<Branches> {
    const { HDNodeWallet: Node } = await import('ethers');
    const account = Node.fromPhrase(await mnemonic(), '', network.accountPath);
    return { external: account.deriveChild(EXTERNAL), change: account.deriveChild(CHANGE) };
  }

  async function pairOf(key: WalletKey): Promise<KeyPair> {
    opened ??= openBranches().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    const { external, change } = await opened;
    const branch = key.role === 'deposit' ? external : change;
    const { privateKey, publicKey } = branch.deriveChild(indexOf(key));
    return { privateKey: bytesOf(privateKey), publicKey: bytesOf(publicKey) };
  }

  const scriptOfKey = async (key: WalletKey): Promise<Uint8Array> =>
    ownScript(network, (await pairOf(key)).publicKey);

  return {
    normalize: (address) => normalizeUtxoAddress(network, address),
    async addressOf(key) {
      const address = addressOf(network, await scriptOfKey(key));
      if (address === null) throw new Error(`a key of ${network.family} has no address`);
      return address;
    },
    check: (order, terms) => checkOrder({ network, order, terms, scriptOfKey }),
    sign: (order) => signUnsigned(network, order, pairOf),
  };
}

interface Branches {
  readonly external: HDNodeWallet;
  readonly change: HDNodeWallet;
}

interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');

function indexOf(key: WalletKey): number {
  if (key.role === 'hot') return 0;
  const least = key.role === 'change' ? 1 : 0;
  if (Number.isInteger(key.index) && key.index >= least && key.index <= INDEX_MAX) return key.index;
  throw new RangeError(`a ${key.role} key has a whole number from ${least} below 2^31`);
}

async function signUnsigned(
  network: UtxoNetwork,
  { payload, inputs }: SigningOrder,
  pairOf: (key: WalletKey) => Promise<KeyPair>,
): Promise<{ raw: string; txid: string }> {
  const { secp256k1 } = await import('@noble/curves/secp256k1.js');
  const hashType = network.bech32 === null ? SIGHASH_ALL | SIGHASH_FORKID : SIGHASH_ALL;
  const digestOf = inputDigests(Buffer.from(payload, 'hex'), hashType);
  const unlocking: Uint8Array[][] = [];
  for (const [index, { key, units }] of inputs.entries()) {
    const { privateKey, publicKey } = await pairOf(key);
    const digest = digestOf({ index, script: signedScript(publicKey), units });
    const signature = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'der' });
    unlocking.push([Uint8Array.of(...signature, hashType), publicKey]);
    // Each takes some milliseconds: other work of this process gets its turn in between.
    await setImmediate();
  }
  return signedForm(network, payload, unlocking);
}
