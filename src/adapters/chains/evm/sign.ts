/**
 * EVM keys and signatures. The hot wallet is m/44'/60'/0'/1/0, the deposit address of index i is m/44'/60'/0'/0/i; of the
 * words only the account's key is kept, in memory. ethers is loaded when something is signed for the first time.
 */
import type { HDNodeWallet } from 'ethers';
import type { FamilySigning, SigningTerms } from '../../../ports/family-signing.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../ports/signer.ts';
import { normalizeEvmAddress } from '../shared/eip55.ts';
import { readUnsigned, type UnsignedEvmTransaction } from './read-unsigned.ts';

const ACCOUNT_PATH = "m/44'/60'/0'";
const EXTERNAL = 0;
const CHANGE = 1;
const INDEX_MAX = 2 ** 31 - 1;
/** transfer(address,uint256), ERC-20. */
const TRANSFER_SELECTOR = '0xa9059cbb';

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
    if (key.role === 'deposit') return node.deriveChild(EXTERNAL).deriveChild(checkedIndex(key.index));
    hot ??= node.deriveChild(CHANGE).deriveChild(0);
    return hot;
  }

  return {
    normalize: normalizeEvmAddress,
    addressOf: async (key) => (await walletOf(key)).address.toLowerCase(),

    async check(order, terms) {
      const read = await readUnsigned(order.payload);
      if (read === null)
        throw new SigningRefused('the payload is no unsigned transaction of a kind that is signed');
      const fault = faultOf(read, order, terms);
      if (fault !== null) throw new SigningRefused(fault);
      return { maxFeeUnits: read.maxFeeWei };
    },

    async sign(order) {
      const read = await readUnsigned(order.payload);
      if (read === null) throw new Error('a payload was to be signed that cannot be read');
      return read.signedWith((await walletOf(order.key)).signingKey);
    },
  };
}

function checkedIndex(index: number): number {
  if (Number.isInteger(index) && index >= 0 && index <= INDEX_MAX) return index;
  throw new RangeError('a derivation index is a whole number below 2^31');
}

/** What the transaction does that the order does not say, in words; null when they agree in everything. */
function faultOf(read: UnsignedEvmTransaction, order: SigningOrder, terms: SigningTerms): string | null {
  if (terms.chainId === null || read.chainId !== BigInt(terms.chainId))
    return `the payload is for another chain than ${order.chain}`;
  if (read.nonce !== order.sequence) return 'the payload has another nonce than the order';
  if (read.hasAccessList) return 'the payload has an access list, which no payment of ours needs';
  const expected = expectedCall(order, terms.contract);
  if (expected === null) return 'the order names an address or an amount that there cannot be';
  if (read.to !== expected.to) return `the payload does not go to ${expected.recipient}`;
  if (read.valueWei !== expected.valueWei) return 'the payload moves another amount of the native coin';
  if (read.data !== expected.data) return `the payload's data is not ${expected.call}`;
  return null;
}

interface ExpectedCall {
  readonly to: string;
  readonly valueWei: bigint;
  readonly data: string;
  /** For people. */
  readonly recipient: string;
  readonly call: string;
}

function expectedCall(order: SigningOrder, contract: string | null): ExpectedCall | null {
  const wallet = normalizeEvmAddress(order.wallet);
  const to = normalizeEvmAddress(order.to);
  if (wallet === null || to === null || order.units <= 0n || order.units >= 2n ** 256n) return null;
  const nothing = { data: '0x', call: 'empty' };
  if (order.voids) return { to: wallet, valueWei: 0n, recipient: 'the wallet itself', ...nothing };
  if (contract === null) return { to, valueWei: order.units, recipient: "the order's recipient", ...nothing };
  const token = normalizeEvmAddress(contract);
  if (token === null) return null;
  return {
    to: token,
    valueWei: 0n,
    data: `${TRANSFER_SELECTOR}${to.slice(2).padStart(64, '0')}${order.units.toString(16).padStart(64, '0')}`,
    recipient: "the asset's contract",
    call: "the one transfer to the order's recipient",
  };
}
