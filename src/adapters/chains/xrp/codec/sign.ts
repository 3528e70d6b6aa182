/**
 * The key and the signatures of our one account, m/44'/144'/0'/0/0 on secp256k1. Deposit addresses
 * are tags and have no keys. Of the mnemonic only the account's key is kept, in memory. The
 * libraries load at their first use.
 */
import type { HDNodeWallet } from 'ethers';
import { walletKey } from '../../../../domain/catalog/family.ts';
import type { FamilySigning, SigningTerms } from '../../../../ports/sending/family-signing.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../../ports/sending/signer.ts';
import { type FaultChecks, firstFault } from '../../shared/send/first-fault.ts';
import { accountOfKey } from '../deriver.ts';
import type { XrpNetwork } from '../network.ts';
import { normalizeXrpAddress, readXrpAddress, xAddress } from './address.ts';
import type { XrpTransaction } from './transaction.ts';

const KEY_PATH = walletKey('xrp').path;
/** 10 XRP. A higher fee is a fault, even where the configuration allows it. */
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

    accountOf(address) {
      const read = readXrpAddress(network, address);
      return read === null ? null : xAddress(network, { account: read.account, tag: null });
    },

    async addressOf({ role }: WalletKey) {
      if (role !== 'hot') throw new RangeError('XRP has one account: deposits lie in the hot wallet itself');
      return xAddress(network, { account: await ownAccount(), tag: null });
    },

    async check(order, terms) {
      const { readUnsigned } = await import('./transaction.ts');
      const read = readUnsigned(order.payload);
      if (read === null)
        throw new SigningRefused('the payload is no unsigned transaction of a kind that is signed');
      const fault = faultOf({ read, order, terms, network, account: await ownAccount() });
      if (fault !== null) throw new SigningRefused(fault);
      if (read.feeDrops > SANE_FEE_MAX)
        throw new SigningRefused('the fee is above the sanity limit', { lasting: false });
      return { maxFeeUnits: read.feeDrops };
    },

    async sign(order) {
      const { signUnsigned } = await import('./transaction.ts');
      return signUnsigned(order.payload, await keyPair());
    },
  };
}

interface CheckedXrpOrder {
  readonly read: XrpTransaction;
  readonly order: SigningOrder;
  readonly terms: SigningTerms;
  readonly network: XrpNetwork;
  /** Classic address of our account. */
  readonly account: string;
}

const FAULTS: FaultChecks<CheckedXrpOrder> = {
  "only payments of the chain's own coin are signed": ({ terms }) => terms.contract !== null,
  'the payload is of another account': ({ read, account }) => read.account !== account,
  'the payload has another sequence than the order': ({ read, order }) =>
    BigInt(read.sequence) !== order.nonce,
  'the payload expires at another ledger than the order': ({ read, order }) =>
    order.validUntil === null || BigInt(read.lastLedger) !== order.validUntil,
};

/**
 * The first difference between transaction and order, as text; null when they agree in everything.
 */
function faultOf(checked: CheckedXrpOrder): string | null {
  return firstFault(FAULTS, checked) ?? contentFault(checked);
}

function contentFault({ read: { content }, order, network }: CheckedXrpOrder): string | null {
  const [payment, ...others] = order.payments;
  if (payment === undefined || others.length > 0 || order.inputs.length > 0 || payment.units <= 0n)
    return 'the order names an invalid amount, or more than one payment';
  if (order.voids) {
    // A setting is signed only for a nonce gap: no payment has that nonce.
    const isSigned = content.kind === 'void' || (content.kind === 'require_tags' && order.purpose === 'gap');
    return isSigned ? null : 'the payload moves something, or changes a setting';
  }
  if (content.kind !== 'payment') return 'the payload moves nothing';
  const to = readXrpAddress(network, payment.to);
  if (to === null || content.to.account !== to.account || content.to.tag !== to.tag)
    return "the payload does not pay the order's recipient";
  return content.drops === payment.units ? null : 'the payload moves another amount';
}
