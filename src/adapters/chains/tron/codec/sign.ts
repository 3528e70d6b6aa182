/**
 * Tron keys and signatures. The hot wallet is m/44'/195'/0'/1/0, the deposit address of index i is m/44'/195'/0'/0/i; of the
 * words only the account's key is kept, in memory. ethers is loaded when something is signed for the first time.
 */
import type { HDNodeWallet } from 'ethers';
import { walletKey } from '../../../../domain/catalog/family.ts';
import type { FamilySigning, SigningTerms } from '../../../../ports/sending/family-signing.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../../ports/sending/signer.ts';
import { CHANGE, EXTERNAL } from '../../shared/keys/account-xpub.ts';
import { larger } from '../../shared/larger.ts';
import { ADDRESS_PREFIX, addressText, normalizeTronAddress } from '../address.ts';
import { bandwidthOf } from '../send/fees.ts';
import { isOfNonce } from '../send/lifetime.ts';
import {
  actionOf,
  readTransaction,
  signedBytes,
  signTransaction,
  type TronTransaction,
} from './transaction.ts';

const ACCOUNT_PATH = walletKey('tron').path;
const INDEX_MAX = 2 ** 31 - 1;
/**
 * Sun that the network takes for a byte, and for an account that is new to it: the signer asks no node. What the network votes
 * differs from it no more than the policy's ceiling allows for.
 */
const BYTE_SUN = 1_000n;
const ACTIVATION_SUN = 1_100_000n;
const CLOCKS_DIFFER_MS = 30_000;

export function tronSigning({ mnemonic }: { mnemonic(): Promise<string> }): FamilySigning {
  let account: Promise<HDNodeWallet> | null = null;

  async function openAccount(): Promise<HDNodeWallet> {
    const { HDNodeWallet: Node } = await import('ethers');
    return Node.fromPhrase(await mnemonic(), '', ACCOUNT_PATH);
  }

  async function walletOf(key: WalletKey): Promise<HDNodeWallet> {
    account ??= openAccount().catch((error: unknown) => {
      account = null;
      throw error;
    });
    const node = await account;
    if (key.role === 'change') throw new RangeError('Tron wallets have no change addresses');
    if (key.role === 'deposit') return node.deriveChild(EXTERNAL).deriveChild(checkedIndex(key.index));
    return node.deriveChild(CHANGE).deriveChild(0);
  }

  return {
    delegates: true,
    normalize: normalizeTronAddress,
    // An address of an EVM chain is the same bytes but for the first.
    addressOf: async (key) =>
      addressText(ADDRESS_PREFIX + (await walletOf(key)).address.slice(2).toLowerCase()),

    async check(order, terms) {
      const read = readTransaction(order.payload);
      if (read === null)
        throw new SigningRefused('the payload is no unsigned transaction of a kind that is signed');
      const fault = faultOf(read, order, terms);
      if (fault !== null) throw new SigningRefused(fault);
      return { maxFeeUnits: mostOf(read, order.payload) };
    },

    // Blocks carry the clocks of those who make them.
    aliveUntil: ({ validUntil }) => new Date(Number(validUntil) + CLOCKS_DIFFER_MS),

    async sign(order) {
      const { signingKey } = await walletOf(order.key);
      return signTransaction(order.payload, (digest) => {
        const { r, s, yParity } = signingKey.sign(`0x${digest}`);
        return { r: r.slice(2), s: s.slice(2), recovery: yParity };
      });
    },
  };
}

function checkedIndex(index: number): number {
  if (Number.isInteger(index) && index >= 0 && index <= INDEX_MAX) return index;
  throw new RangeError('a derivation index is a whole number below 2^31');
}

/** What the transaction does that the order does not say, in words; null when they agree in everything. */
function faultOf(
  { owner, action, expiration }: TronTransaction,
  order: SigningOrder,
  { contract }: SigningTerms,
): string | null {
  const [payment, ...others] = order.payments;
  if (!payment || others.length > 0 || order.inputs.length > 0) return 'the order is not for one payment';
  if (order.voids) return 'nothing needs to be voided on Tron';
  if (order.feePayer !== null) return 'nobody pays the fees of another on Tron';
  if (owner !== order.wallet) return 'the payload is of another wallet than the order';
  // The expiration is all that keeps a second signature from paying twice while the first is alive.
  if (expiration !== order.validUntil) return 'the payload expires at another time than the order says';
  if (!isOfNonce(expiration, order.nonce)) return 'the payload has another nonce than the order';
  if (order.delegates !== undefined && (order.key.role !== 'hot' || payment.toKey?.role !== 'deposit'))
    return 'the hot wallet lends energy to our own deposit addresses only';
  const kind = actionOf(order.delegates, contract === null ? 'coin' : 'token');
  if (action.kind !== kind || (action.kind === 'token' && action.contract !== contract))
    return "the payload does not move the order's asset";
  if (action.to !== normalizeTronAddress(payment.to)) return "the payload does not pay the order's recipient";
  if (action.units !== payment.units) return 'the payload moves another amount';
  return null;
}

/** Most sun that it can cost: its bytes, its energy, and an activation where the coin is paid. */
function mostOf({ action, feeLimit }: TronTransaction, payload: string): bigint {
  const bytes = bandwidthOf(signedBytes(payload)) * BYTE_SUN;
  return action.kind === 'coin' ? larger(bytes, ACTIVATION_SUN) : feeLimit + bytes;
}
