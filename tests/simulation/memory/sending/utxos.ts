/** UTXOs that the wallet's keys can spend, in memory, and the batches that claimed them. */
import { BEFORE_ALL, utxoFromRow, utxoToRow } from '../../../../src/adapters/postgres/sending/utxo-row.ts';
import type { Outpoint } from '../../../../src/domain/chains/outpoint.ts';
import type { DepositStatus } from '../../../../src/domain/deposits/deposit.ts';
import type { UtxoRepository } from '../../../../src/ports/sending/utxo-repository.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { spentOutside } from './spent-outside.ts';
import { arrivingUtxos } from './utxo-arrivals.ts';
import { utxoFunding } from './utxo-funding.ts';
import {
  byOutpoint,
  byUnitsDown,
  isFrozen,
  type StoredUtxo,
  storedAmong,
  VOUT,
  voutOf,
} from './utxo-rows.ts';

export function utxoRepository(store: MemoryStore): UtxoRepository {
  return {
    ...utxoFunding(store),
    ...arrivingUtxos(store),
    ...spending(store),
    ...claims(store),
    ...pages(store),
    ...spentOutside(store),
  };
}

type SpendingMethods = 'insert' | 'free' | 'freeUnits' | 'named' | 'doubt' | 'doubted' | 'settle';

function spending(store: MemoryStore): Pick<UtxoRepository, SpendingMethods> {
  const { utxos } = store.tables;
  const freeIn = (chain: string, finalHeight: number): StoredUtxo[] =>
    utxos
      .by('claimedBy', null)
      .filter(
        (row) =>
          row.chain === chain &&
          !row.doubted &&
          row.blockHeight !== null &&
          row.blockHeight <= finalHeight &&
          !isFrozen(store, row),
      );
  return {
    async insert(chain, given) {
      for (const utxo of given) {
        check('coins_units', utxo.units > 0n);
        utxos.insertUnlessThere({ chain, ...utxoToRow(utxo), booked: utxo.key.role === 'hot' ? true : null });
      }
    },

    free: async (chain, finalHeight, limit) =>
      freeIn(chain, finalHeight).sort(byUnitsDown).slice(0, limit).map(utxoFromRow),
    freeUnits: async (chain, finalHeight) =>
      freeIn(chain, finalHeight).reduce((sum, { units }) => sum + units, 0n),

    named: async (chain, outpoints) => storedAmong(store, chain, outpoints).sort(byOutpoint).map(utxoFromRow),

    async doubt(chain, outpoints, doubted) {
      for (const row of storedAmong(store, chain, outpoints))
        if (!row.spentOutside) utxos.update(row, { doubted });
    },

    doubted: async (chain, limit) =>
      utxos
        .where(
          (row) =>
            row.chain === chain &&
            row.doubted &&
            !row.spentOutside &&
            row.blockHeight !== null &&
            !isFrozen(store, row),
        )
        .sort(byOutpoint)
        .slice(0, limit)
        .map(utxoFromRow),

    async settle(chain, txid, height) {
      for (const row of utxos.by('txid', txid))
        if (row.chain === chain && row.blockHeight !== height) utxos.update(row, { blockHeight: height });
    },
  };
}

type ClaimMethods = 'claim' | 'isClaimed' | 'release' | 'ofBatch' | 'lostOf';

function claims(store: MemoryStore): Pick<UtxoRepository, ClaimMethods> {
  const { utxos } = store.tables;
  function release(transferBatchId: string, spent: readonly Outpoint[]): void {
    for (const row of utxos.by('claimedBy', transferBatchId))
      if (!spent.some(({ txid, vout }) => txid === row.txid && vout === row.vout))
        utxos.update(row, { claimedBy: null });
  }
  return {
    async claim(chain, transferBatchId, wanted, { waiting = false } = {}) {
      const free = storedAmong(store, chain, wanted).filter(
        (row) =>
          row.claimedBy === null && (row.blockHeight === null ? waiting && !row.spentOutside : !row.doubted),
      );
      for (const row of free) utxos.update(row, { claimedBy: transferBatchId });
      if (free.length === wanted.length) return true;
      if (free.length > 0) release(transferBatchId, []);
      return false;
    },

    isClaimed: async (chain, utxos) =>
      storedAmong(store, chain, utxos).some(({ claimedBy }) => claimedBy !== null),

    async release(transferBatchId, spent = []) {
      release(transferBatchId, spent);
    },

    ofBatch: async (transferBatchId) =>
      utxos.by('claimedBy', transferBatchId).sort(byUnitsDown).map(utxoFromRow),
    lostOf: async (transferBatchId) =>
      utxos
        .by('claimedBy', transferBatchId)
        .filter(({ blockHeight }) => blockHeight === null)
        .sort(byOutpoint)
        .map(utxoFromRow),
  };
}

const UNCREDITED: ReadonlySet<DepositStatus> = new Set(['confirming', 'arrived', 'held', 'stray']);

/** What reconciliation looks at, page by page. */
function pages(store: MemoryStore): Pick<UtxoRepository, 'standing' | 'uncredited'> {
  const { utxos, deposits, signedTransactions } = store.tables;
  const isSigned = (transferBatchId: string): boolean =>
    signedTransactions.by('transferBatchId', transferBatchId).length > 0;
  return {
    async standing(chain, { after, limit }) {
      const last = after ?? BEFORE_ALL;
      return utxos
        .where(
          (row) =>
            row.chain === chain &&
            row.blockHeight !== null &&
            !row.spentOutside &&
            byOutpoint(row, last) > 0 &&
            (row.claimedBy === null || !isSigned(row.claimedBy)) &&
            !isFrozen(store, row),
        )
        .sort(byOutpoint)
        .slice(0, limit)
        .map(utxoFromRow);
    },

    async uncredited(chain, { after, limit }) {
      const last = after ?? BEFORE_ALL;
      const found: Outpoint[] = [];
      for (const row of deposits.all()) {
        if (row.chain !== chain || row.blockHeight === null || row.encumbered || row.sandbox) continue;
        if (!UNCREDITED.has(row.status) || !row.output.startsWith(VOUT) || isFrozen(store, row)) continue;
        const outpoint = { txid: row.txid, vout: voutOf(row) };
        if (byOutpoint(outpoint, last) > 0) found.push(outpoint);
      }
      return found.sort(byOutpoint).slice(0, limit);
    },
  };
}
