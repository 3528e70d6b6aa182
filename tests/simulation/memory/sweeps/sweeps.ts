/** Sweeps in memory, and the deposits that each of them moves. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { sweepFromRow, sweepToRow } from '../../../../src/adapters/postgres/sweeps/sweep-row.ts';
import type { OutgoingPurpose } from '../../../../src/domain/sending/outgoing-purpose.ts';
import type { Sweep } from '../../../../src/domain/sweeps/sweep.ts';
import type { SweepReason } from '../../../../src/domain/sweeps/sweep-reason.ts';
import type { SweepRepository } from '../../../../src/ports/treasury/treasury-repositories.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import {
  type DepositRow,
  depositsAt,
  isActive,
  isCredited,
  isNotMoved,
  isOpen,
  isUndecided,
  isWithheld,
  type SweepRow,
  sumOf,
  sweepsAt,
} from './sweep-rows.ts';

/** Planned sweeps that wait for one of these may begin as soon as there is gas. */
const MAY_WANT_GAS: ReadonlySet<SweepReason['code'] | null> = new Set([
  null,
  'liquidity',
  'no_place',
  'gas_unknown',
]);
/** What a reorganisation reopens. */
const REOPENED: ReadonlySet<OutgoingPurpose> = new Set(['lend', 'sweep', 'reclaim']);

export function sweepRepository(store: MemoryStore): SweepRepository {
  const { sweeps } = store.tables;
  const find = async (id: string): Promise<Sweep | null> => {
    const row = sweeps.find(id);
    return row ? sweepFromRow(row) : null;
  };
  const save: SweepRepository['save'] = async (sweep) => {
    const { chain: _c, address: _a, asset: _as, createdAt: _at, ...changes } = sweepToRow(sweep);
    const there = sweeps.find(sweep.id);
    sweeps.update(theOnly(there ? [there] : [], `save of sweep ${sweep.id}`), changes);
  };
  const isAmong = (addresses: readonly string[]) => {
    const wanted = new Set(addresses);
    return ({ address }: { readonly address: string }) => wanted.has(address);
  };
  return {
    planAll: async (given) => given.flatMap((sweep) => plan(store, sweepToRow(sweep)) ?? []),
    find,
    lock: find,
    lockAll: async (ids) => byId(ids.flatMap((id) => sweeps.find(id) ?? [])),
    save,
    async saveAll(given) {
      for (const sweep of given) await save(sweep);
    },

    open: async (chain, { after, limit }) =>
      byId(
        sweeps.by('chain', chain).filter((sweep) => isOpen(sweep) && byText(sweep.id, after) > 0),
        limit,
      ),
    undone: async (chain) => undone(store, chain),
    openAt: async ({ chain, addresses }) =>
      byId(sweeps.by('chain', chain).filter((sweep) => isOpen(sweep) && isAmong(addresses)(sweep))),
    countActive: async (chain) => sweeps.by('chain', chain).filter(isActive).length,

    countWantingGas: async ({ chain, nativeAsset }) =>
      sweeps
        .by('chain', chain)
        .filter(
          ({ status, asset, reasonCode }) =>
            status === 'planned' && asset !== nativeAsset && MAY_WANT_GAS.has(reasonCode),
        ).length,

    ...coverage(store),
  };
}

type CoverageMethods = 'withheldAmong' | 'undecidedUnits' | 'lastMovedAt' | 'coverable' | 'cover' | 'uncover';

