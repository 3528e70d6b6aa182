/** The addresses in memory that must be followed at a source without whole blocks. */
import { choicesFromText } from '../../../../src/adapters/postgres/invoices/invoice-choices.ts';
import { isFinal } from '../../../../src/domain/invoices/invoice.ts';
import type { OperatorQueries } from '../../../../src/ports/operator-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byNumber, byText } from '../store/orders.ts';

type FollowedAddresses = Pick<OperatorQueries, 'addressesExpecting' | 'addressesToFollow'>;
type Wanted = Parameters<FollowedAddresses['addressesToFollow']>[0];

export function followedAddresses(store: MemoryStore): FollowedAddresses {
  return {
    addressesExpecting: async (of) => [...expecting(store, of)],
    addressesToFollow: async (what) => [
      ...new Set([
        ...expecting(store, what),
        ...ofNewestInvoices(store, what),
        ...ofDeactivated(store, what),
        ...ofLargestCoins(store, what),
      ]),
    ],
  };
}

function expecting(
  { tables }: MemoryStore,
  { family, asset }: Pick<Wanted, 'family' | 'asset'>,
): ReadonlySet<string> {
  const expected = new Set<string>();
  for (const { address, sandbox, invoiceId, permanentAddressId } of tables.addresses.by('family', family)) {
    const permanent =
      permanentAddressId === null ? undefined : tables.permanentAddresses.find(permanentAddressId);
    if (permanent?.active && !sandbox) expected.add(address);
    const invoice = invoiceId === null ? undefined : tables.invoices.find(invoiceId);
    if (invoice === undefined || invoice.sandbox || isFinal(invoice)) continue;
    // A payment for an earlier choice counts only while nothing else was paid.
    const choseBefore = () =>
      invoice.status === 'created' &&
      choicesFromText(invoice.earlierChoices).some(({ price }) => price.asset === asset);
    if (invoice.asset === asset || choseBefore()) expected.add(address);
  }
  return expected;
}

/** Ids of invoices sort by time. The last so many are read, of whatever family. */
function ofNewestInvoices({ tables }: MemoryStore, { family, newest }: Wanted): readonly string[] {
  return tables.addresses
    .where(({ invoiceId }) => invoiceId !== null)
    .sort((a, b) => byText(b.invoiceId ?? '', a.invoiceId ?? ''))
    .slice(0, 5 * newest)
    .filter((one) => one.family === family)
    .slice(0, newest)
    .map(({ address }) => address);
}

function ofDeactivated({ tables }: MemoryStore, { family, newest }: Wanted): readonly string[] {
  return tables.permanentAddresses
    .where((permanent) => permanent.family === family && !permanent.sandbox && !permanent.active)
    .flatMap(({ id, deactivatedAt }) =>
      tables.addresses
        .by('permanentAddressId', id)
        .map(({ address }) => ({ address, goneAt: deactivatedAt?.getTime() ?? Infinity })),
    )
    .sort((a, b) => b.goneAt - a.goneAt)
    .slice(0, newest)
    .map(({ address }) => address);
}

function ofLargestCoins({ tables }: MemoryStore, { chain, coins }: Wanted): readonly string[] {
  return tables.utxos
    .by('chain', chain)
    .filter(({ claimedBy, blockHeight }) => claimedBy === null && blockHeight !== null)
    .sort((a, b) => byNumber(b.units, a.units))
    .slice(0, coins)
    .map(({ address }) => address);
}
