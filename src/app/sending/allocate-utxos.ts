/**
 * UTXO chains (Bitcoin and its kind): pending payouts become a batch that leaves in one
 * transaction. Nonce, UTXOs and transfers are taken in the transaction that checks the payouts once
 * more, under the lock of the wallet, so no UTXO is claimed twice (safety.md, "Paid once").
 */

import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer, SignedTransaction, TransferBatch } from '../../domain/sending/outgoing.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Utxo, UtxoSpending } from '../../ports/sending/utxo-spending.ts';
import type { AllocationPlanner } from './allocation-plan.ts';
import { insertBatch, readyPayouts, recordWaitingReason } from './payout-dispatch.ts';
import {
  hotWalletOf,
  hotWalletText,
  insertTransfer,
  type SendingChain,
  type SendingNeeds,
} from './sending-chain.ts';
import { NO_TRIALS } from './signing/try-payouts.ts';

/**
 * UTXOs are chosen among so many of the largest: more would not pay better, and take longer under
 * the wallet's lock. As many are consolidated at once.
 */
const CHOICE = 500;
/** From so many free UTXOs on, they are consolidated when fees are low. */
const CONSOLIDATE_FROM = 100;
/** Between two consolidations: a refused one would be refused again. */
const CONSOLIDATE_EVERY_MS = 3_600_000;
/** The highest low fee, in satoshi for 1,000 virtual bytes. */
const LOW_FEE_RATE = 10_000n;
/** Nonces are counted by ourselves: the chain knows none. */
const OWN_COUNT = { atLeast: 0n };

/** A purpose besides payouts for which UTXOs are spent: everything goes to our own hot wallet. */
interface OwnSpending {
  readonly purpose: 'bump' | 'consolidation';
  readonly referenceId: string;
  readonly units: bigint;
  readonly utxos: readonly Utxo[];
}

/** Batches payouts, and then consolidates UTXOs if that is due. No payout needs a trial. */
export function utxoAllocator(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
  limits: PayoutLimits,
): AllocationPlanner {
  const { paymentsAtOnce } = on.sender.ways;
  const consolidate = consolidator(deps, on, utxos);

  async function allocate(candidates: readonly Payout[], open: readonly OutgoingTransfer[]): Promise<number> {
    const feeRate = candidates.length === 0 ? null : await utxos.feeRate();
    let made = 0;
    const short: Payout[] = [];
    for (let from = 0; feeRate !== null && from < candidates.length; from += paymentsAtOnce) {
      const group = candidates.slice(from, from + paymentsAtOnce);
      const batched = await batchUp(deps, on, utxos, limits, { group, feeRate });
      made += batched.made;
      short.push(...batched.short);
    }
    return made + (await consolidate(open, short));
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
    const ready: Payout[] = [];
    for (const payout of await readyPayouts(deps, repositories, limits, group)) {
      if (utxos.isDust({ to: payout.address, units: payout.sentUnits }))
        await recordWaitingReason(deps, repositories, payout, { code: 'dust', reason: DUST });
      else ready.push(payout);
    }
    if (ready.length === 0) return { made: 0, short: [] };
    const wallet = { chain: on.chain, address: hotWalletOf(on) };
    await repositories.outgoing.lockWallet(wallet);
    const free = await spendableUtxos(repositories, on.chain);
    const { paid, chosen } = affordable(utxos, ready, { free, floor, feeRate });
    const reason = `liquidity: the hot wallet has too little ${nativeAsset}`;
    const short = ready.filter((payout) => !paid.includes(payout));
    for (const payout of short)
      await recordWaitingReason(deps, repositories, payout, { code: 'liquidity', reason });
    const [first, ...others] = paid;
    if (!first) return { made: 0, short };
    const batchId = await insertBatch(deps, repositories, on, [first, ...others], OWN_COUNT);
    await claim(repositories, on.chain, batchId, chosen);
    return { made: paid.length, short };
  });
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

/**
 * Makes one UTXO of many small ones: while fees are low, since they would make payouts dear when
 * fees are high, and at any fee when a payout needs more UTXOs than fit into a transaction. The
 * largest are left to pay meanwhile.
 */
