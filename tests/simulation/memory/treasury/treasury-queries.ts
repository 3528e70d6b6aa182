/** The wallets' holdings by the records in memory. */
import { sweepFromRow } from '../../../../src/adapters/postgres/sweeps/sweep-row.ts';
import type { DepositStatus } from '../../../../src/domain/deposits/deposit.ts';
import { leavesUs, type OutgoingPurpose } from '../../../../src/domain/sending/outgoing-purpose.ts';
import type { BelowCost, TreasuryQueries } from '../../../../src/ports/treasury/treasury-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import {
  depositsAt,
  isCredited,
  isNotSwept,
  isOpen,
  isUndecided,
  type RowIn,
  type SweepRow,
} from '../sweeps/sweep-rows.ts';
import { depositAddressQueries } from './deposit-addresses.ts';
import { frozenFromRow } from './frozen-addresses.ts';
import { unitsOfAddresses, unitsOfHotWallet } from './wallet-units.ts';

interface Piece {
  readonly asset: string;
  readonly units: bigint;
}

export function treasuryQueries(store: MemoryStore): TreasuryQueries {
  const { payouts, outgoingTransfers, frozenAddresses } = store.tables;
  return {
    ...depositAddressQueries(store),

    async waitingForLiquidity(assets) {
      const waiting = [...new Set(assets)].flatMap((asset) =>
        payouts
          .by('asset', asset)
          .filter((p) => !p.sandbox && p.status === 'pending' && p.waitingCode === 'liquidity'),
      );
      return summed(waiting.map(({ asset, sentUnits }) => ({ asset, units: sentUnits })));
    },

    atDepositAddresses: async (chain) => atDepositAddresses(store, chain),

    async belowCost({ chain, utxos, least }) {
      if (least.size === 0) return [];
      const pieces = utxos ? freeCoins(store, chain, least) : atAddresses(store, chain);
      return summed(pieces.filter(({ asset, units }) => units < (least.get(asset) ?? 0n)));
    },

    unbookedFunding: async (chains, limit) => unbookedFunding(store, chains, limit),

    async onTheWay(chain) {
      const byPurpose = Map.groupBy(
        outgoingTransfers.by('chain', chain).filter(isOnTheWay),
        ({ purpose }) => purpose,
      );
      return [...byPurpose]
        .sort(([a], [b]) => byText(a, b))
        .flatMap(([purpose, transfers]) => summed(transfers).map((sum) => ({ purpose, ...sum })));
    },

    sweepsToLookAt: async (chain, limit) => sweepsToLookAt(store, chain, limit),

    frozenAddresses: async (chain) =>
      frozenAddresses
        .by('chain', chain)
        .filter(({ formerWallet }) => !formerWallet)
        .sort((a, b) => a.frozenAt.getTime() - b.frozenAt.getTime() || byText(a.address, b.address))
        .map(frozenFromRow),

    unitsOfAddresses: async (at) => unitsOfAddresses(store, at),
    unitsOfHotWallet: async (at) => unitsOfHotWallet(store, at),
    treasuryBooks: async (chain, assets, nativeAsset) => treasuryBooks(store, { chain, assets, nativeAsset }),
  };
}

/** By asset. */
function summed(pieces: readonly Piece[]): BelowCost[] {
  const sums = new Map<string, { count: number; units: bigint }>();
  for (const { asset, units } of pieces) {
    const sum = sums.get(asset) ?? { count: 0, units: 0n };
    sums.set(asset, { count: sum.count + 1, units: sum.units + units });
  }
  return [...sums].map(([asset, sum]) => ({ asset, ...sum })).sort(byAsset);
}

function atDepositAddresses({ tables }: MemoryStore, chain: string) {
  const sums = new Map<string, { sweepableUnits: bigint; undecidedUnits: bigint }>();
  for (const deposit of tables.deposits.by('chain', chain)) {
    if (!isNotSwept(deposit)) continue;
    const { asset, units } = deposit;
    const { sweepableUnits, undecidedUnits } = sums.get(asset) ?? { sweepableUnits: 0n, undecidedUnits: 0n };
    sums.set(
      asset,
      isUndecided(deposit)
        ? { sweepableUnits, undecidedUnits: undecidedUnits + units }
        : { sweepableUnits: sweepableUnits + units, undecidedUnits },
    );
  }
  return [...sums].map(([asset, sum]) => ({ asset, ...sum })).sort(byAsset);
}

/** What may be collected, by address and asset. */
function atAddresses({ tables }: MemoryStore, chain: string): Piece[] {
  const pieces = new Map<string, Piece>();
  for (const deposit of tables.deposits.by('chain', chain)) {
    if (!isNotSwept(deposit) || !isCredited(deposit) || deposit.sandbox) continue;
    const { asset, address, units } = deposit;
    const key = `${asset} ${address}`;
    pieces.set(key, { asset, units: (pieces.get(key)?.units ?? 0n) + units });
  }
  return [...pieces.values()];
}

