/** The expected holdings of the wallets after a block, by the records in memory. */
import { movesMoney } from '../../../../src/domain/sending/outgoing-purpose.ts';
import type {
  AddressesAt,
  HotWalletAt,
  UnitsAtAddress,
} from '../../../../src/ports/treasury/hot-wallet-at.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { depositsAt, isThere, type RowIn, sweepsAt } from '../sweeps/sweep-rows.ts';

type TransferRow = RowIn<'outgoingTransfers'>;
/** Sums by asset; an asset with any movement is there, also with a sum of zero. */
type Units = Map<string, bigint>;

/** In no order, as of the statement: by addresses as they were given. */
export function unitsOfAddresses(store: MemoryStore, { addresses, ...at }: AddressesAt): UnitsAtAddress[] {
  const { outgoingTransfers, capitalBookings } = store.tables;
  const isCounted = countedAt(at);
  const found: UnitsAtAddress[] = [];
  for (const address of new Set(addresses)) {
    const units: Units = new Map();
    const place = { chain: at.chain, address };
    for (const deposit of depositsAt(store, place))
      if (isThere(deposit) && isUpTo(at.height, deposit)) add(units, deposit.asset, deposit.units);
    for (const { topupId } of sweepsAt(store, place)) {
      const topup = topupId === null ? undefined : outgoingTransfers.find(topupId);
      if (topup?.status === 'confirmed' && isCounted(topup)) add(units, topup.asset, topup.units);
    }
    for (const booking of capitalBookings.by('address', address))
      if (booking.chain === at.chain && booking.blockHeight <= at.height)
        add(units, booking.asset, booking.units);
    addLeft(units, store, { ...at, wallet: address, isCounted });
    for (const [asset, sum] of units) found.push({ address, asset, units: sum });
  }
  return found;
}

/** In no order, as of the statement. */
export function unitsOfHotWallet(store: MemoryStore, at: HotWalletAt): ReadonlyMap<string, bigint> {
  const { outgoingTransfers, foundPaid, payouts, unknownTransactions, capitalBookings } = store.tables;
  const { chain, nativeAsset, height, wallet } = at;
  const units: Units = new Map();
  const isCounted = countedAt(at);
  for (const transfer of outgoingTransfers.by('chain', chain)) {
    if (!isCounted(transfer)) continue;
    if (transfer.status === 'confirmed' && transfer.purpose === 'sweep')
      add(units, transfer.asset, transfer.units);
    if (transfer.hotFeeUnits !== 0n) add(units, nativeAsset, -transfer.hotFeeUnits);
  }
  for (const { payoutId, txid } of foundPaid.by('chain', chain)) {
    const unknown = unknownTransactions.find(chain, txid);
    const payout = payouts.find(payoutId);
    if (payout && unknown?.wallet === wallet && unknown.blockHeight <= height)
      add(units, payout.asset, -payout.sentUnits);
  }
  for (const booking of capitalBookings.by('chain', chain))
    if (booking.address === null && booking.blockHeight <= height) add(units, booking.asset, booking.units);
  if (at.pooled) addPooled(units, store, at);
  addLeft(units, store, { ...at, isCounted });
  return units;
}

/** Deposits in the hot wallet itself, and what nobody decided on. */
function addPooled(units: Units, { tables }: MemoryStore, { chain, nativeAsset, height }: HotWalletAt): void {
  for (const deposit of tables.deposits.by('chain', chain))
    if (isThere(deposit) && !deposit.sandbox && isUpTo(height, deposit))
      add(units, deposit.asset, deposit.units);
  for (const coin of tables.utxos.by('chain', chain))
    if (coin.booked === false && isUpTo(height, coin)) add(units, nativeAsset, coin.units);
}

/** What the wallet's transfers moved from it, and their fees as far as it paid them. */
function addLeft(
  units: Units,
  { tables }: MemoryStore,
  { wallet, nativeAsset, isCounted }: Pick<HotWalletAt, 'wallet' | 'nativeAsset'> & { isCounted: Counted },
): void {
  for (const transfer of tables.outgoingTransfers.by('wallet', wallet)) {
    if (!isCounted(transfer)) continue;
    if (transfer.status === 'confirmed' && movesMoney(transfer)) add(units, transfer.asset, -transfer.units);
    add(units, nativeAsset, transfer.hotFeeUnits - (transfer.feeUnits ?? 0n));
  }
}

type Counted = (transfer: TransferRow) => boolean;

/** Transfers of the chain in a block up to the height, without those that are counted apart. */
function countedAt({ chain, height, apart }: Pick<HotWalletAt, 'chain' | 'height' | 'apart'>): Counted {
  const others = new Set(apart);
  return (transfer) => transfer.chain === chain && isUpTo(height, transfer) && !others.has(transfer.id);
}

function isUpTo(height: number, { blockHeight }: { readonly blockHeight: number | null }): boolean {
  return blockHeight !== null && blockHeight <= height;
}

function add(units: Units, asset: string, more: bigint): void {
  units.set(asset, (units.get(asset) ?? 0n) + more);
}
