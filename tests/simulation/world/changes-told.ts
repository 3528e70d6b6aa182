/** What a transaction changed, for people who read a story: a line for each row that matters. */
import { NUL } from '../memory/store/constraints.ts';
import type { Change } from '../memory/store/table.ts';
import { shown } from './story.ts';

type Row = Readonly<Record<string, unknown>>;

/** What the story leaves out: counts, caches, and what other rows say too. */
const UNTOLD = new Set([
  ...['chain_blocks', 'chain_health', 'chain_identities', 'counters', 'day_figure_changes', 'day_figures'],
  ...['derivation_indexes', 'list_count_changes', 'list_counts', 'node_usage', 'reconciliations'],
  ...['stored_answers', 'webhook_circuits', 'webhook_secrets', 'wallet_keys', 'api_keys'],
]);
/** Of inserted rows only these columns are told, where a row has more. */
const INSERTED: Readonly<Record<string, readonly string[]>> = {
  invoices: ['status', 'asset', 'dueUnits', 'addressTo', 'expiresAt'],
  deposits: ['status', 'asset', 'units', 'txid', 'invoiceId', 'blockHeight', 'strayReason'],
  ledger_entries: ['kind', 'referenceId', 'depositId', 'feedMicroUsd'],
  ledger_postings: ['entryId', 'account', 'amount', 'currency'],
  payouts: ['status', 'kind', 'asset', 'address', 'units', 'uniqId'],
  outgoing_transfers: ['purpose', 'referenceId', 'status', 'chain', 'wallet', 'nonce', 'asset', 'units'],
  signed_transactions: ['txid', 'transferId', 'transferBatchId', 'voids'],
  webhook_deliveries: ['invoiceId', 'payoutId', 'invoiceVersion'],
};
const UNTOLD_COLUMNS = new Set(['updatedAt', 'version', 'createdAt', 'raw', 'body']);

export function changesTold(changes: readonly Change[]): readonly string[] {
  return changes.flatMap(({ table: { name }, before, after, key }) => {
    if (UNTOLD.has(name)) return [];
    const named = `${name.replaceAll('_', ' ')} ${key.replaceAll(NUL, ' ')}`;
    if (after === undefined) return [`${named}: removed`];
    const told =
      before === undefined ? insertedText(name, after as Row) : changedText(before as Row, after as Row);
    return told === '' ? [] : [`${named}: ${told}`];
  });
}

function insertedText(name: string, row: Row): string {
  const columns = INSERTED[name] ?? Object.keys(row);
  const told = columns.filter(
    (column) => isTold(column) && row[column] !== null && row[column] !== undefined,
  );
  return `new, ${told.map((column) => `${column} ${textOf(row[column])}`).join(', ')}`;
}

function changedText(before: Row, after: Row): string {
  const changed = Object.keys(after).filter(
    (column) => isTold(column) && textOf(before[column]) !== textOf(after[column]),
  );
  return changed
    .map((column) => `${column} ${textOf(before[column])} -> ${textOf(after[column])}`)
    .join(', ');
}

const isTold = (column: string): boolean => !UNTOLD_COLUMNS.has(column);

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString().slice(11, 19);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return `[${value.map(textOf).join(' ')}]`;
  return typeof value === 'object' && value !== null ? shown(value) : String(value);
}
