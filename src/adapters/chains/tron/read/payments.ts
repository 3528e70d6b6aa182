/**
 * The payments in a block's transactions, their logs and their internal transactions: pure
 * functions from checked answers to transfers.
 */

import { member } from '../../../../domain/money/lossless-json.ts';
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { ADDRESS_PREFIX, addressText } from '../address.ts';
import { amount } from '../answers.ts';
import { type NodeLog, type NodeTransaction, readLog, type TransactionInfo } from './blocks.ts';

/** keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export interface PaidAssets {
  /** Asset key of the native coin. */
  readonly native: string;
  /** Contract (40 hex digits) to asset key. */
  readonly tokens: ReadonlyMap<string, string>;
}

/**
 * All payments of a transaction to any address: its own amount, TRC-20 transfers of the listed
 * contracts, and native payments of contracts. Empty for a transaction that the block or the node
 * reports as failed (safety.md T1).
 */
export function paymentsOf(
  transaction: NodeTransaction,
  info: TransactionInfo,
  { native, tokens }: PaidAssets,
): readonly Transfer[] {
  if (!transaction.succeeded || !info.succeeded) return [];
  return [
    ...coinPayment(transaction, native),
    ...tokenPayments(info, tokens),
    ...internalPayments(info, native),
  ];
}

/**
 * Only TransferContract moves the native coin: TransferAssetContract moves a TRC-10 token, under
 * any name (T3).
 */
function coinPayment({ txid, type, value }: NodeTransaction, asset: string): readonly Transfer[] {
  if (type !== 'TransferContract') return [];
  const [from, to] = [textOf(value.owner_address), textOf(value.to_address)];
  const units = amount(value.amount, 'transferred amount');
  if (to === null || from === to || units === 0n) return [];
  return [{ txid, output: 'native', asset, to, from, units, kind: 'payment' }];
}

/**
 * TRC-20 transfers of the listed contracts, amounts as logged: the return value of `transfer`
 * proves nothing (T6). Ignored: logs of other contracts (T2), of another shape, of zero value, and
 * to the sender itself. The key's number counts the contract's payments to that recipient within
 * the transaction.
 */
function tokenPayments(
  { txid, logs }: TransactionInfo,
  tokens: ReadonlyMap<string, string>,
): readonly Transfer[] {
  const counted = counter();
  return logs.flatMap((item): Transfer[] => {
    const log = readLog(item);
    const asset = tokens.get(log.contract);
    const transfer = asset === undefined ? null : readTransferLog(log);
    if (asset === undefined || transfer === null || transfer.from === transfer.to) return [];
    const key = `log:${addressText(ADDRESS_PREFIX + log.contract)}:${transfer.to}`;
    return [{ txid, output: `${key}:${counted(key)}`, asset, ...transfer, kind: 'payment' }];
  });
}

/** Null for another event, another shape, and a transfer of zero. */
export function readTransferLog({
  topics,
  data,
}: NodeLog): { readonly from: string; readonly to: string; readonly units: bigint } | null {
  const [topic, fromWord, toWord] = topics;
  if (topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 64) return null;
  const [from, to] = [addressInWord(fromWord!), addressInWord(toWord!)];
  const units = BigInt(`0x${data}`);
  return from === null || to === null || units === 0n ? null : { from, to, units };
}

/** The address in a 32-byte topic; null when the twelve bytes before it are not zero. */
function addressInWord(word: string): string | null {
  return word.startsWith('0'.repeat(24)) ? addressText(ADDRESS_PREFIX + word.slice(24)) : null;
}

/**
 * Notes of internal transactions that move the native coin, in hex. Freezing and lending stake have
 * an amount and a receiver too, but move nothing to it.
 */
const PAYING_NOTES: readonly unknown[] = ['call', 'create', 'suicide'].map((note) =>
  Buffer.from(note).toString('hex'),
);

/**
 * Native payments of contracts. `rejected` ones were reverted; amounts with a token's id are of
 * TRC-10.
 */
function internalPayments({ txid, internal }: TransactionInfo, asset: string): readonly Transfer[] {
  const counted = counter();
  return internal.flatMap((item): Transfer[] => {
    const { rejected, note, caller_address, transferTo_address, callValueInfo } = fields(item, 'internal');
    if (rejected === true || !PAYING_NOTES.includes(note)) return [];
    const [from, to] = [textOf(caller_address), textOf(transferTo_address)];
    const units = list(callValueInfo ?? [], 'internal amounts').reduce<bigint>((sum, each) => {
      const ofToken = member(each, 'tokenId') !== undefined;
      return ofToken ? sum : sum + amount(member(each, 'callValue'), 'internal amount');
    }, 0n);
    if (to === null || from === to || units === 0n) return [];
    const key = `call:${to}`;
    return [{ txid, output: `${key}:${counted(key)}`, asset, to, from, units, kind: 'payment' }];
  });
}

/** Counts from zero for each key. */
function counter(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
}

/**
 * The owner whose permissions the transaction changed: other keys may own it from now on (T5). Null
 * for any other.
 */
export function permissionChange(transaction: NodeTransaction, info: TransactionInfo): string | null {
  const changed =
    transaction.type === 'AccountPermissionUpdateContract' && transaction.succeeded && info.succeeded;
  return changed ? textOf(transaction.value.owner_address) : null;
}

/**
 * The owner, if the transaction may pay somebody; null for other kinds (staking, voting, lending
 * energy).
 */
export function payingOwner({ type, value }: NodeTransaction): string | null {
  return PAYING_TYPES.has(type) ? textOf(value.owner_address) : null;
}

const PAYING_TYPES: ReadonlySet<string> = new Set([
  'TransferContract',
  'TransferAssetContract',
  'TriggerSmartContract',
  'CreateSmartContract',
]);

/** Null for text that is no address, and so none of ours. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && /^41[0-9a-fA-F]{40}$/.test(value)
    ? addressText(value.toLowerCase())
    : null;
}