function coverage(store: MemoryStore): Pick<SweepRepository, CoverageMethods> {
  const { deposits, frozenAddresses } = store.tables;
  const its = ({ asset, ...place }: Pick<Sweep, 'chain' | 'address' | 'asset'>): DepositRow[] =>
    depositsAt(store, place).filter((deposit) => deposit.asset === asset);
  const sums = (of: readonly Sweep[], isIts: (sweep: Sweep) => (deposit: DepositRow) => boolean) =>
    new Map(
      of.flatMap((sweep) => {
        const some = its(sweep).filter(isIts(sweep));
        return some.length === 0 ? [] : [[sweep.id, sumOf(some)] as const];
      }),
    );
  const movable = (deposit: DepositRow) => isCredited(deposit) && isNotMoved(store, deposit);
  return {
    withheldAmong: async ({ chain, addresses }) =>
      new Set(
        addresses.filter((address) => {
          const there = depositsAt(store, { chain, address });
          const isFrozen = frozenAddresses.find(chain, address) !== undefined;
          return there.length > 0 && (isFrozen || there.some(isWithheld));
        }),
      ),

    undecidedUnits: async ({ chain, addresses, height }) =>
      addresses.flatMap((address) => {
        const there = depositsAt(store, { chain, address }).filter(
          (deposit) => deposit.blockHeight !== null && deposit.blockHeight <= height && isUndecided(deposit),
        );
        const byAsset = Map.groupBy(there, ({ asset }) => asset);
        return [...byAsset].map(([asset, some]) => ({ address, asset, units: sumOf(some) }));
      }),

    lastMovedAt: async ({ chain, addresses }) =>
      new Map(
        addresses.flatMap((address) => {
          const height = lastMovedAt(store, { chain, address });
          return height === null ? [] : [[address, height] as const];
        }),
      ),

    coverable: async (sweeps) =>
      sums(sweeps, (sweep) => (d) => isCredited(d) && (d.sweptBy === sweep.id || isNotMoved(store, d))),

    async cover(sweeps) {
      for (const sweep of sweeps)
        for (const deposit of its(sweep).filter(movable)) deposits.update(deposit, { sweptBy: sweep.id });
      return sums(
        sweeps,
        ({ id }) =>
          (deposit) =>
            isCredited(deposit) && deposit.sweptBy === id,
      );
    },

    async uncover(sweeps) {
      for (const sweep of sweeps)
        for (const deposit of its(sweep))
          if (deposit.sweptBy === sweep.id) deposits.update(deposit, { sweptBy: null });
    },
  };
}

/** Null where another is open that stays as it is. */
function plan(store: MemoryStore, row: SweepRow): Sweep | null {
  const { sweeps } = store.tables;
  const open = isOpen(row)
    ? sweepsAt(store, row).find((sweep) => sweep.asset === row.asset && isOpen(sweep))
    : undefined;
  if (open === undefined) {
    sweeps.insert(row);
    return sweepFromRow(row);
  }
  if (!row.forced || open.forced || open.status !== 'planned') return null;
  sweeps.update(open, { forced: true });
  return sweepFromRow({ ...open, forced: true });
}

function undone({ tables }: MemoryStore, chain: string): Sweep[] {
  const found = new Set<string>();
  for (const transfer of tables.outgoingTransfers.by('chain', chain)) {
    const { id, purpose, referenceId, status } = transfer;
    if ((status !== 'allocated' && status !== 'signed') || !REOPENED.has(purpose)) continue;
    const sweep = tables.sweeps.find(referenceId);
    if (sweep === undefined || isOpen(sweep)) continue;
    if ([sweep.delegationId, sweep.transferId, sweep.undelegationId].includes(id)) found.add(sweep.id);
  }
  return byId([...found].map((id) => tables.sweeps.find(id)!));
}

function lastMovedAt(
  store: MemoryStore,
  { chain, address }: { chain: string; address: string },
): number | null {
  const { outgoingTransfers } = store.tables;
  let last: number | null = null;
  const note = (height: number | null) => {
    if (height !== null && (last === null || height > last)) last = height;
  };
  for (const transfer of outgoingTransfers.by('wallet', address))
    if (transfer.chain === chain) note(transfer.blockHeight);
  for (const { topupId, delegationId, undelegationId } of sweepsAt(store, { chain, address }))
    for (const id of [topupId, delegationId, undelegationId])
      if (id !== null) note(outgoingTransfers.find(id)?.blockHeight ?? null);
  return last;
}

function byId(rows: readonly SweepRow[], limit = rows.length): Sweep[] {
  return rows
    .toSorted((a, b) => byText(a.id, b.id))
    .slice(0, limit)
    .map(sweepFromRow);
}
