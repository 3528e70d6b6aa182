/**
 * UTXO chains (Bitcoin and its kind): pending payouts become a batch that leaves in one
 * transaction. Nonce, UTXOs and transfers are taken in the transaction that checks the payouts once
 * more, under the lock of the wallet, so no UTXO is claimed twice (safety.md, "Paid once").
 */

import type { PayoutLimits } from '../../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { Utxo, UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import { SET_LOCKS, tryTogether } from '../../shared/try-together.ts';
import type { AllocationPlanner } from '../allocation-plan.ts';
import {
  dispatchAll,
  holdBackPayouts,
  insertBatches,
  lockToDispatch,
  readyPayouts,
  recordWaitingReason,
} from '../payout-dispatch.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { NO_TRIALS } from '../signing/try-payouts.ts';
import { claimUtxos, OWN_COUNT, spendableUtxos } from './claim-utxos.ts';
import { utxoConsolidator } from './consolidate-utxos.ts';

/** Batches payouts, and then consolidates UTXOs if that is due. No payout needs a trial. */
export function utxoAllocator(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
  limits: PayoutLimits,
): AllocationPlanner {
  const { paymentsAtOnce } = on.sender.capabilities;
  const consolidate = utxoConsolidator(deps, on, utxos);

  async function allocate(candidates: readonly Payout[], open: readonly OutgoingTransfer[]): Promise<number> {
    const feeRate = candidates.length === 0 ? null : await utxos.feeRate();
    let made = 0;
    const short: Payout[] = [];
    const failures: unknown[] = [];
    for (let from = 0; feeRate !== null && from < candidates.length; from += paymentsAtOnce)
      // What is separated pays one more fee, so that one payout does not stop the others.
      await tryTogether(candidates.slice(from, from + paymentsAtOnce), {
        async work(group) {
          const batched = await batchUp(deps, on, utxos, limits, { group, feeRate });
          made += batched.made;
          short.push(...batched.short);
        },
        failed: (_, error) => failures.push(error),
        stopping: undefined,
      });
    made += await consolidate(open, short);
    if (failures.length > 0) throw failures[0];
    return made;
  }

  return (candidates, open) =>
    Promise.resolve({ allocate: () => allocate(candidates, open), trials: NO_TRIALS });
}

function batchUp(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
  limits: PayoutLimits,
  { group, feeRate }: { group: readonly Payout[]; feeRate: bigint },
): Promise<{ made: number; short: readonly Payout[] }> {
  const { nativeAsset } = on.sender;
  const floor = limits.floorUnits.get(nativeAsset) ?? 0n;
  return deps.unitOfWork.run(async (repositories) => {
    const ids = group.map(({ id }) => id);
    const among = await lockToDispatch(deps, repositories, limits, ids);
    const { holding, flush } = holdBackPayouts(repositories, among);
    const ready: Payout[] = [];
    for (const payout of await readyPayouts(deps, holding, limits, { among, group })) {
      if (utxos.isDust({ to: payout.address, units: payout.sentUnits }))
        await recordWaitingReason(deps, holding, payout, { code: 'dust', reason: DUST });
      else ready.push(payout);
    }
    const batched = await batchReady(deps, holding, on, utxos, { ready, floor, feeRate });
    await flush();
    return batched;
  }, SET_LOCKS);
}

/** The batch of those that the UTXOs pay for; the others record what they wait for. */
async function batchReady(
  deps: SendingNeeds,
  repositories: Repositories,
  on: SendingChain,
  utxos: UtxoSpending,
  { ready, floor, feeRate }: { ready: readonly Payout[]; floor: bigint; feeRate: bigint },
): Promise<{ made: number; short: readonly Payout[] }> {
  if (ready.length === 0) return { made: 0, short: [] };
  const wallet = { chain: on.chain, address: hotWalletOf(on) };
  await repositories.outgoing.lockWallet(wallet);
  const free = await spendableUtxos(repositories, on.chain);
  const { paid, chosen } = affordable(utxos, ready, { free, floor, feeRate });
  const reason = `liquidity: the hot wallet has too little ${on.sender.nativeAsset}`;
  const short = ready.filter((payout) => !paid.includes(payout));
  for (const payout of short)
    await recordWaitingReason(deps, repositories, payout, { code: 'liquidity', reason });
  const [first, ...others] = paid;
  if (!first) return { made: 0, short };
  await dispatchAll(deps, repositories, paid);
  const [batchId = ''] = await insertBatches(deps, repositories, on, [[first, ...others]], OWN_COUNT);
  await claimUtxos(repositories, on.chain, batchId, chosen);
  return { made: paid.length, short };
}

const DUST = 'dust: no node relays so small an output';

interface Choice {
  readonly paid: readonly Payout[];
  readonly chosen: readonly Utxo[];
}

/**
 * The payouts, in their order, that the UTXOs pay for with the fee, and the chosen UTXOs. A payout
 * that is too large does not stop those behind it.
 */
function affordable(
  utxos: UtxoSpending,
  ready: readonly Payout[],
  { free, floor, feeRate }: { free: readonly Utxo[]; floor: bigint; feeRate: bigint },
): Choice {
  const most = sumOf(free) - floor;

  function together(paid: readonly Payout[]): Choice | null {
    if (paid.reduce((sum, { sentUnits }) => sum + sentUnits, 0n) > most) return null;
    const payments = paid.map(({ address, sentUnits }) => ({ to: address, units: sentUnits }));
    const chosen = utxos.choose({ utxos: free, payments, feeRate });
    return chosen && { paid, chosen };
  }

  /** Divides by halves: payouts that are too much are found in few attempts. */
  function withMore(base: Choice, more: readonly Payout[]): Choice {
    const all = more.length === 0 ? base : together([...base.paid, ...more]);
    if (all !== null || more.length === 1) return all ?? base;
    const half = Math.ceil(more.length / 2);
    return withMore(withMore(base, more.slice(0, half)), more.slice(half));
  }

  return withMore({ paid: [], chosen: [] }, ready);
}

const sumOf = (utxos: readonly Utxo[]): bigint => utxos.reduce((sum, { units }) => sum + units, 0n);
