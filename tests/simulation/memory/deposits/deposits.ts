/** Deposits in memory. The credit key (chain, txid, output) is unique: one payment is one row. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { depositFromRow, depositToRow } from '../../../../src/adapters/postgres/deposits/deposit-row.ts';
import type { deposits as schema } from '../../../../src/adapters/postgres/schema/addresses.ts';
import { type Deposit, type DepositStatus, isTraced } from '../../../../src/domain/deposits/deposit.ts';
import type { DepositRepository, ParkedDeposits } from '../../../../src/ports/deposits/deposit-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { invoicesToScreen, waitingForPrice } from './arrived.ts';

type DepositRow = typeof schema.$inferSelect;

export function depositRepository(store: MemoryStore): DepositRepository {
  const { deposits } = store.tables;
  const find = async (id: string): Promise<Deposit | null> => {
    const row = deposits.find(id);
    return row ? depositFromRow(row) : null;
  };
  const lock = (ids: readonly string[]): readonly Deposit[] =>
    [...new Set(ids)]
      .flatMap((id) => deposits.find(id) ?? [])
      .sort(byId)
      .map(depositFromRow);
  const lockOf = (invoiceIds: readonly string[], statuses: readonly DepositStatus[]): readonly Deposit[] =>
    [...new Set(invoiceIds)]
      .flatMap((id) => deposits.by('invoiceId', id))
      .filter(({ status }) => statuses.includes(status))
      .sort(byId)
      .map(depositFromRow);
  return {
    async insertAll(given) {
      for (const deposit of given) deposits.insert(rowOf(deposit));
    },

    async findByKeys(chain, keys) {
      const found = new Map<string, DepositRow>();
      for (const key of keys) {
        const row = byKey(store, chain, key);
        if (row !== undefined) found.set(row.id, row);
      }
      return [...found.values()].map(depositFromRow);
    },

    find,
    lock: find,
    lockAll: async (ids) => lock(ids),
    lockFree: async (ids) => lock(ids),

    async save(deposit) {
      const row = deposits.find(deposit.id);
      deposits.update(theOnly(row ? [row] : [], `save of deposit ${deposit.id}`), changesOf(deposit));
    },

    async saveAll(given) {
      const saved = new Set<string>();
      for (const deposit of given) {
        const row = deposits.find(deposit.id);
        if (row === undefined || saved.has(row.id)) continue;
        deposits.update(row, changesOf(deposit));
        saved.add(row.id);
      }
      if (saved.size !== given.length) throw new Error(`saved ${saved.size} deposits of ${given.length}`);
    },

    ofInvoices: async (invoiceIds, { statuses, most }) =>
      invoiceIds.flatMap((id) =>
        deposits
          .by('invoiceId', id)
          .filter(({ status }) => statuses.includes(status))
          .sort((a, b) => (a.units === b.units ? byId(a, b) : a.units > b.units ? -1 : 1))
          .slice(0, most)
          .map(depositFromRow),
      ),
    lockOfInvoices: async (invoiceIds, statuses) => lockOf(invoiceIds, statuses),
    lockOfInvoice: async (invoiceId, statuses) => lockOf([invoiceId], statuses),

    async moveOfInvoices(invoiceIds, { from, to, strayReason }) {
      for (const id of new Set(invoiceIds))
        for (const row of deposits.by('invoiceId', id))
          if (row.status === from) deposits.update(row, { status: to, strayReason });
    },

    waitingForPrice: async (priced) => waitingForPrice(store, priced),
    invoicesToScreen: async (page) => invoicesToScreen(store, page),

    ...atAddresses(store),
    ...onChain(store),
  };
}

type AddressMethods = 'hasPayment' | 'hasArrivals' | 'hasTraced' | 'parkedUnits' | 'claimParked';

function atAddresses({ tables }: MemoryStore): Pick<DepositRepository, AddressMethods> {
  const { addresses, deposits } = tables;
  const parked = ({ chain, address, asset, strayReason }: ParkedDeposits) =>
    deposits
      .by('address', address)
      .filter(
        (row) =>
          row.chain === chain &&
          row.asset === asset &&
          row.strayReason === strayReason &&
          row.invoiceId === null &&
          (row.status === 'confirming' || row.status === 'stray'),
      );
  const sumOf = (rows: readonly DepositRow[]) => rows.reduce((sum, { units }) => sum + units, 0n);
  return {
    hasPayment: async (invoiceId) => deposits.by('invoiceId', invoiceId).some(isThere),
    hasArrivals: async (invoiceId, chains) =>
      addresses
        .by('invoiceId', invoiceId)
        .some(({ address }) =>
          deposits.by('address', address).some((row) => chains.includes(row.chain) && isThere(row)),
        ),
    hasTraced: async ({ chain, address, asset, block }) =>
      deposits
        .by('address', address)
        .some(
          (row) =>
            row.chain === chain && row.asset === asset && row.blockHash === block.hash && isTraced(row),
        ),
    parkedUnits: async (of) => sumOf(parked(of)),
    async claimParked(of, invoiceId) {
      const rows = parked(of);
      for (const row of rows) {
        const status = row.status === 'stray' ? 'arrived' : row.status;
        deposits.update(row, { invoiceId, strayReason: null, status });
      }
      return sumOf(rows);
    },
  };
}

type ChainMethods = 'orphanAbove' | 'unfinal' | 'anyUnfinal' | 'undecidedUnits' | 'withoutBlock';

function onChain({ tables }: MemoryStore): Pick<DepositRepository, ChainMethods> {
  const { deposits } = tables;
  return {
    async orphanAbove(chain, height, limit) {
      const above = deposits
        .by('chain', chain)
        .filter((row) => isUpTo(row, Number.POSITIVE_INFINITY) && !isUpTo(row, height))
        .sort((a, b) => (b.blockHeight ?? 0) - (a.blockHeight ?? 0))
        .slice(0, limit);
      for (const row of above) deposits.update(row, { blockHeight: null, blockHash: null });
      return above.length;
    },

    unfinal: async (chain, height) =>
      deposits
        .by('status', 'confirming')
        .filter(
          (row) =>
            row.chain === chain &&
            isUpTo(row, height) &&
            (row.lockedUntil === null || row.lockedUntil <= height),
        )
        .sort((a, b) => (a.blockHeight ?? 0) - (b.blockHeight ?? 0) || byId(a, b))
        .map(depositFromRow),

    anyUnfinal: async (chain) =>
      deposits.by('status', 'confirming').some((row) => row.chain === chain && row.blockHeight !== null),

    async undecidedUnits({ chain, asset, height }) {
      let units = 0n;
      for (const row of deposits.by('chain', chain))
        if (row.asset === asset && !row.sandbox && isUpTo(row, height) && isUndecided(row))
          units += row.units;
      return units;
    },

    withoutBlock: async (chain) =>
      deposits
        .by('blockHeight', null)
        .filter((row) => row.chain === chain && isThere(row))
        .sort(byId)
        .map(depositFromRow),
  };
}

function byKey(
  { tables }: MemoryStore,
  chain: string,
  { txid, output }: { readonly txid: string; readonly output: string },
): DepositRow | undefined {
  return tables.deposits.by('txid', txid).find((row) => row.chain === chain && row.output === output);
}

/** `depositToRow` leaves the block in it, which is no column. */
function rowOf(deposit: Deposit) {
  const { block: _, ...row }: ReturnType<typeof depositToRow> & Partial<Deposit> = depositToRow(deposit);
  return row;
}

/** The key, the owner and the first-seen time never change. */
function changesOf(deposit: Deposit): Partial<DepositRow> {
  const { addressFrom, units, status, block, unexplained, lockedUntil, invoiceId, strayReason, note } =
    deposit;
  return {
    ...{ addressFrom, units, status, unexplained, lockedUntil, invoiceId, strayReason, note },
    ...{ blockHeight: block?.height ?? null, blockHash: block?.hash ?? null },
  };
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => byText(a.id, b.id);

/** Seen, and not gone again: also pending, held and stray ones. */
const isThere = ({ status }: Pick<DepositRow, 'status'>): boolean =>
  status !== 'dropped' && status !== 'reversed';

const isUpTo = ({ blockHeight }: DepositRow, height: number): boolean =>
  blockHeight !== null && blockHeight <= height;

function isUndecided({ status, sweptBy }: DepositRow): boolean {
  switch (status) {
    case 'confirming':
    case 'arrived':
    case 'held':
    case 'stray':
      return true;
    case 'rejected':
      return sweptBy === null;
    default:
      return false;
  }
}
