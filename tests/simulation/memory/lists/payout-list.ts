/** Payouts and permanent addresses as a merchant's lists filter and sort them. */
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import { lastChange } from '../../../../src/domain/chains/last-change.ts';
import type { PermanentAddress } from '../../../../src/domain/invoices/permanent-address.ts';
import type { Payout } from '../../../../src/domain/payouts/payout-record.ts';
import type {
  Page,
  PageRequest,
  PayoutFilter,
  PermanentAddressFilter,
  Scope,
  Sort,
} from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byNumber, byText, byTime } from '../store/orders.ts';
import { lowered } from '../store/texts.ts';
import { fulfilling, inOrder, inScope, isWithin, pageOf, sorted, wants } from './page.ts';

type StoredPayout = NonNullable<ReturnType<MemoryStore['tables']['payouts']['find']>>;
type ListedPayout = StoredPayout & { readonly seq: bigint };

/** Without refunds, which have no number. */
export function payoutsOf({ tables }: MemoryStore, scope: Scope, filter: PayoutFilter): ListedPayout[] {
  const listed = inScope(tables.payouts, scope).filter((row): row is ListedPayout => row.seq !== null);
  return fulfilling(listed, [
    ...wants<readonly string[], ListedPayout>(filter.ids, (ids) => {
      const wanted = new Set(ids);
      return (row) => wanted.has(row.id);
    }),
    ...wants<readonly string[], ListedPayout>(filter.txids, (txids) => {
      const wanted = new Set(txids);
      return (row) => row.txHashes.some((txid) => wanted.has(txid));
    }),
    ...wants<string, ListedPayout>(filter.ref, (ref) => (row) => row.ref === ref),
    ...wants<string, ListedPayout>(filter.address, (address) => {
      const wanted = lowered(address);
      return (row) => lowered(row.address) === wanted;
    }),
    ...wants<Date, ListedPayout>(filter.updatedFrom, (time) => (row) => lastChange(row) >= time),
    ...wants<string, ListedPayout>(filter.asset, (asset) => (row) => row.asset === asset),
    (row) => isWithin(row.createdAt, filter),
  ]);
}

export function payoutPage(
  store: MemoryStore,
  { scope, filter, sort }: { scope: Scope; filter: PayoutFilter; sort: Sort },
  page: PageRequest,
): Page<Payout> {
  return pageOf(sorted(payoutsOf(store, scope, filter), sort, byAmount), page, payoutFromRow);
}

/** In USD: units of different assets cannot be compared. */
function byAmount(a: ListedPayout, b: ListedPayout): number {
  return byNumber(a.amountMicroUsd, b.amountMicroUsd) || byText(a.id, b.id);
}

/** The newest first. */
export function permanentAddressPage(
  { tables }: MemoryStore,
  { scope, filter }: { scope: Scope; filter: PermanentAddressFilter },
  page: PageRequest,
): Page<PermanentAddress> {
  const rows = fulfilling<PermanentAddress>(inScope(tables.permanentAddresses, scope), [
    ...wants<readonly string[], PermanentAddress>(filter.addresses, (addresses) => {
      const found = addresses.flatMap((spelling) => tables.addresses.by('address', spelling));
      const wanted = new Set(found.map(({ permanentAddressId }) => permanentAddressId));
      return (row) => wanted.has(row.id);
    }),
    ...wants<string, PermanentAddress>(filter.family, (family) => (row) => row.family === family),
    ...wants<string, PermanentAddress>(filter.userId, (userId) => (row) => row.userId === userId),
    ...wants<boolean, PermanentAddress>(filter.active, (active) => (row) => row.active === active),
  ]);
  const sorted = inOrder(rows, 'desc', (a, b) => byTime(a.createdAt, b.createdAt) || byText(a.id, b.id));
  return pageOf(sorted, page, (row) => row);
}
