/**
 * What a wallet can still pay. The network is asked before any lock (snapshotWallet); what was
 * committed since then is counted under the lock of the wallet (spendableBalanceOf), so that two
 * workers never spend the same money.
 */
import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Commitment, CommittedSince } from '../../ports/sending/outgoing-repository.ts';
import type { SendingChain } from './sending-chain.ts';

type Floors = Pick<PayoutLimits, 'floorUnits'>;
type PaymentNeed = Pick<Payout, 'asset' | 'sentUnits'>;

/** A wallet as of one block. */
export interface WalletSnapshot {
  readonly nativeAsset: string;
  readonly height: number;
  /**
   * Payments before this nonce (or height) are already subtracted from `units`; later ones are
   * commitments.
   */
  readonly since: CommittedSince;
  /** Without what the chain makes the wallet keep. */
  readonly units: ReadonlyMap<string, bigint>;
  /** What is set aside for the fee of a payment of the asset, in native base units. */
  readonly feeUnits: ReadonlyMap<string, bigint>;
  /** Assets that the nodes could not be asked for, and why. */
  readonly unasked: ReadonlyMap<string, string>;
}

export interface SpendableBalance {
  /** Why the wallet cannot pay this now; null when it can. */
  shortfall(need: PaymentNeed): string | null;
  /** Counts the payment as committed. */
  reserve(need: PaymentNeed): void;
  /** Base units of the asset that are left; below zero where more is committed than is there. */
  left(asset: string): bigint;
}

/**
 * The wallet at the best block, or at height `at`. Rejects with ChainUnavailable when no node
 * answers for the native coin; any other asset that fails is in `unasked`.
 */
export async function snapshotWallet(
  { sender }: Pick<SendingChain, 'sender'>,
  wallet: string,
  assets: Iterable<string>,
  at?: { height: number },
): Promise<WalletSnapshot> {
  const { nativeAsset, capabilities } = sender;
  const { block, units: own } = await sender.balances(wallet, [nativeAsset], at);
  // As of the same block, so that what is mined is either in both or in neither.
  const counted = capabilities.nonces === 'counted';
  const since = counted ? { nonce: await sender.nextNonce(wallet, block) } : { height: block.height };
  const reserveUnits = await sender.reserveUnits(wallet);
  const { maxUnits } = await sender.price({ asset: nativeAsset, to: null });
  const units = new Map([[nativeAsset, (own.get(nativeAsset) ?? 0n) - reserveUnits]]);
  const feeUnits = new Map([[nativeAsset, maxUnits]]);
  const unasked = new Map<string, string>();
  for (const asset of new Set(assets)) {
    if (asset === nativeAsset) continue;
    try {
      const found = await sender.balances(wallet, [asset], block);
      feeUnits.set(asset, (await sender.price({ asset, to: null })).maxUnits);
      units.set(asset, found.units.get(asset) ?? 0n);
    } catch (error) {
      unasked.set(asset, error instanceof Error ? error.message : String(error));
    }
  }
  return { nativeAsset, height: block.height, since, units, feeUnits, unasked };
}

/**
 * What is left of a snapshot above the floor, without what was committed since then.
 * `withheldUnits`: native base units that are not ours to spend yet.
 */
export function spendableBalanceOf(
  view: WalletSnapshot,
  committed: readonly Commitment[],
  { floorUnits }: Floors,
  withheldUnits = 0n,
): SpendableBalance {
  const { nativeAsset, units, feeUnits } = view;
  const usualFee = feeUnits.get(nativeAsset) ?? 0n;
  const free = new Map<string, bigint>();
  for (const [asset, held] of units) free.set(asset, held - (floorUnits.get(asset) ?? 0n));
  const spend = (asset: string, amount: bigint) => free.set(asset, (free.get(asset) ?? 0n) - amount);
  const reserve = (asset: string, amount: bigint, payments: number) => {
    spend(asset, amount);
    spend(nativeAsset, (feeUnits.get(asset) ?? usualFee) * BigInt(payments));
  };
  spend(nativeAsset, withheldUnits);
  for (const { asset, units: amount, payments } of committed) reserve(asset, amount, payments);
  return {
    shortfall({ asset, sentUnits }) {
      const fee = feeUnits.get(asset) ?? usualFee;
      const needed = asset === nativeAsset ? sentUnits + fee : sentUnits;
      if ((free.get(asset) ?? 0n) < needed) return `liquidity: the hot wallet has too little ${asset}`;
      if ((free.get(nativeAsset) ?? 0n) < fee)
        return `liquidity: the hot wallet has too little ${nativeAsset} for the fee`;
      return null;
    },
    reserve: ({ asset, sentUnits }) => reserve(asset, sentUnits, 1),
    left: (asset) => free.get(asset) ?? 0n,
  };
}
