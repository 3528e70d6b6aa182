/**
 * Repositories of a transaction that signs or settles many batches. Payouts and transfers are
 * locked first, all at once; saves, signed bytes and entries are held back, and written with one
 * statement each.
 */
import type { EntryKind } from '../../domain/ledger.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer, SignedTransaction } from '../../domain/sending/outgoing.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { heldBack, heldBackEntries, writing } from '../shared/held-back.ts';

export interface GatheredBatches {
  /**
   * What was locked is returned as it was saved last, without a statement. Other methods of the
   * repositories of payouts, transfers and the ledger first write what is held back.
   */
  readonly gathered: Repositories;
  /** Writes what is held back; of a row that was saved repeatedly, only the last. */
  flush(): Promise<void>;
}

/** Entries that change no balance and take nothing back. */
const TOGETHER: readonly EntryKind[] = ['payout_settled', 'refund_settled', 'network_fee', 'forward'];

/**
 * Locks the payouts of `transfers` and then their batches, each in the order of ids, as everywhere
 * (lockBatch, lockTransfer).
 */
export async function gatherBatches(
  repositories: Repositories,
  transfers: readonly OutgoingTransfer[],
): Promise<GatheredBatches> {
  const payouts = await gatherPayouts(repositories, transfers);
  const outgoing = await gatherTransfers(repositories, transfers);
  const entries = heldBackEntries(repositories.ledger, TOGETHER, flush);

  async function flush(): Promise<void> {
    const posted = entries.take();
    await outgoing.flush();
    await repositories.payouts.saveAll(payouts.take());
    if (posted.length > 0) await repositories.ledger.postAll(posted);
  }

  const settled = new Set<string>();
  const callbacks = once(() => {
    const merchants = new Set(payouts.all.map(({ merchantId }) => merchantId));
    return repositories.merchants.payoutCallbacks([...merchants]);
  });
  return {
    flush,
    gathered: {
      ...repositories,
      payouts: { ...writing(repositories.payouts, flush), ...payouts.methods },
      outgoing: { ...writing(repositories.outgoing, flush), ...outgoing.methods },
      ledger: entries.ledger,
      merchants: { ...repositories.merchants, payoutCallbacks: callbacks },
      utxos: {
        ...repositories.utxos,
        // Of each payment in a transaction the same.
        async settle(chain, txid, height) {
          const key = `${chain} ${txid} ${height}`;
          if (!settled.has(key)) await repositories.utxos.settle(chain, txid, height);
          settled.add(key);
        },
      },
    },
  };
}

async function gatherPayouts({ payouts }: Repositories, transfers: readonly OutgoingTransfer[]) {
  const idOf = ({ purpose, referenceId }: OutgoingTransfer) => (purpose === 'payout' ? [referenceId] : []);
  const held = heldBack<Payout>();
  const all = await payouts.lockAll([...new Set(transfers.flatMap(idOf))]);
  for (const payout of all) held.know(payout);
  const barred = once(() => payouts.barredIn(batchIdsOf(transfers)));
  const methods: Pick<Repositories['payouts'], 'lock' | 'lockAll' | 'save' | 'barredIn'> = {
    ...held.locking(payouts),
    save: async (payout) => held.save(payout),
    // As it was when the first asked: a batch that is signed meanwhile is asked about no more.
    async barredIn(batchIds) {
      const ids = new Set(
        transfers.filter(({ transferBatchId }) => batchIds.includes(transferBatchId)).flatMap(idOf),
      );
      return new Map([...(await barred())].filter(([id]) => ids.has(id)));
    },
  };
  return { all, take: held.take, methods };
}

type TransferMethods =
  | 'lock'
  | 'ofBatch'
  | 'lockBatch'
  | 'payoutsOf'
  | 'save'
  | 'signedOf'
  | 'insertSigned'
  | 'signingStopped';

async function gatherTransfers({ outgoing }: Repositories, transfers: readonly OutgoingTransfer[]) {
  const batchIds = batchIdsOf(transfers);
  const held = heldBack<OutgoingTransfer>();
  const locked = await outgoing.lockBatches(batchIds);
  for (const transfer of locked) held.know(transfer);
  const places = Map.groupBy(locked, ({ transferBatchId }) => transferBatchId);
  const signed = Map.groupBy(await outgoing.signedOf(batchIds), ({ transferBatchId }) => transferBatchId);
  let stored: Omit<SignedTransaction, 'broadcastAt'>[] = [];

  const ofBatch = async (batchId: string): Promise<readonly OutgoingTransfer[]> =>
    (places.get(batchId) ?? []).flatMap(({ id }) => held.find(id) ?? []);
  const methods: Pick<Repositories['outgoing'], TransferMethods> = {
    lock: async (id) => held.find(id) ?? null,
    ofBatch,
    lockBatch: ofBatch,
    payoutsOf: async (batchId) =>
      // The payouts of those that left the batch are not locked.
      (await ofBatch(batchId)).flatMap(({ purpose, referenceId, takenOut }) =>
        purpose === 'payout' && !takenOut ? [referenceId] : [],
      ),
    save: async (transfer) => held.save(transfer),
    signedOf: async (ids) => [...new Set(ids)].toSorted().flatMap((id) => signed.get(id) ?? []),
    async insertSigned(transaction) {
      const { transferBatchId, ordinal } = transaction;
      const before = signed.get(transferBatchId) ?? [];
      if (before.some((other) => other.ordinal === ordinal)) return false;
      signed.set(transferBatchId, [...before, { ...transaction, broadcastAt: null }]);
      stored.push(transaction);
      return true;
    },
    signingStopped: once(() => outgoing.signingStopped()),
  };
  return {
    methods,
    async flush() {
      const bytes = stored;
      stored = [];
      await outgoing.insertAllSigned(bytes);
      await outgoing.saveAll(held.take());
    },
  };
}

const batchIdsOf = (transfers: readonly OutgoingTransfer[]): readonly string[] => [
  ...new Set(transfers.map(({ transferBatchId }) => transferBatchId)),
];

function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
}
