/**
 * What a node tells at once of many transactions of our account: those in its validated ledgers
 * (`account_tx`), and those in its open ledger and its queue (`account_info` with `queue`). Shapes
 * as in the documentation of rippled's public API, version 2.
 */
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { whole } from '../codec/decode.ts';
import type { Fields, LedgerNode } from '../ledger-node.ts';

/** Most that a public server returns in one call. */
const PAGE = 400;

/**
 * The newest transactions of the account in validated ledgers from `from` on, by their hash, and
 * unchecked. At most a page: the list may be incomplete, and proves what it shows.
 */
export async function listMined(
  node: LedgerNode,
  account: string,
  from: number,
): Promise<ReadonlyMap<unknown, Fields>> {
  // -1: the newest validated ledger of whichever machine answers.
  const range = { ledger_index_min: from, ledger_index_max: -1 };
  const answer = await node.ask('account_tx', { account, ...range, limit: PAGE, forward: false });
  const items = list(answer.transactions, 'transactions').map((item) => fields(item, 'transaction'));
  return new Map(items.map((item) => [item.hash, item]));
}

export interface OpenSequences {
  /** All lower ones are used in the open ledger. */
  readonly next: number;
  /** Those whose transactions wait in the queue. */
  readonly queued: ReadonlySet<number>;
}

/** Which sequences of the account are used by what the node has in its open ledger or its queue. */
export async function openSequences(node: LedgerNode, account: string): Promise<OpenSequences> {
  const answer = await node.ask('account_info', { account, ledger_index: 'current', queue: true });
  const data = fields(answer.account_data, 'account_data');
  if (data.Account !== account) throw unusable('another account than asked');
  const { transactions = [] } = fields(answer.queue_data ?? {}, 'queue_data');
  const queued = list(transactions, 'queued transactions').map(
    (item) =>
      // One with a ticket has no sequence.
      fields(item, 'queued transaction').seq,
  );
  return { next: whole(data.Sequence, 'account sequence'), queued: new Set(queued.filter(isSequence)) };
}

const isSequence = (value: unknown): value is number => typeof value === 'number';
