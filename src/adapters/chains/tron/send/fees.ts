/**
 * Fees of our transactions, in sun: bandwidth, energy and activation; the maximum, and what the
 * wallet's resources leave to pay.
 */
import { larger, smaller } from '../../../../domain/money/larger.ts';
import type { NetworkPrices, WalletResources } from './resources.ts';

/** The chain always counts this for the result. */
const RESULT_BYTES = 64n;
/**
 * Energy of writing a word that was zero, beyond that of changing one: the extra cost of a first
 * holder.
 */
const FIRST_HOLDER_ENERGY = 15_000n;

export interface TransactionFee {
  /** The most that the network can take. */
  readonly most: bigint;
  /** What the wallet must hold for it, given its resources. */
  readonly needed: bigint;
}

/** Bytes of bandwidth of a signed transaction. */
export const bandwidthOf = (bytes: number): bigint => BigInt(bytes) + RESULT_BYTES;

/**
 * A payment of the native coin. `creates`: to an address that is new to the chain, which free bytes
 * do not pay for.
 */
export function coinFee(
  transaction: { bandwidth: bigint; creates: boolean },
  prices: NetworkPrices,
  resources: WalletResources,
): TransactionFee {
  const { bandwidth, creates } = transaction;
  if (creates) {
    const covered = resources.stakedBytes >= bandwidth;
    const most = prices.activation + prices.activationBandwidth;
    return { most, needed: covered ? prices.activation : most };
  }
  return bandwidthFee(bandwidth, prices, resources);
}

/** The cost of the bytes of a transaction that creates no account. */
export function bandwidthFee(
  bandwidth: bigint,
  prices: NetworkPrices,
  { stakedBytes, freeBytes }: WalletResources,
): TransactionFee {
  const most = bandwidth * prices.byte;
  return { most, needed: larger(stakedBytes, freeBytes) >= bandwidth ? 0n : most };
}

/**
 * The energy of a contract call: as tried, and with room for changes of the state until a block has
 * it.
 */
export interface Energy {
  readonly tried: bigint;
  /** The penalty of a busy contract in it. */
  readonly penalty: bigint;
}

/** A fifth more: the penalty of a busy contract may rise every six hours. */
export const withRoom = (energy: bigint): bigint => (energy * 6n + 4n) / 5n;

/** The extra cost of a first holder at a contract with the penalty that `energy` shows. */
export function firstHolderEnergy({ tried, penalty }: Energy): bigint {
  const plain = larger(1n, tried - penalty);
  return (FIRST_HOLDER_ENERGY * tried + plain - 1n) / plain;
}

/**
 * A transfer of a token. A fee_limit that is too low burns all of itself, so it has room also for a
 * recipient who meanwhile gives away his last tokens. Energy that is not used is not charged. At
 * most `mostEnergy`, if given.
 */
export function tokenFee(
  transaction: { bandwidth: bigint; energy: Energy; mostEnergy: bigint | null },
  prices: NetworkPrices,
  resources: WalletResources,
  ceiling: bigint,
): TransactionFee & { readonly feeLimit: bigint; readonly least: bigint } {
  const { bandwidth, energy, mostEnergy } = transaction;
  const bytes = bandwidthFee(bandwidth, prices, resources);
  const within = (units: bigint): bigint => (mostEnergy === null ? units : smaller(units, mostEnergy));
  const wanted = within(withRoom(energy.tried));
  const generous = within(wanted + firstHolderEnergy(energy)) * prices.energy;
  const feeLimit = smaller(generous, smaller(prices.feeLimitMax, ceiling - bytes.most));
  const burned = larger(0n, wanted - resources.energy) * prices.energy;
  return {
    feeLimit,
    most: feeLimit + bytes.most,
    needed: burned + bytes.needed,
    least: wanted * prices.energy,
  };
}
