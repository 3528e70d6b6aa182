/**
 * The changes of our account in a range of ledgers, without reading the ledgers. The account names
 * the transaction that changed it last, and each transaction names the one before (PreviousTxnID).
 * So an incomplete list is detected, and no list is needed where the account has not changed.
 */
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { hash, ledgerTransaction, whole } from '../codec/decode.ts';
import { type Fields, type LedgerNode, unless } from '../ledger-node.ts';

/** Raw transactions with their metadata, oldest first, by the index of their ledger. */
export type AccountHistory = ReadonlyMap<number, readonly unknown[]>;

/** Most that a public server returns in one call. */
const PAGE = 400;
const PAGES_MAX = 25;

/** The transaction that changed the account last, and its ledger. */
interface AccountChange {
  readonly txid: string;
  readonly height: number;
}

/**
 * All changes of the account in the validated ledgers from `from` up to `last`. Null where the node
 * does not prove that the list is complete, or the account does not exist: then the ledgers
 * themselves must be read.
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
    // The server has no such lists, or none of these ledgers.
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/**
 * From the newest back to the first one before `from`. Null where one of them is missing, or the
 * account was created or deleted.
 */
async function changesSince(
  node: LedgerNode,
  on: { account: string; root: string; from: number; to: number },
  newest: AccountChange,
): Promise<AccountHistory | null> {
  const { account, root, from, to } = on;
  const found = new Map<number, unknown[]>();
  const listed = new Map<string, Fields>();
  let next: AccountChange = newest;
  let marker: unknown;
  for (let page = 0; next.height >= from; page++) {
    if (page === PAGES_MAX || (page > 0 && marker === undefined)) return null;
    const range = { ledger_index_min: from, ledger_index_max: to };
    const place = marker === undefined ? {} : { marker };
    const answer = await node.ask('account_tx', { account, ...range, limit: PAGE, forward: false, ...place });
    // Within a page the order is not defined.
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

/** Null for an account that was just created or deleted. */
function changeBefore({ PreviousTxnID, PreviousTxnLgrSeq }: Fields): AccountChange | null {
  if (PreviousTxnID === undefined) return null;
  return {
    txid: hash(PreviousTxnID, 'previous transaction'),
    height: whole(PreviousTxnLgrSeq, 'ledger of the previous transaction'),
  };
}
