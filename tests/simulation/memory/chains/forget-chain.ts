/** Removes all records of a chain in memory, if no money is booked there (safety.md K3). */
import type { Forgotten } from '../../../../src/adapters/postgres/chains/forget-chain.ts';
import type { MemoryStore } from '../store/memory-store.ts';

/** Within a transaction. */
export function forgetChain({ tables }: MemoryStore, chain: string): Forgotten {
  const isKnown =
    tables.chainIdentities.find(chain) !== undefined || tables.chainCursors.find(chain) !== undefined;
  if (!isKnown) return { kind: 'unknown' };
  const isOfChain = (row: { readonly chain: string }) => row.chain === chain;
  const counts = {
    deposits: tables.deposits.where(
      (row) => isOfChain(row) && row.status !== 'dropped' && row.status !== 'reversed',
    ),
    coins: tables.utxos.where(isOfChain),
    transfers: tables.outgoingTransfers.where(isOfChain),
    sweeps: tables.sweeps.where(isOfChain),
    capital: tables.capitalBookings.where(isOfChain),
    payouts: tables.payouts.where(
      ({ sandbox, asset, status }) =>
        !sandbox && asset.split('_')[1] === chain && status !== 'failed' && status !== 'cancelled',
    ),
  };
  const booked = Object.entries(counts).flatMap(([what, { length: count }]) =>
    count > 0 ? [{ what, count }] : [],
  );
  if (booked.length > 0) return { kind: 'booked', booked };
  forgetRows(tables.chainIdentities, isOfChain);
  forgetRows(tables.chainCursors, isOfChain);
  forgetRows(tables.chainBlocks, isOfChain);
  forgetRows(tables.chainHealth, isOfChain);
  forgetRows(tables.nodeUsage, isOfChain);
  forgetRows(tables.wallets, isOfChain);
  forgetRows(tables.forwardRequests, isOfChain);
  return { kind: 'forgotten' };
}

interface Rows<Row> {
  where(test: (row: Row) => boolean): Row[];
  delete(row: Row): void;
}

function forgetRows<Row>(table: Rows<Row>, test: (row: Row) => boolean): void {
  for (const row of table.where(test)) table.delete(row);
}