/** All of them are of the first asset: a chain of UTXOs has no other. */
function freeCoins({ tables }: MemoryStore, chain: string, least: ReadonlyMap<string, bigint>): Piece[] {
  const [asset] = least.keys();
  if (asset === undefined) return [];
  return tables.utxos
    .by('chain', chain)
    .filter((coin) => coin.claimedBy === null && coin.blockHeight !== null && !coin.doubted)
    .map(({ units }) => ({ asset, units }));
}

function unbookedFunding({ tables }: MemoryStore, chains: readonly string[], limit: number) {
  const heightOf = ({ blockHeight }: RowIn<'utxos'>) => blockHeight ?? Number.POSITIVE_INFINITY;
  return [...new Set(chains)]
    .flatMap((chain) => tables.utxos.by('chain', chain).filter(({ booked }) => booked === false))
    .sort(
      (a, b) =>
        (heightOf(a) === heightOf(b) ? 0 : heightOf(a) - heightOf(b)) ||
        byText(a.chain, b.chain) ||
        byText(a.txid, b.txid) ||
        a.vout - b.vout,
    )
    .slice(0, limit)
    .map(({ chain, txid, vout, address, units, blockHeight }) => ({
      ...{ chain, txid, vout, address, units },
      height: blockHeight,
    }));
}

const OF_SWEEPS: ReadonlySet<OutgoingPurpose> = new Set(['sweep', 'topup', 'lend', 'reclaim']);

function sweepsToLookAt(store: MemoryStore, chain: string, limit: number) {
  const { sweeps, outgoingTransfers } = store.tables;
  const leftMoney = (sweep: SweepRow) =>
    sweep.status === 'failed' &&
    depositsAt(store, sweep).some(({ sweptBy, status }) => sweptBy === sweep.id && status === 'credited');
  const found = new Map<string, SweepRow>();
  for (const sweep of sweeps.by('chain', chain))
    if (isOpen(sweep) || leftMoney(sweep)) found.set(sweep.id, sweep);
  for (const transfer of outgoingTransfers.by('chain', chain)) {
    if (!OF_SWEEPS.has(transfer.purpose) || !isOnTheWay(transfer)) continue;
    const sweep = sweeps.find(transfer.referenceId);
    if (sweep !== undefined && !isOpen(sweep)) found.set(sweep.id, sweep);
  }
  return [...found.values()]
    .sort((a, b) => byText(b.id, a.id))
    .slice(0, limit)
    .map(sweepFromRow);
}

const BOOKED: ReadonlySet<DepositStatus> = new Set(['arrived', 'stray', 'credited', 'held', 'rejected']);

/** The expected sum of the treasury account, and its present one. */
function treasuryBooks(
  store: MemoryStore,
  { chain, assets, nativeAsset }: { chain: string; assets: readonly string[]; nativeAsset: string },
) {
  const { deposits, outgoingTransfers, foundPaid, payouts, capitalBookings } = store.tables;
  const recorded = new Map<string, bigint>();
  const add = (asset: string, units: bigint) => recorded.set(asset, (recorded.get(asset) ?? 0n) + units);
  for (const { asset, units, sandbox, status } of deposits.by('chain', chain))
    if (!sandbox && BOOKED.has(status)) add(asset, units);
  for (const transfer of outgoingTransfers.by('chain', chain)) {
    if (transfer.status === 'confirmed' && leavesUs(transfer)) add(transfer.asset, -transfer.units);
    if (transfer.feeUnits !== null) add(nativeAsset, -transfer.feeUnits);
  }
  for (const { payoutId } of foundPaid.by('chain', chain)) {
    const payout = payouts.find(payoutId);
    if (payout) add(payout.asset, -payout.sentUnits);
  }
  for (const { asset, units } of capitalBookings.by('chain', chain)) add(asset, units);
  return assets
    .map((asset) => ({
      asset,
      recordedUnits: recorded.get(asset) ?? 0n,
      ledgerUnits: inTreasury(store, asset),
    }))
    .sort(byAsset);
}

function inTreasury({ tables }: MemoryStore, asset: string): bigint {
  let sum = 0n;
  for (const { account, entryId, amount } of tables.ledgerPostings.by('currency', asset))
    if (account === 'treasury' && tables.ledgerEntries.find(entryId)?.sandbox === false) sum += amount;
  return sum;
}

function isOnTheWay({ status }: RowIn<'outgoingTransfers'>): boolean {
  return status === 'allocated' || status === 'signed';
}

function byAsset(a: { readonly asset: string }, b: { readonly asset: string }): number {
  return byText(a.asset, b.asset);
}
