/**
 * The key and the signatures of our one account, m/44'/144'/0'/0/0 on secp256k1: there are no keys of deposit addresses, which
 * are tags. Of the words only the account's key is kept, in memory. Libraries are loaded when something is signed.
 */
import type { HDNodeWallet } from 'ethers';
import { walletKey } from '../../../../domain/catalog/family.ts';
import type { FamilySigning, SigningTerms } from '../../../../ports/sending/family-signing.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../../ports/sending/signer.ts';
import { accountOfKey } from '../deriver.ts';
import type { XrpNetwork } from '../network.ts';
import { normalizeXrpAddress, readXrpAddress, xAddress } from './address.ts';
import type { XrpTransaction } from './transaction.ts';

const KEY_PATH = walletKey('xrp').path;
/** 10 XRP: above it the fee is a fault, whatever anybody configured. */
const SANE_FEE_MAX = 10_000_000n;

export function xrpSigning(options: { network: XrpNetwork; mnemonic(): Promise<string> }): FamilySigning {
  const { network, mnemonic } = options;
  let opened: Promise<HDNodeWallet> | null = null;

  async function open(): Promise<HDNodeWallet> {
    const { HDNodeWallet: Node } = await import('ethers');
    return Node.fromPhrase(await mnemonic(), '', KEY_PATH);
  }

  async function keyPair(): Promise<{ publicKey: string; privateKey: string }> {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    const { publicKey, privateKey } = await opened;
    return { publicKey: publicKey.slice(2), privateKey: privateKey.slice(2) };
  }

  const ownAccount = async (): Promise<string> => accountOfKey((await keyPair()).publicKey);

  return {
    normalize: (address) => normalizeXrpAddress(network, address),

    async addressOf({ role }: WalletKey) {
      if (role !== 'hot') throw new RangeError('XRP has one account: deposits lie in the hot wallet itself');
      return xAddress(network, { account: await ownAccount(), tag: null });
    },

    async check(order, terms) {
      const { readUnsigned } = await import('./transaction.ts');
      const read = readUnsigned(order.payload);
      if (read === null)
        throw new SigningRefused('the payload is no unsigned transaction of a kind that is signed');
      const fault = faultOf(read, order, { network, account: await ownAccount(), terms });
      if (fault !== null) throw new SigningRefused(fault);
      if (read.feeDrops > SANE_FEE_MAX)
        throw new SigningRefused('the fee is above anything that makes sense', { lasting: false });
      return { maxFeeUnits: read.feeDrops };
    },

    async sign(order) {
      const { signUnsigned } = await import('./transaction.ts');
      return signUnsigned(order.payload, await keyPair());
    },
  };
}

/** What the transaction does that the order does not say, in words; null when they agree in everything. */
function faultOf(
  read: XrpTransaction,
  order: SigningOrder,
  own: { network: XrpNetwork; account: string; terms: SigningTerms },
): string | null {
  const { network, account, terms } = own;
  if (terms.contract !== null) return "only payments of the chain's own coin are signed";
  if (read.account !== account) return 'the payload is of another account';
  if (BigInt(read.sequence) !== order.nonce) return 'the payload has another sequence than the order';
  if (order.validUntil === null || BigInt(read.lastLedger) !== order.validUntil)
    return 'the payload expires at another ledger than the order';
  const [payment, ...others] = order.payments;
  if (payment === undefined || others.length > 0 || order.inputs.length > 0 || payment.units <= 0n)
    return 'the order names an amount that there cannot be, or more than one payment';
  const { content } = read;
  if (order.voids) {
    // The only setting that is ever signed, and only for what no payment is behind.
    if (content.kind === 'require_tags' && order.purpose === 'gap') return null;
    return content.kind === 'void' ? null : 'the payload moves something, or changes a setting';
  }
  if (content.kind !== 'payment') return 'the payload moves nothing';
  const to = readXrpAddress(network, payment.to);
  if (to === null || content.to.account !== to.account || content.to.tag !== to.tag)
    return "the payload does not pay the order's recipient";
  return content.drops === payment.units ? null : 'the payload moves another amount';
}
