/**
 * The root of a block's transactions (`txTrieRoot` of its header), computed from those that a node
 * lists. java-tron's rule (BlockCapsule.calcMerkleRoot, MerkleTree): the leaves are SHA-256 of the
 * transactions as Tron.proto has them, signatures and result included; two hashes are hashed
 * together, and one without a neighbour moves up as it is.
 */
import { hash } from 'node:crypto';
import { fields, list } from '../../shared/nodes/answers.ts';
import { hexText } from '../answers.ts';
import { hexField, numberField } from './protobuf.ts';

/** Of no transactions. */
export const EMPTY_ROOT = '0'.repeat(64);

/** In the order of their numbers in Tron.proto (Transaction.Result.contractResult). */
const RESULTS = [
  ...['DEFAULT', 'SUCCESS', 'REVERT', 'BAD_JUMP_DESTINATION', 'OUT_OF_MEMORY', 'PRECOMPILED_CONTRACT'],
  ...['STACK_TOO_SMALL', 'STACK_TOO_LARGE', 'ILLEGAL_OPERATION', 'STACK_OVERFLOW', 'OUT_OF_ENERGY'],
  ...['OUT_OF_TIME', 'JVM_STACK_OVER_FLOW', 'UNKNOWN', 'TRANSFER_FAILED', 'INVALID_CODE'],
];
const RESULT_FIELDS: ReadonlyMap<unknown, string> = new Map(
  RESULTS.map((name, code) => [name, hexField(5, numberField(3, BigInt(code)).toString('hex'))]),
);

/** In hex. Null where a transaction has no raw bytes, or a result that is unknown here. */
export function transactionRoot(transactions: readonly unknown[]): string | null {
  const leaves = transactions.map(leafOf);
  let hashes = leaves.filter((leaf) => leaf !== null);
  if (hashes.length < leaves.length) return null;
  while (hashes.length > 1) hashes = parentsOf(hashes);
  return hashes[0] ?? EMPTY_ROOT;
}

const parentsOf = (hashes: readonly string[]): string[] =>
  hashes.flatMap((left, position) => {
    if (position % 2 === 1) return [];
    const right = hashes[position + 1];
    return [right === undefined ? left : sha256(left + right)];
  });

function leafOf(item: unknown): string | null {
  const { raw_data_hex, signature, ret } = fields(item, 'transaction');
  if (raw_data_hex === undefined) return null;
  let bytes = hexField(1, hexText(raw_data_hex, 'transaction bytes'));
  for (const each of list(signature ?? [], 'signatures')) bytes += hexField(2, hexText(each, 'signature'));
  for (const each of list(ret ?? [], 'transaction results')) {
    const result = resultField(each);
    if (result === undefined) return null;
    bytes += result;
  }
  return sha256(bytes);
}

function resultField(item: unknown): string | undefined {
  const { contractRet = 'DEFAULT', ...more } = fields(item, 'transaction result');
  return Object.keys(more).length > 0 ? undefined : RESULT_FIELDS.get(contractRet);
}

const sha256 = (hex: string): string => hash('sha256', Buffer.from(hex, 'hex'));
