/**
 * The state of an account as of a masterchain block: its balance, and how many requests a wallet of
 * ours has taken.
 */
import { fields, unusable } from '../shared/nodes/answers.ts';
import { NodeLagging } from '../shared/nodes/node-errors.ts';
import { hash, stackNumber, text, units, wholeNumber } from './answers.ts';
import type { Position } from './read/history.ts';
import { cellOf, getMethod } from './read/jettons.ts';
import type { TonNode } from './toncenter.ts';

export interface AccountState {
  /** Nanotons. */
  readonly coins: bigint;
  /** Whether the account has a contract's code. */
  readonly active: boolean;
  /** The contract's data, a bag of cells in base64; empty without one. */
  readonly data: string;
  /** Logical time of its last transaction; 0 when there was none. */
  readonly lastLt: bigint;
  /** Its last transaction; null when there was none. */
  readonly last: Position | null;
}

/** RpcError when the node has no state of that block, or has it no longer. */
export async function accountAt(node: TonNode, address: string, seqno: number): Promise<AccountState> {
  const answer = fields(await node.call('getAddressInformation', { address, seqno }), 'account');
  if (wholeNumber(fields(answer.block_id, 'block id').seqno, 'seqno') !== seqno)
    throw new NodeLagging(`${node.label}: answers states of another block than asked`);
  const last = fields(answer.last_transaction_id, 'last transaction');
  const lastLt = units(last.lt, 'lt');
  return {
    // Some versions return -1 for an account that never existed.
    coins: String(answer.balance) === '-1' ? 0n : units(answer.balance, 'balance'),
    active: answer.state === 'active',
    data: text(answer.data ?? '', 'account data'),
    lastLt,
    last: lastLt === 0n ? null : { lt: lastLt, hash: hash(last.hash, 'transaction hash') },
  };
}

/**
 * How many requests a V5R1 wallet has taken. Its data has the count after a bit that allows
 * signatures. Zero before the first.
 */
export function seqnoOf({ active, data }: AccountState): bigint {
  if (!active) return 0n;
  try {
    return cellOf(data).beginParse().skip(1).loadUintBig(32);
  } catch {
    throw unusable('the data of a wallet');
  }
}

/** Base units in a jetton wallet as of a block; zero where it has no contract yet. */
export async function jettonsAt(node: TonNode, wallet: string, seqno: number): Promise<bigint> {
  const stack = await getMethod(node, { address: wallet, method: 'get_wallet_data', stack: [], seqno });
  if (stack !== null) return stackNumber(stack, 0, 'jetton balance');
  if ((await accountAt(node, wallet, seqno)).active) throw unusable('a jetton wallet without its get method');
  return 0n;
}
