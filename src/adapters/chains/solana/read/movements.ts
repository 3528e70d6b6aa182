/**
 * The balance changes of one transaction, from its status metadata: the native coin by account,
 * tokens by token account. Instructions are not read: the balance change is the same whichever
 * program made it, inner instructions and transfer fees included (safety.md S4, S5).
 */
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { lamports, tokenUnits, wholeNumber } from '../answers.ts';

export interface Movements {
  /** Signature of the fee payer. */
  readonly txid: string;
  /** The runtime reverted everything but the fee (safety.md S1). */
  readonly failed: boolean;
  /** The error, or null. */
  readonly error: unknown;
  readonly feeUnits: bigint;
  /** Signers come first, and the fee payer before all. */
  readonly accounts: readonly string[];
  readonly signers: number;
  /** Lamports before and after, by position in `accounts`. */
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  /** Token accounts before and after. */
  readonly tokensBefore: readonly TokenHolding[];
  readonly tokensAfter: readonly TokenHolding[];
}

export interface TokenHolding {
  readonly account: string;
  readonly mint: string;
  /** Null in blocks older than this field of nodes (2021). */
  readonly owner: string | null;
  readonly units: bigint;
}

/**
 * A transaction of getBlock, in full or with its accounts alone, or of getTransaction, in encoding
 * json, of any version.
 */
export function movementsIn(answer: unknown): Movements {
  const { transaction, meta } = fields(answer, 'transaction');
  const { message, accountKeys, signatures } = fields(transaction, 'transaction');
  const status = fields(meta, 'transaction status');
  // Without this field the status says neither success nor failure. Some gateways omit it.
  if (status.err === undefined) throw unusable('transaction status without its error');
  const signed = list(signatures, 'signatures');
  const [txid] = signed;
  if (typeof txid !== 'string') throw unusable('signature');
  const accounts =
    message === undefined ? listedIn(accountKeys) : accountsOf(message, status.loadedAddresses);
  const before = list(status.preBalances, 'balances');
  const after = list(status.postBalances, 'balances');
  if (before.length !== accounts.length || after.length !== accounts.length) throw unusable('balances');
  return {
    txid,
    failed: status.err !== null,
    error: status.err,
    feeUnits: lamports(status.fee, 'fee'),
    accounts,
    signers: signed.length,
    before,
    after,
    tokensBefore: holdings(status.preTokenBalances, accounts),
    tokensAfter: holdings(status.postTokenBalances, accounts),
  };
}

/**
 * Static accounts first, then those of lookup tables: writable, then read-only. Balances are
 * indexed in this order.
 */
function accountsOf(message: unknown, loaded: unknown): readonly string[] {
  const { accountKeys } = fields(message, 'message');
  const { writable = [], readonly: readOnly = [] } = loaded == null ? {} : fields(loaded, 'loaded addresses');
  return [accountKeys, writable, readOnly].flatMap((keys) =>
    list(keys, 'account keys').map((key) => text(key, 'account key')),
  );
}

/** Those of lookup tables are included, in the same order. */
function listedIn(accountKeys: unknown): readonly string[] {
  return list(accountKeys, 'account keys').map((key) =>
    text(fields(key, 'account key').pubkey, 'account key'),
  );
}

function holdings(value: unknown, accounts: readonly string[]): readonly TokenHolding[] {
  if (value == null) return [];
  return list(value, 'token balances').map((item) => {
    const { accountIndex, mint, owner, uiTokenAmount } = fields(item, 'token balance');
    const account = accounts[wholeNumber(accountIndex, 'account index')];
    if (account === undefined) throw unusable('account index');
    return {
      account,
      mint: text(mint, 'mint'),
      owner: owner == null ? null : text(owner, 'token owner'),
      units: tokenUnits(fields(uiTokenAmount, 'token amount').amount),
    };
  });
}

/** Addresses are only compared here, thousands in a block, so they are not decoded. */
function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw unusable(what);
  return value;
}

/** By how many lamports the account at `position` grew, not counting a fee that it paid. */
export function lamportsGained({ before, after, feeUnits }: Movements, position: number): bigint {
  // Most accounts of a block did not change: equal texts of numbers need no arithmetic.
  if (before[position] === after[position] && position > 0) return 0n;
  const gained = lamports(after[position], 'balance') - lamports(before[position], 'balance');
  return position === 0 ? gained + feeUnits : gained;
}

/**
 * By how much a token account grew under one owner. What it held when its owner changed is no
 * payment (S3).
 */
export function tokensGained({ tokensBefore }: Movements, held: TokenHolding): bigint {
  const earlier = tokensBefore.find(({ account }) => account === held.account);
  if (earlier === undefined) return held.units;
  return earlier.owner === held.owner && earlier.mint === held.mint ? held.units - earlier.units : 0n;
}
