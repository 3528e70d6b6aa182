/**
 * An order as an approver reads it: every stored field in words, a list row by row, and a link to
 * what it is about.
 */
import type { Approval } from '../../../domain/accounts/approval.ts';
import type { JsonObject, JsonValue } from '../../../domain/money/json.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { facts, table, usd } from './kit/parts.ts';

/** `base`: of the merchant's or the operators' pages. */
export function orderFacts({ kind, order }: Pick<Approval, 'kind' | 'order'>, base: string): Markup {
  const { items, ...fields } = order;
  const rows = Object.entries(fields).map(
    ([name, value]) => [nameOf(name), fact(kind, name, value, base)] as const,
  );
  return html`${facts(rows)}${Array.isArray(items) ? listOf(items as readonly JsonObject[]) : null}`;
}

const PAGES: Readonly<Record<string, string>> = { payout_id: 'payouts', invoice_id: 'payments' };

function fact(kind: Approval['kind'], name: string, value: JsonValue, base: string): Markup | string | null {
  if (kind === 'approval_limit') return limit(value);
  const page = PAGES[name];
  if (page !== undefined && typeof value === 'string')
    return html`<a href="${base}/${page}/${value}"><code>${value}</code></a>`;
  // Only a refund may leave it open.
  return name === 'amount' && value === null ? 'all that is left' : shown(value);
}

function listOf(items: readonly JsonObject[]): Markup {
  const names = [...new Set(items.flatMap(Object.keys))];
  return table(
    items,
    names.map((name) => ({ title: nameOf(name), cell: (item) => shown(item[name] ?? null) })),
    { empty: 'Nothing.', caption: 'Items' },
  );
}

const NAMES: Readonly<Record<string, string>> = {
  ref: 'reference',
  days: 'days to claim it',
  seen: 'payouts',
  mails: 'by e-mail',
  units: 'base units',
};

/** `fee_bearer` is shown as "Fee bearer". */
function nameOf(name: string): string {
  const words = NAMES[name] ?? name.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Null is shown as nothing. */
function shown(value: JsonValue): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!Array.isArray(value)) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  return value.length === 0 ? 'none' : value.map(String).join(', ');
}

/** Millionths of a US dollar. */
function limit(value: JsonValue): string {
  return typeof value === 'string' && /^\d+$/.test(value) ? usd(BigInt(value)) : 'none';
}
