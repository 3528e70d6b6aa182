/**
 * UTXO chains: one transaction that spends final UTXOs of ours and brings the rest back as change.
 * The fee is taken out of the change, so what it may be is set aside before.
 */
import type { ForwardMoney } from '../../../domain/treasury/forward.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { Utxo, UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import { spendableUtxos } from '../../sending/utxos/claim-utxos.ts';
import type { Forwarding } from './forwarding.ts';

/** What the nodes say before the wallet is locked. */
export interface UtxoPrices {
  /** Of 1,000 virtual bytes. */
  readonly feeRate: bigint;
  /** What a payment of two UTXOs may cost. */
  readonly maxFeeUnits: bigint;
}

export interface ChosenUtxos {
  readonly units: bigint;
  readonly utxos: readonly Utxo[];
}

/** A smaller forward spends fewer UTXOs, and the rest follows with the next one. */
const SHARES = [1n, 2n, 4n, 8n] as const;

/** Without the forward's own fee. In the caller's transaction, which holds the wallet's lock. */
export async function lockedUtxoMoney(
  { on, limits }: Forwarding,
  repositories: Repositories,
  { maxFeeUnits }: UtxoPrices,
): Promise<ForwardMoney> {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  const cursor = await repositories.chains.cursor(chain);
  const free = cursor === null ? 0n : await repositories.utxos.freeUnits(chain, cursor.finalizedHeight);
  const [owed] = await repositories.payouts.unallocated([asset]);
  return {
    spendableUnits: free - (limits.floorUnits.get(asset) ?? 0n),
    waitingUnits: (owed?.units ?? 0n) + BigInt(owed?.count ?? 0) * maxFeeUnits,
    feeUnits: 0n,
  };
}

/** At most `units` with what the fee may be; null where no UTXOs pay for a part of it. */
export async function chooseUtxos(
  { on }: Forwarding,
  utxos: UtxoSpending,
  repositories: Repositories,
  { units, to, prices }: { units: bigint; to: string; prices: UtxoPrices },
): Promise<ChosenUtxos | null> {
  const free = await spendableUtxos(repositories, on.chain);
  for (const share of SHARES) {
    const chosen = choose(utxos, free, { units: units / share, to, prices });
    if (chosen !== null) return chosen;
  }
  return null;
}

function choose(
  utxos: UtxoSpending,
  free: readonly Utxo[],
  { units, to, prices: { feeRate, maxFeeUnits } }: { units: bigint; to: string; prices: UtxoPrices },
): ChosenUtxos | null {
  /** What so many UTXOs may cost: each pair less than a payment of two. */
  const feeOf = (spent: number): bigint => maxFeeUnits * BigInt(Math.ceil(spent / 2));
  let budget = feeOf(2);
  // Each round allows for more UTXOs than the one before chose, so that it ends.
  for (let round = 0; round < free.length && units > budget; round += 1) {
    const sent = units - budget;
    const chosen = utxos.choose({ utxos: free, payments: [{ to, units: sent }], feeRate });
    if (chosen === null) return null;
    if (feeOf(chosen.length) <= budget) return { units: sent, utxos: chosen };
    budget = feeOf(chosen.length);
  }
  return null;
}
