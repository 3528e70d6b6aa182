/** Outgoing transfers in memory, what was signed for them, and the signing switch. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import {
  type TransferRow,
  toRow,
  transferFromRow,
} from '../../../../src/adapters/postgres/sending/outgoing-row.ts';
import type { OutgoingTransfer } from '../../../../src/domain/sending/outgoing.ts';
import type { OutgoingPurpose } from '../../../../src/domain/sending/outgoing-purpose.ts';
import type { OutgoingRepository } from '../../../../src/ports/sending/outgoing-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { openTransfers } from './open-transfers.ts';
import { signedTransactionsIn } from './signed-transactions.ts';
import { signingSwitchIn } from './signing-switch.ts';
import { checkTransfer } from './transfer-checks.ts';
import { walletNonces } from './wallet-nonces.ts';

export function outgoingRepository(store: MemoryStore): OutgoingRepository {
  return {
    ...walletNonces(store),
    ...transfersIn(store),
    ...transfersFor(store),
    ...signedTransactionsIn(store),
    ...signingSwitchIn(store),
  };
}

type TransferMethods =
  | 'insert'
  | 'insertAll'
  | 'save'
  | 'saveAll'
  | 'ofBatch'
  | 'lockBatch'
  | 'ofBatches'
  | 'lockBatches'
  | 'payoutsOf'
  | 'find'
  | 'lock'
  | 'open'
  | 'settledFrom';

function transfersIn(store: MemoryStore): Pick<OutgoingRepository, TransferMethods> {
  const { outgoingTransfers } = store.tables;
  const batchOf = (transferBatchId: string) =>
    outgoingTransfers.by('transferBatchId', transferBatchId).sort((a, b) => a.position - b.position);
  const ofBatch = async (transferBatchId: string) => batchOf(transferBatchId).map(transferFromRow);
  const ofBatches = async (ids: readonly string[]) =>
    [...new Set(ids)].sort(byText).flatMap((id) => batchOf(id).map(transferFromRow));
  const insert = async (transfer: OutgoingTransfer) => {
    const row = toRow(transfer);
    checkTransfer(row);
    outgoingTransfers.insert(row);
  };
  const save = async (transfer: OutgoingTransfer) => {
    const there = outgoingTransfers.find(transfer.id);
    const before = theOnly(there ? [there] : [], `save of outgoing transfer ${transfer.id}`);
    const changes = changesIn(toRow(transfer));
    checkTransfer({ ...before, ...changes });
    outgoingTransfers.update(before, changes);
  };
  return {
    insert,
    async insertAll(transfers) {
      for (const transfer of transfers) await insert(transfer);
    },

    save,
    async saveAll(transfers) {
      for (const transfer of transfers) await save(transfer);
    },

    ofBatch,
    lockBatch: ofBatch,
    ofBatches,
    lockBatches: ofBatches,

    payoutsOf: async (transferBatchId) =>
      batchOf(transferBatchId)
        .filter(({ purpose }) => purpose === 'payout')
        .map(({ referenceId }) => referenceId),

    async find(ids) {
      const found: OutgoingTransfer[] = [];
      for (const id of new Set(ids)) {
        const row = outgoingTransfers.find(id);
        if (row !== undefined) found.push(transferFromRow(row));
      }
      return found;
    },

    lock: async (id) => firstOf(outgoingTransfers.find(id)),

    open: async (chain, limit) =>
      openTransfers(store, (row) => row.chain === chain)
        .sort(byPlace)
        .slice(0, limit)
        .map(transferFromRow),

    async settledFrom(chain, height) {
      const rows: TransferRow[] = [];
      for (const row of outgoingTransfers.all())
        if (row.blockHeight !== null && row.blockHeight >= height && row.chain === chain) rows.push(row);
      return rows.sort((a, b) => a.blockHeight! - b.blockHeight! || byText(a.id, b.id)).map(transferFromRow);
    },
  };
}

type ReferenceMethods = 'activeOf' | 'activeAmong' | 'payingOf' | 'unsignedForwards' | 'newestForwards';

function transfersFor({ tables }: MemoryStore): Pick<OutgoingRepository, ReferenceMethods> {
  const { outgoingTransfers, signedTransactions } = tables;
  const paysAtAll = ({ transferBatchId }: TransferRow): boolean =>
    signedTransactions.by('transferBatchId', transferBatchId).some(({ voids }) => !voids);
  const forwards = (test: (row: TransferRow) => boolean): TransferRow[] =>
    outgoingTransfers.by('purpose', 'forward').filter(test);
  const activeOf = (purpose: OutgoingPurpose, referenceId: string) =>
    outgoingTransfers
      .by('referenceId', referenceId)
      .find((row) => row.purpose === purpose && row.status !== 'failed' && !row.voided);
  return {
    activeOf: async (purpose, referenceId) => firstOf(activeOf(purpose, referenceId)),

    activeAmong: async (purpose, referenceIds) =>
      new Set(referenceIds.filter((id) => activeOf(purpose, id) !== undefined)),

    payingOf: async (payoutId) =>
      firstOf(
        outgoingTransfers
          .by('referenceId', payoutId)
          .find((row) => row.purpose === 'payout' && row.status === 'signed' && paysAtAll(row)),
      ),

    unsignedForwards: async (assets) =>
      forwards(({ status, asset }) => status === 'allocated' && (assets === null || assets.includes(asset)))
        .sort((a, b) => byText(a.id, b.id))
        .map(transferFromRow),

    newestForwards: async (asset, limit) =>
      forwards((row) => row.asset === asset)
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || byText(b.id, a.id))
        .slice(0, limit)
        .map(transferFromRow),
  };
}

/** What `save` writes; the rest of a transfer was ordered, and stays. */
function changesIn({
  status,
  txid,
  blockHeight,
  blockHash,
  feeUnits,
  hotFeeUnits,
  failure,
  failureCode,
  voided,
  takenOut,
  feeBumpRequested,
  openAttempts,
}: TransferRow) {
  const settled = { txid, blockHeight, blockHash, feeUnits, hotFeeUnits };
  return { status, ...settled, failure, failureCode, voided, takenOut, feeBumpRequested, openAttempts };
}

function byPlace(a: TransferRow, b: TransferRow): number {
  if (a.wallet !== b.wallet) return byText(a.wallet, b.wallet);
  if (a.nonce !== b.nonce) return a.nonce < b.nonce ? -1 : 1;
  return a.position - b.position;
}

function firstOf(row: TransferRow | undefined): OutgoingTransfer | null {
  return row === undefined ? null : transferFromRow(row);
}
