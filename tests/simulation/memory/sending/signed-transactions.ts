/** Every transaction that was ever signed for a transfer, in memory. */
import type { SignedTransaction } from '../../../../src/domain/sending/outgoing.ts';
import type { OutgoingRepository } from '../../../../src/ports/sending/outgoing-repository.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';

type SignedRow = SignedTransaction & { readonly feeCompared: boolean };

/** The mark is for the checks of the books alone. */
function withoutMark(row: SignedRow): SignedTransaction {
  const { feeCompared: _, ...signed } = row;
  return signed;
}

type SignedMethods =
  | 'forgetBytes'
  | 'insertSigned'
  | 'insertAllSigned'
  | 'markBroadcast'
  | 'signedOf'
  | 'ours'
  | 'newestSigned';

export function signedTransactionsIn({ tables }: MemoryStore): Pick<OutgoingRepository, SignedMethods> {
  const { signedTransactions } = tables;
  function insert(transaction: Omit<SignedTransaction, 'broadcastAt'>): void {
    const { transferBatchId, ordinal, txid, raw, voids, maxFeeUnits, validUntil, signedAt } = transaction;
    check('signed_transactions_ordinal', ordinal >= 1);
    check('signed_transactions_fee', maxFeeUnits >= 0n);
    const bytes = { txid, raw, voids, maxFeeUnits, validUntil };
    signedTransactions.insert({ transferBatchId, ordinal, ...bytes, feeCompared: true, signedAt });
  }
  return {
    async insertSigned(transaction) {
      const { transferBatchId, ordinal } = transaction;
      if (signedTransactions.find(transferBatchId, ordinal) !== undefined) return false;
      insert(transaction);
      return true;
    },

    async insertAllSigned(transactions) {
      for (const transaction of transactions) insert(transaction);
    },

    async markBroadcast(txids, at) {
      for (const txid of new Set(txids))
        for (const row of signedTransactions.by('txid', txid))
          if (row.broadcastAt === null) signedTransactions.update(row, { broadcastAt: at });
    },

    async signedOf(transferBatchIds) {
      const found: SignedRow[] = [];
      const ids =
        transferBatchIds.length > 1 ? [...new Set(transferBatchIds)].sort(byText) : transferBatchIds;
      for (const id of ids)
        found.push(...signedTransactions.by('transferBatchId', id).sort((a, b) => a.ordinal - b.ordinal));
      return found.map(withoutMark);
    },

    async forgetBytes({ from, before }, limit) {
      const firstRemembered = (chain: string): number => {
        const heights = tables.chainBlocks.by('chain', chain).map(({ height }) => height);
        return heights.length === 0 ? 0 : Math.min(...heights);
      };
      const isOpen = (transferBatchId: string): boolean =>
        tables.outgoingTransfers
          .by('transferBatchId', transferBatchId)
          .some(
            ({ id, status, referenceId, chain, blockHeight }) =>
              status === 'allocated' ||
              status === 'signed' ||
              (blockHeight !== null && blockHeight >= firstRemembered(chain)) ||
              [id, referenceId].some((of) =>
                tables.ledgerEntries.by('referenceId', of).some(({ at }) => at >= before),
              ),
          );
      const gone = signedTransactions
        .where(
          ({ raw, signedAt, transferBatchId }) =>
            raw !== '' && signedAt >= from && signedAt < before && !isOpen(transferBatchId),
        )
        .sort((a, b) => byTime(a.signedAt, b.signedAt))
        .slice(0, limit);
      for (const row of gone) signedTransactions.update(row, { raw: '' });
      return gone.length;
    },

    ours: async (txids) => new Set(txids.filter((txid) => signedTransactions.by('txid', txid).length > 0)),

    newestSigned: async (limit) =>
      [...signedTransactions.all()]
        .sort((a, b) => b.signedAt.getTime() - a.signedAt.getTime())
        .slice(0, limit)
        .map(({ txid }) => txid),
  };
}
