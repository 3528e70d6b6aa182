/**
 * Tron keys and signatures. The hot wallet is m/44'/195'/0'/1/0, and the deposit address of index i
 * is m/44'/195'/0'/0/i. Of the mnemonic only the account's key is kept, in memory. The first use of
 * a key loads ethers.
 */
import type { HDNodeWallet } from 'ethers';
import { walletKey } from '../../../../domain/catalog/family.ts';
import { larger } from '../../../../domain/money/larger.ts';
import type { FamilySigning, SigningTerms } from '../../../../ports/sending/family-signing.ts';
import {
  type SigningOrder,
  type SigningPayment,
  SigningRefused,
  type WalletKey,
} from '../../../../ports/sending/signer.ts';
import { CHANGE, EXTERNAL } from '../../shared/keys/account-xpub.ts';
import { type FaultChecks, firstFault } from '../../shared/send/first-fault.ts';
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
 * Sun that the network takes for a byte, and for an account that is new to it. The signer asks no
 * node. The network may vote for other prices; the policy's ceiling leaves room for them.
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
    // Tron's address is an EVM address after one more byte.
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

    // A block carries the clock of its producer.
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

interface CheckedTronOrder extends TronTransaction {
  readonly order: SigningOrder;
  /** The only payment of `order`. */
  readonly payment: SigningPayment;
  readonly terms: SigningTerms;
}

const FAULTS: FaultChecks<CheckedTronOrder> = {
  'nothing needs to be voided on Tron': ({ order }) => order.voids,
  'Tron has no separate fee payer': ({ order }) => order.feePayer !== null,
  'the payload is of another wallet than the order': ({ owner, order }) => owner !== order.wallet,
  // The expiration alone keeps a second signature from paying twice while the first is alive.
  'the payload expires at another time than the order says': ({ expiration, order }) =>
    expiration !== order.validUntil,
  'the payload has another nonce than the order': ({ expiration, order }) =>
    !isOfNonce(expiration, order.nonce),
  'the hot wallet lends energy to our own deposit addresses only': ({ order, payment }) =>
    order.delegates !== undefined && (order.key.role !== 'hot' || payment.toKey?.role !== 'deposit'),
  "the payload does not move the order's asset": (checked) => !movesAsset(checked),
  "the payload does not pay the order's recipient": ({ action, payment }) =>
    action.to !== normalizeTronAddress(payment.to),
  'the payload moves another amount': ({ action, payment }) => action.units !== payment.units,
};

/**
 * The first difference between transaction and order, as text; null when they agree in everything.
 */
function faultOf(read: TronTransaction, order: SigningOrder, terms: SigningTerms): string | null {
  const [payment, ...others] = order.payments;
  if (!payment || others.length > 0 || order.inputs.length > 0) return 'the order is not for one payment';
  return firstFault(FAULTS, { ...read, order, payment, terms });
}

function movesAsset({ action, order, terms: { contract } }: CheckedTronOrder): boolean {
  const kind = actionOf(order.delegates, contract === null ? 'coin' : 'token');
  return action.kind === kind && (action.kind !== 'token' || action.contract === contract);
}

/**
 * The most sun that the transaction can cost. A payment of the native coin may activate an account.
 * A token takes energy.
 */
function mostOf({ action, feeLimit }: TronTransaction, payload: string): bigint {
  const bytes = bandwidthOf(signedBytes(payload)) * BYTE_SUN;
  return action.kind === 'coin' ? larger(bytes, ACTIVATION_SUN) : feeLimit + bytes;
}
