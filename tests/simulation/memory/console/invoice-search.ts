/** Invoices by what people know of them, in memory (payment-search.ts). */
import { CHAIN_NAMES } from '../../../../src/adapters/postgres/lists/conditions.ts';
import type { SearchTerms } from '../../../../src/domain/console/search-terms.ts';
import type { JsonObject } from '../../../../src/domain/money/json.ts';
import { FOUND_MAX } from '../../../../src/ports/console/payment-search.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { lowered } from '../store/texts.ts';
import { byId, eachOwner, type Order, placed, type RowOf } from './search-scopes.ts';

type Row = RowOf<'invoices'>;

export function invoicesFound(store: MemoryStore, scope: Scope | null, terms: SearchTerms): Row[] {
  const rows = placed(store.tables.invoices, scope);
  const found = [...byName(rows, terms), ...byAmount(rows, terms), ...paid(store, scope, terms)];
  found.push(...atAddresses(store, scope, terms));
  return found;
}

const bySeq: Order<Row> = (a, b) => Number(b.seq - a.seq);

function byName(rows: readonly Row[], { text, id, externalId, email }: SearchTerms): Row[] {
  const isSame = (row: Row): boolean => row.id === id || row.externalId === externalId;
  const some = (fits: (row: Row) => boolean): Row[] => eachOwner(rows.filter(fits), bySeq);
  return [
    ...rows.filter(isSame),
    ...some(({ extra }) => extra === text),
    ...(email === null ? [] : some(({ payerInfo }) => emailOf(payerInfo) === email)),
    ...some(({ userId }) => userId === text),
  ];
}

/** Of one amount so many newest invoices are tried for their currency. */
const TRIED = 500;
const ASKED: readonly string[] = ['created', 'partially_paid', 'expired', 'cancelled'];

function byAmount(rows: readonly Row[], { fiat, coins }: SearchTerms): Row[] {
  const found: Row[] = [];
  if (fiat !== null) {
    const { micros, currency } = fiat;
    const tried = eachOwner(
      rows.filter(({ initialFiatMicros }) => initialFiatMicros === micros),
      byId,
      TRIED,
    );
    found.push(
      ...eachOwner(
        tried.filter(({ fiatCurrency }) => currency === null || fiatCurrency === currency),
        byId,
      ),
    );
  }
  for (const { asset, units } of coins)
    found.push(
      ...eachOwner(
        rows.filter((row) => ASKED.includes(row.status) && row.asset === asset && row.dueUnits === units),
        byId,
      ),
    );
  return found;
}

function paid({ tables }: MemoryStore, scope: Scope | null, { txids, addresses, coins }: SearchTerms): Row[] {
  const rows = placed(tables.deposits, scope);
  const deposits = rows
    .filter(({ chain, txid }) => CHAIN_NAMES.includes(chain) && txids.includes(txid))
    .slice(0, FOUND_MAX);
  for (const { asset, units } of coins)
    deposits.push(
      ...eachOwner(
        rows.filter((row) => row.asset === asset && row.units === units),
        byId,
      ),
    );
  for (const address of addresses)
    deposits.push(
      ...eachOwner(
        rows.filter(({ addressFrom }) => addressFrom !== null && lowered(addressFrom) === lowered(address)),
        byId,
      ),
    );
  return deposits.flatMap(({ invoiceId }) => {
    const row = invoiceId === null ? undefined : tables.invoices.find(invoiceId);
    return row === undefined ? [] : [row];
  });
}

/** Those that an address was issued for, and those of a permanent address. */
function atAddresses({ tables }: MemoryStore, scope: Scope | null, { addresses }: SearchTerms): Row[] {
  const found: Row[] = [];
  if (addresses.length === 0) return found;
  for (const row of placed(tables.addresses, scope)) {
    if (!addresses.includes(row.address)) continue;
    if (row.invoiceId !== null) found.push(tables.invoices.find(row.invoiceId)!);
    const permanent =
      row.permanentAddressId === null ? undefined : tables.permanentAddresses.find(row.permanentAddressId);
    if (permanent === undefined) continue;
    const { id, userId } = permanent;
    found.push(
      ...eachOwner(
        placed(tables.invoices, permanent).filter(
          (invoice) => invoice.permanentAddressId === id && invoice.userId === userId,
        ),
        bySeq,
      ),
    );
  }
  return found;
}

const EMAIL_LENGTH_KEPT = 254;

/** As the trigger of drizzle/0006_console.sql finds it; PostgreSQL has no U+0000. */
function emailOf(payerInfo: JsonObject | null): string | null {
  const { email = null } = payerInfo ?? {};
  if (email === null) return null;
  const text = typeof email === 'string' ? email : JSON.stringify(email);
  if (text.includes('\0')) return null;
  return Array.from(lowered(text.replaceAll(/^ +| +$/g, '')))
    .slice(0, EMAIL_LENGTH_KEPT)
    .join('');
}