function consolidator(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
): (open: readonly OutgoingTransfer[], short: readonly Payout[]) => Promise<number> {
  let again = 0;

  return async (open, short) => {
    const now = deps.clock.now().getTime();
    if (now < again || open.some(({ purpose }) => purpose === 'consolidation')) return 0;
    const { free, freeUnits } = await deps.unitOfWork.run(async (repositories) => ({
      free: await spendableUtxos(repositories, on.chain, 2 * CHOICE),
      freeUnits: await freeUnitsOf(repositories, on.chain),
    }));
    if (free.length < CONSOLIDATE_FROM) return 0;
    const feeRate = await utxos.feeRate();
    const needsMore = ({ address: to, sentUnits: units }: Payout): boolean =>
      units <= freeUnits &&
      utxos.choose({ utxos: free.slice(0, CHOICE), payments: [{ to, units }], feeRate }) === null;
    if (feeRate > LOW_FEE_RATE && !(free.length > CHOICE && short.some(needsMore))) return 0;
    // Dust, which strangers may send, is left alone: a UTXO of which two are not worth the fee.
    const worthIt = free.filter((utxo) => utxos.consolidate({ utxos: [utxo, utxo], feeRate }) !== null);
    const behind = Math.min(CHOICE, worthIt.length - CONSOLIDATE_FROM);
    if (behind < 0) return 0;
    const smaller = worthIt.slice(behind, behind + CHOICE);
    const plan = utxos.consolidate({ utxos: smaller, feeRate });
    if (plan === null) return 0;
    again = now + CONSOLIDATE_EVERY_MS;
    const id = deps.ids.id();
    await spendOwn(deps, on, id, { purpose: 'consolidation', referenceId: id, ...plan, utxos: smaller });
    return 1;
  };
}

/**
 * Has a child spend the change of the batch's newest transaction, with a fee that makes it worth a
 * miner's while to take both (CPFP). Nothing happens where there is no change, where it would not
 * help, or where a child exists.
 */
export async function bumpBatch(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
): Promise<void> {
  const [{ transferBatchId, purpose, nonce }] = batch;
  const latest = signed.at(-1);
  if (latest === undefined || purpose === 'bump') return;
  const helped = await deps.unitOfWork.run(({ outgoing }) => outgoing.activeOf('bump', transferBatchId));
  if (helped !== null) return;
  const { raw, txid } = latest;
  const back = utxos.changeOf({ raw, nonce });
  const change = back === null ? null : { txid, ...back };
  const plan =
    change === null
      ? null
      : utxos.bump({ raw, paidFeeUnits: latest.maxFeeUnits, feeRate: await utxos.feeRate(), change });
  if (change === null || plan === null) {
    deps.logger.warn('transfer.no_child_possible', { chain: on.chain, txid });
    return;
  }
  await spendOwn(deps, on, deps.ids.id(), {
    purpose: 'bump',
    referenceId: transferBatchId,
    ...plan,
    utxos: [change],
  });
}

async function spendOwn(
  deps: SendingNeeds,
  on: SendingChain,
  id: string,
  spending: OwnSpending,
): Promise<void> {
  const { utxos, ...order } = spending;
  await deps.unitOfWork.run(async (repositories) => {
    if (await repositories.outgoing.signingStopped()) return;
    if (await repositories.outgoing.activeOf(order.purpose, order.referenceId)) return;
    await insertTransfer(repositories, {
      id,
      chain: on.chain,
      wallet: hotWalletOf(on),
      from: OWN_COUNT,
      asset: on.sender.nativeAsset,
      to: hotWalletText(on),
      ...order,
      createdAt: deps.clock.now(),
    });
    // The change that a child spends waits for a block itself.
    await claim(repositories, on.chain, id, utxos, { waiting: order.purpose === 'bump' });
  });
}

async function spendableUtxos(
  repositories: Repositories,
  chain: string,
  most = CHOICE,
): Promise<readonly Utxo[]> {
  const cursor = await repositories.chains.cursor(chain);
  return cursor === null ? [] : repositories.utxos.free(chain, cursor.finalizedHeight, most);
}

async function freeUnitsOf(repositories: Repositories, chain: string): Promise<bigint> {
  const cursor = await repositories.chains.cursor(chain);
  return cursor === null ? 0n : repositories.utxos.freeUnits(chain, cursor.finalizedHeight);
}

async function claim(
  repositories: Repositories,
  chain: string,
  transferBatchId: string,
  utxos: readonly Utxo[],
  options: { waiting: boolean } = { waiting: false },
): Promise<void> {
  // The caller holds the wallet's lock: only a reorganisation or another bump of the same change
  // can come between.
  if (!(await repositories.utxos.claim(chain, transferBatchId, utxos, options)))
    throw new Error(`UTXOs of ${chain} were taken while a batch was made: the next step makes it again`);
}
