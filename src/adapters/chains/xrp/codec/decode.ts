/** Checks what nodes of the XRP Ledger answer: a value of another shape throws NodeError. */
import { parseDecimal, toUnits } from '../../../../domain/money/decimal.ts';
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import type { Fields } from '../ledger-node.ts';

/** Seconds from 1970 to 2000, where the ledger's time begins. */
const RIPPLE_EPOCH = 946_684_800;
/** 100 billion XRP. */
const DROPS_MAX = 10n ** 17n;

/** Upper case, as the ledger's own tools show hashes. */
export function hash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^[0-9a-fA-F]{64}$/.test(value)) throw unusable(what);
  return value.toUpperCase();
}

/** A ledger's index or an account's sequence: API version 1 wrote some of them as text. */
export function whole(value: unknown, what: string): number {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) throw unusable(what);
  return number;
}

/**
 * An amount of XRP in drops: text, so that it is exact. Null for anything else, such as an amount
 * of an issued currency.
 */
export function dropsOrNull(value: unknown): bigint | null {
  if (typeof value !== 'string' || !/^\d{1,18}$/.test(value)) return null;
  const drops = BigInt(value);
  return drops > DROPS_MAX ? null : drops;
}

export function drops(value: unknown, what: string): bigint {
  const amount = dropsOrNull(value);
  if (amount === null) throw unusable(what);
  return amount;
}

/** Drops that nodes return as a number (reserves). */
export function dropsNumber(value: unknown, what: string): bigint {
  return BigInt(whole(value, what));
}

/**
 * Drops that nodes return as a number of XRP (reserves): it has few digits, so a float keeps it
 * exactly.
 */
export function dropsOfXrp(value: unknown, what: string): bigint {
  const decimal = typeof value === 'number' && value >= 0 ? parseDecimal(String(value)) : null;
  const units = decimal === null ? null : toUnits(decimal, 6);
  if (units === null || units > DROPS_MAX) throw unusable(what);
  return units;
}

export interface ValidatedLedger extends BlockRef {
  /** Present when they were requested. */
  readonly transactions: readonly unknown[];
}

/**
 * A ledger by the method `ledger`; null when it is not validated (yet): another may still replace
 * it.
 */
export function validatedLedger(answer: Fields): ValidatedLedger | null {
  if (answer.validated !== true) return null;
  const ledger = fields(answer.ledger, 'ledger');
  return {
    height: whole(ledger.ledger_index, 'ledger index'),
    hash: hash(ledger.ledger_hash, 'ledger hash'),
    parentHash: hash(ledger.parent_hash, 'ledger parent hash'),
    time: whole(ledger.close_time, 'ledger close time') + RIPPLE_EPOCH,
    transactions: ledger.transactions === undefined ? [] : list(ledger.transactions, 'ledger transactions'),
  };
}

/** A transaction with its metadata. Only the fields in use are checked. */
export interface LedgerTransaction {
  readonly txid: string;
  readonly fields: Fields;
  readonly meta: Fields;
  /** `tesSUCCESS`, or the reason why it only cost its fee (`tec...`). */
  readonly result: string;
}

export function ledgerTransaction(value: unknown): LedgerTransaction {
  const item = fields(value, 'transaction');
  const transaction = fields(item.tx_json, 'transaction fields');
  const meta = fields(item.meta, 'transaction metadata');
  const { TransactionResult: result } = meta;
  if (typeof result !== 'string') throw unusable('transaction result');
  return {
    txid: hash(item.hash ?? transaction.hash, 'transaction hash'),
    fields: transaction,
    meta,
    result,
  };
}

/**
 * By how many drops a transaction changed an account's balance, fees included; null when it did not
 * touch the account. Metadata of a validated ledger names every account whose balance changed.
 */
export function balanceChange(meta: Fields, account: string): bigint | null {
  for (const affected of list(meta.AffectedNodes, 'affected nodes')) {
    const { CreatedNode, ModifiedNode, DeletedNode } = fields(affected, 'affected node');
    const node = fields(CreatedNode ?? ModifiedNode ?? DeletedNode, 'affected node');
    if (node.LedgerEntryType !== 'AccountRoot') continue;
    const now = (CreatedNode === undefined ? node.FinalFields : node.NewFields) as Fields | undefined;
    if (now?.Account !== account) continue;
    const after = drops(now.Balance, 'account balance');
    if (CreatedNode !== undefined) return after;
    const previous = node.PreviousFields as Fields | undefined;
    return previous?.Balance === undefined ? 0n : after - drops(previous.Balance, 'previous balance');
  }
  return null;
}
