/**
 * EVM keys and signatures. The hot wallet is m/44'/60'/0'/1/0, the deposit address of index i is
 * m/44'/60'/0'/0/i. Of the mnemonic only the account's key is kept, in memory. ethers is loaded at
 * the first signature.
 */
import type { HDNodeWallet } from 'ethers';
import { walletKey } from '../../../../domain/catalog/family.ts';
import type { FamilySigning, SigningTerms } from '../../../../ports/sending/family-signing.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../../ports/sending/signer.ts';
import { normalizeEvmAddress } from '../address.ts';
import type { EvmPayment, UnsignedEvmTransaction } from './transaction.ts';

const ACCOUNT_PATH = walletKey('evm').path;
const EXTERNAL = 0;
const CHANGE = 1;
const INDEX_MAX = 2 ** 31 - 1;

export function evmSigning({ mnemonic }: { mnemonic(): Promise<string> }): FamilySigning {
  let account: Promise<HDNodeWallet> | null = null;
  let hot: HDNodeWallet | null = null;

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
    if (key.role === 'change') throw new RangeError('EVM wallets have no change addresses');
    if (key.role === 'deposit') return node.deriveChild(EXTERNAL).deriveChild(checkedIndex(key.index));
    hot ??= node.deriveChild(CHANGE).deriveChild(0);
    return hot;
  }

  return {
    normalize: normalizeEvmAddress,
    addressOf: async (key) => (await walletOf(key)).address.toLowerCase(),

    async check(order, terms) {
      const { readUnsigned } = await import('./transaction.ts');
      const read = readUnsigned(order.payload);
      if (read === null)
        throw new SigningRefused('the payload is no unsigned transaction of a kind that is signed');
      const fault = faultOf(read, order, terms);
      if (fault !== null) throw new SigningRefused(fault);
      return { maxFeeUnits: read.maxFeeUnits };
    },

    async sign(order) {
      const { signUnsigned } = await import('./transaction.ts');
      return signUnsigned(order.payload, (await walletOf(order.key)).signingKey);
    },
  };
}

function checkedIndex(index: number): number {
  if (Number.isInteger(index) && index >= 0 && index <= INDEX_MAX) return index;
  throw new RangeError('a derivation index is a whole number below 2^31');
}

/**
 * The first difference between transaction and order, as text; null when they agree in everything.
 */
function faultOf(read: UnsignedEvmTransaction, order: SigningOrder, terms: SigningTerms): string | null {
  if (terms.chainId === null || read.chainId !== BigInt(terms.chainId))
    return `the payload is for another chain than ${order.chain}`;
  if (read.nonce !== order.nonce) return 'the payload has another nonce than the order';
  const expected = expectedPayment(order, terms.contract);
  if (expected === null) return 'the order names an address or an amount that there cannot be';
  if (contractOf(read) !== contractOf(expected)) return "the payload does not move the order's asset";
  if (read.recipient !== expected.recipient) return "the payload does not pay the order's recipient";
  if (read.units !== expected.units) return 'the payload moves another amount';
  return null;
}

type EvmPaymentTerms = Pick<EvmPayment, 'asset' | 'recipient' | 'units'>;

const contractOf = ({ asset }: EvmPaymentTerms): string | null =>
  asset.kind === 'token' ? asset.contract : null;

const NOTHING = { to: '', units: 0n };

/** A voiding transaction moves zero of the native coin to the wallet itself. */
function expectedPayment(order: SigningOrder, contract: string | null): EvmPaymentTerms | null {
  const [{ to, units } = NOTHING, ...others] = order.payments;
  const wallet = normalizeEvmAddress(order.wallet);
  const recipient = normalizeEvmAddress(to);
  if (wallet === null || recipient === null || units <= 0n || units >= 2n ** 256n) return null;
  if (others.length > 0 || order.inputs.length > 0) return null;
  const native = { kind: 'native' } as const;
  if (order.voids) return { asset: native, recipient: wallet, units: 0n };
  if (contract === null) return { asset: native, recipient, units };
  const token = normalizeEvmAddress(contract);
  return token === null ? null : { asset: { kind: 'token', contract: token }, recipient, units };
}
