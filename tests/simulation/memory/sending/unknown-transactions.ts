/** Transactions of the hot wallets that the gateway does not know, in memory. */
import { notedFromRow } from '../../../../src/adapters/postgres/sending/unknown-transactions.ts';
import type {
  NotedTransaction,
  UnknownTransactionRepository,
} from '../../../../src/ports/chains/unknown-transactions.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

type Row = Parameters<typeof notedFromRow>[0];

export function unknownTransactionRepository(store: MemoryStore): UnknownTransactionRepository {
  const { unknownTransactions, foundPaid, payouts } = store.tables;
  return {
    async note({ chain, txid, wallet, nonce, feeUnits, payments, harmless, block, minedAt, notedAt }) {
      const row = {
        ...{ chain, txid, wallet, nonce, feeUnits, harmless, minedAt, notedAt },
        payments: JSON.stringify(
          payments.map(({ units, ...rest }) => ({ ...rest, units: units.toString() })),
        ),
        blockHeight: block.height,
        blockHash: block.hash,
      };
      const there = unknownTransactions.find(chain, txid);
      if (there === undefined) {
        unknownTransactions.insert(row);
        return true;
      }
      unknownTransactions.update(there, {
        blockHeight: row.blockHeight,
        blockHash: row.blockHash,
        payments: there.harmless ? row.payments : there.payments,
        harmless: there.harmless && harmless,
      });
      return there.harmless && !harmless;
    },

    async orphanAbove(chain, height, kept = []) {
      const gone = unknownTransactions.where(
        ({ chain: on, blockHeight, blockHash }) =>
          on === chain && blockHeight > height && blockHash !== null && !kept.includes(blockHash),
      );
      for (const row of gone) unknownTransactions.update(row, { blockHash: null });
      return gone.length > 0;
    },

    async paidSince(chain, since) {
      const found = unknownTransactions.first(
        (row) => row.chain === chain && row.notedAt >= since && paysMore(store, row),
      );
      return found !== undefined;
    },

    async newestBlock(chain) {
      const there = unknownTransactions.where((row) => row.chain === chain && row.blockHash !== null);
      return there.length === 0 ? null : Math.max(...there.map(({ blockHeight }) => blockHeight));
    },

    async lock(chain, txid) {
      const row = unknownTransactions.find(chain, txid);
      return row ? notedFromRow(row) : null;
    },

    async found({ chain, txid, payoutId, at }) {
      foundPaid.insert({ chain, txid, payoutId, at });
    },

    foundFor: async (chain, txid) =>
      foundPaid
        .where((row) => row.chain === chain && row.txid === txid)
        .sort((a, b) => byText(a.payoutId, b.payoutId))
        .map(({ payoutId }) => {
          const { asset, address, sentUnits } = payouts.find(payoutId)!;
          return { asset, address, sentUnits };
        }),

    async countNonces({ chain, wallet, from, below }) {
      const nonces = new Set<bigint>();
      for (const row of unknownTransactions.all()) {
        if (row.chain !== chain || row.wallet !== wallet || row.nonce === null) continue;
        if (row.nonce >= from && row.nonce < below) nonces.add(row.nonce);
      }
      return BigInt(nonces.size);
    },
  };
}

/** The ones on these chains that paid more than the payouts that operators found for them. */
export function newestUnknown(
  store: MemoryStore,
  { chains, limit }: { readonly chains: readonly string[]; readonly limit: number },
): readonly NotedTransaction[] {
  return store.tables.unknownTransactions
    .where((row) => chains.includes(row.chain) && paysMore(store, row))
    .sort(newestFirst)
    .slice(0, limit)
    .map(notedFromRow);
}

function paysMore({ tables }: MemoryStore, { chain, txid, harmless, payments }: Row): boolean {
  if (harmless) return false;
  const found = tables.foundPaid.where((row) => row.chain === chain && row.txid === txid).length;
  return Math.max((JSON.parse(payments) as unknown[]).length, 1) > found;
}

function newestFirst(a: Row, b: Row): number {
  const byTime = b.minedAt.getTime() - a.minedAt.getTime() || byText(a.chain, b.chain);
  return byTime || byNonceDown(a.nonce, b.nonce) || byText(a.txid, b.txid);
}

/** Null is above all others: it comes first. */
function byNonceDown(a: bigint | null, b: bigint | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a > b ? -1 : 1;
}
