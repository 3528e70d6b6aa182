/**
 * Searches by the values that people know, in memory. What PostgreSQL cuts in a branch is cut here
 * too: of each merchant and environment, or of all where the branch does not go by them.
 */
import { depositFromRow } from '../../../../src/adapters/postgres/deposits/deposit-row.ts';
import { invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { CHAIN_NAMES } from '../../../../src/adapters/postgres/lists/conditions.ts';
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { SearchTerms } from '../../../../src/domain/console/search-terms.ts';
import type { PermanentAddress } from '../../../../src/domain/invoices/permanent-address.ts';
import type { Merchant } from '../../../../src/domain/merchants/merchant.ts';
import { FOUND_MAX, type PaymentSearch } from '../../../../src/ports/console/payment-search.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { lowered } from '../store/texts.ts';
import { invoicesFound } from './invoice-search.ts';
import { byId, eachOwner, placed, type RowOf } from './search-scopes.ts';

export function paymentSearch(store: MemoryStore): PaymentSearch {
  return {
    findPayments: async (scope, terms) => ({
      invoices: newest(invoicesFound(store, scope, terms), ({ createdAt }) => createdAt).map(invoiceFromRow),
      payouts: newest(payoutsFound(store, scope, terms), ({ createdAt }) => createdAt).map(payoutFromRow),
      deposits: newest(depositsFound(store, scope, terms), ({ firstSeenAt }) => firstSeenAt).map(
        depositFromRow,
      ),
      permanentAddresses: newest(addressesFound(store, scope, terms), ({ createdAt }) => createdAt),
    }),
    findMerchants: async (terms) => merchantsFound(store, terms),
  };
}

/** Each once. */
function newest<Row extends { readonly id: string }>(rows: readonly Row[], at: (row: Row) => Date): Row[] {
  return [...new Set(rows)]
    .sort((a, b) => at(b).getTime() - at(a).getTime() || byText(b.id, a.id))
    .slice(0, FOUND_MAX);
}

type PayoutRow = RowOf<'payouts'>;

function payoutsFound({ tables }: MemoryStore, scope: Scope | null, terms: SearchTerms): PayoutRow[] {
  const { text, id, txids, addresses, fiat } = terms;
  // Refunds are the operator's; a merchant finds them in its ledger.
  const rows = placed(tables.payouts, scope).filter(({ kind }) => scope === null || kind === 'payout');
  const found = rows.filter((row) => row.id === id || row.txHashes.some((hash) => txids.includes(hash)));
  /** A refund has no number. */
  const bySeq = (nulls: 'first' | 'last') => (a: PayoutRow, b: PayoutRow) =>
    numberOf(b, nulls) - numberOf(a, nulls);
  found.push(
    ...eachOwner(
      rows.filter(({ ref }) => ref === text),
      bySeq('first'),
    ),
  );
  for (const address of addresses)
    found.push(
      ...eachOwner(
        rows.filter((row) => lowered(row.address) === lowered(address)),
        bySeq('last'),
      ),
    );
  if (fiat !== null && (fiat.currency ?? 'USD') === 'USD')
    found.push(
      ...eachOwner(
        rows.filter(({ amountMicroUsd }) => amountMicroUsd === fiat.micros),
        byId,
      ),
    );
  return found;
}

function numberOf({ seq }: PayoutRow, nulls: 'first' | 'last'): number {
  if (seq !== null) return Number(seq);
  return nulls === 'first' ? Number.MAX_SAFE_INTEGER : 0;
}

/** Of one address, or of a sender with many, so many are tried. */
const TRIED = 500;

function depositsFound(
  { tables }: MemoryStore,
  scope: Scope | null,
  terms: SearchTerms,
): RowOf<'deposits'>[] {
  const { id, txids, addresses, coins } = terms;
  const all = placed(tables.deposits, scope);
  const isShown = ({ status }: RowOf<'deposits'>): boolean => scope === null || status === 'stray';
  const rows = all.filter(isShown);
  const ofChains = rows.filter(({ chain }) => CHAIN_NAMES.includes(chain));
  const found = [
    ...rows.filter((row) => row.id === id),
    ...ofChains.filter(({ txid }) => txids.includes(txid)),
    ...ofChains.filter(({ address }) => addresses.includes(address)).slice(0, TRIED),
  ];
  for (const { asset, units } of coins)
    found.push(
      ...eachOwner(
        rows.filter((row) => row.asset === asset && row.units === units),
        byId,
      ),
    );
  for (const address of addresses) {
    const sent = all.filter(
      (row) => row.addressFrom !== null && lowered(row.addressFrom) === lowered(address),
    );
    found.push(...eachOwner(eachOwner(sent, byId, TRIED).filter(isShown), byId));
  }
  return found;
}

function addressesFound(
  { tables }: MemoryStore,
  scope: Scope | null,
  { id, text, addresses }: SearchTerms,
): PermanentAddress[] {
  const rows = placed(tables.permanentAddresses, scope);
  const found = rows.filter((row) => row.id === id);
  for (const { permanentAddressId } of placed(tables.addresses, scope).filter(({ address }) =>
    addresses.includes(address),
  )) {
    const row = permanentAddressId === null ? undefined : tables.permanentAddresses.find(permanentAddressId);
    if (row !== undefined) found.push(row);
  }
  found.push(
    ...eachOwner(
      rows.filter(({ userId }) => userId === text),
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime(),
    ),
  );
  return found;
}

function merchantsFound({ tables }: MemoryStore, { id, text }: SearchTerms): Merchant[] {
  const isNamed = ({ name }: Merchant): boolean => lowered(name).includes(lowered(text));
  return newest(
    tables.merchants.where((row) => row.id === id || isNamed(row)),
    ({ createdAt }) => createdAt,
  );
}
