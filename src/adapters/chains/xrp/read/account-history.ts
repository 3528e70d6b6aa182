/**
 * What changed our account in a range of ledgers, without reading the ledgers. The account itself
 * names the transaction that changed it last, and each one names the one before (PreviousTxnID): so
 * a list that leaves one out is found out, and where the account says that nothing has changed, no
 * list is asked for at all.
 */
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { hash, ledgerTransaction, whole } from '../codec/decode.ts';
import { type Fields, type LedgerNode, unless } from '../ledger-node.ts';

/** Raw transactions with their metadata, oldest first, by the index of their ledger. */
export type AccountHistory = ReadonlyMap<number, readonly unknown[]>;

/** Most that a server which is not one's own gives at once. */
const PAGE = 400;
const PAGES_MAX = 25;

/** The transaction that changed the account last, and its ledger. */
interface Change {
  readonly txid: string;
  readonly height: number;
}

/**
 * All that changed the account in the validated ledgers from `from` up to `last`. Null where the
 * node does not show that it is all, or the account is not there: then the ledgers themselves are
 * to be read.
 */
export async function accountHistory(
  node: LedgerNode,
  account: string,
  { from, last }: { from: number; last: { readonly height: number; readonly hash: string } },
): Promise<AccountHistory | null> {
  try {
    const state = await unless('actNotFound', () =>
      node.ask('account_info', { account, ledger_hash: last.hash }),
    );
    if (state === null || state.validated !== true) return null;
    if (hash(state.ledger_hash, 'ledger hash') !== last.hash) throw unusable('another ledger than asked');
    const data = fields(state.account_data, 'account');
    const root = hash(data.index, 'account index');
    const newest = changeBefore(data);
    if (newest === null) return null;
    if (newest.height > last.height) throw unusable('a change of a later ledger');
    return await changesSince(node, { account, root, from, to: last.height }, newest);
  } catch (error) {
    // A server without such lists, or without those of these ledgers.
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/**
 * From the newest back to the first one before `from`. Null where one of them is not shown, or the
 * account was made or deleted.
 */
async function changesSince(
  node: LedgerNode,
  on: { account: string; root: string; from: number; to: number },
  newest: Change,
): Promise<AccountHistory | null> {
  const { account, root, from, to } = on;
  const found = new Map<number, unknown[]>();
  const listed = new Map<string, Fields>();
  let next: Change = newest;
  let marker: unknown;
  for (let page = 0; next.height >= from; page++) {
    if (page === PAGES_MAX || (page > 0 && marker === undefined)) return null;
    const range = { ledger_index_min: from, ledger_index_max: to };
    const place = marker === undefined ? {} : { marker };
    const answer = await node.ask('account_tx', { account, ...range, limit: PAGE, forward: false, ...place });
    // Within a page they may come in any order.
    for (const item of list(answer.transactions, 'transactions'))
      listed.set(ledgerTransaction(item).txid, fields(item, 'transaction'));
    for (
      let told = listed.get(next.txid);
      told !== undefined && next.height >= from;
      told = listed.get(next.txid)
    ) {
      const before = changeBefore(nodeOf(told.meta, root) ?? {});
      const height = whole(told.ledger_index, 'ledger index of a transaction');
      if (height !== next.height || told.validated !== true || before === null) return null;
      found.set(height, [told, ...(found.get(height) ?? [])]);
      // Each counts once, or two that name each other would never end.
      listed.delete(next.txid);
      next = before;
    }
    marker = answer.marker;
  }
  return found;
}

/** What a transaction did to the account; null where it did not change it. */
function nodeOf(meta: unknown, root: string): Fields | null {
  for (const affected of list(fields(meta, 'metadata').AffectedNodes, 'affected nodes')) {
    const { CreatedNode, ModifiedNode, DeletedNode } = fields(affected, 'affected node');
    const node = fields(CreatedNode ?? ModifiedNode ?? DeletedNode, 'affected node');
    if (node.LedgerIndex === root) return node;
  }
  return null;
}

/** Null of an account that was just made, or deleted. */
function changeBefore({ PreviousTxnID, PreviousTxnLgrSeq }: Fields): Change | null {
  if (PreviousTxnID === undefined) return null;
  return {
    txid: hash(PreviousTxnID, 'previous transaction'),
    height: whole(PreviousTxnLgrSeq, 'ledger of the previous transaction'),
  };
}
