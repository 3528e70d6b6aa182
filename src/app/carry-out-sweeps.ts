/**
 * Takes every open sweep of a chain a step further: gas to the address where a token needs it, and once that is final the
 * money to the hot wallet, each as an outgoing transfer (send-transfers.ts takes those to their end). Several workers may
 * do the same at the same time, and a crash at any point is followed by the same step.
 */
import { allocatedTransfer, type OutgoingTransfer } from '../domain/outgoing.ts';
import type { PayoutLimits } from '../domain/payout-limits.ts';
import { nextSweepStep, type Sweep, type SweepFacts, type SweepStep } from '../domain/sweep.ts';
import { ChainUnavailable } from '../ports/chain-scanner.ts';
import type { Repositories } from '../ports/repositories.ts';
import { openPurse, type Purse } from './allocate-payouts.ts';
import { mayBegin, newSweep, planSweeps, type SweepNeeds, type TreasuryChain } from './plan-sweeps.ts';
import { hotWalletOf } from './sending.ts';
import { warnWhileAway } from './while-away.ts';
import type { WorkerJob } from './worker-jobs.ts';

const PAGE = 200;
/** Pages in a step: the next step goes on where this one ended. */
const PAGES_PER_STEP = 5;
/** Sweeps with a transfer on its way at a time: payouts wait for their turn among the open transfers. */
const ACTIVE_MAX = 100;
const OPEN_MAX = 2_000;

export interface SweepSettings {
  /** Millionths of what a sweep brings that it may cost. */
  readonly sharePpm: bigint;
  /** What stays in the hot wallet: gas is not taken from below it. */
  readonly limits: Pick<PayoutLimits, 'floorUnits'>;
}

export interface Sweeper {
  readonly chain: string;
  /** Plans, begins and follows sweeps. Rejects with ChainUnavailable when it could not go on. */
  step(): Promise<void>;
}

export function sweepJob(deps: SweepNeeds, sweeper: Sweeper, everyMs: number): WorkerJob {
  return {
    name: `sweep:${sweeper.chain}`,
    everyMs,
    run: () =>
      warnWhileAway(
        deps.logger,
        { chain: sweeper.chain, message: 'nothing can be swept on a chain at the moment' },
        sweeper.step,
      ),
  };
}

export function sweeper(deps: SweepNeeds, on: TreasuryChain, settings: SweepSettings): Sweeper {
  const { chain, sender } = on;
  const { nativeAsset } = sender;
  const hot = hotWalletOf(on);
  const planMore = planSweeps(deps, on, settings);
  let after = '';

  /** The hot wallet's money for gas, looked at once per step. */
  async function purseOfHotWallet(): Promise<Purse> {
    const open = await deps.unitOfWork.run((repositories) => repositories.outgoing.open(chain, OPEN_MAX));
    return openPurse(on, hot, open, open, settings.limits);
  }

  async function advanceAll(): Promise<void> {
    let purse: Purse | null = null;
    const gas = async () => {
      purse ??= await purseOfHotWallet();
      return purse;
    };
    for (let page = 0; page < PAGES_PER_STEP; page += 1) {
      const { sweeps, transfers, stopped } = await deps.unitOfWork.run(async (repositories) => {
        const found = await repositories.sweeps.open(chain, { after, limit: PAGE });
        const ids = found.flatMap(({ topupId, transferId }) => transferId ?? topupId ?? []);
        return {
          sweeps: found,
          transfers: new Map((await repositories.outgoing.find(ids)).map((found) => [found.id, found])),
          stopped: (await repositories.outgoing.signingStopped()) !== null,
        };
      });
      after = sweeps.length < PAGE ? '' : (sweeps.at(-1)?.id ?? '');
      for (const sweep of sweeps) {
        try {
          await advance(sweep, transfers.get(sweep.transferId ?? sweep.topupId ?? '') ?? null, stopped, gas);
        } catch (error) {
          if (error instanceof ChainUnavailable) throw error;
          deps.logger.error('a sweep cannot be moved on', { sweepId: sweep.id, error: String(error) });
        }
      }
      if (after === '') return;
    }
  }

  async function advance(
    sweep: Sweep,
    transfer: OutgoingTransfer | null,
    stopped: boolean,
    gas: () => Promise<Purse>,
  ): Promise<void> {
    if (transfer?.status === 'failed') return end(sweep, { failure: transfer.failure ?? 'it had no effect' });
    if (transfer !== null && transfer.status !== 'confirmed') return;
    if (sweep.status === 'sweeping') return end(sweep, { failure: null });
    if (stopped) return;
    await goOn(sweep, gas);
  }

  /** The sweep's transfer came to its end. What a failed one did not move stays tied to it: trying again by itself would only burn gas. */
  async function end(expected: Sweep, { failure }: { failure: string | null }): Promise<void> {
    if (failure !== null)
      deps.logger.error(
        'a sweep failed: the money stays at its deposit address until an operator sweeps it',
        {
          chain,
          sweepId: expected.id,
          address: expected.address,
          asset: expected.asset,
          reason: failure,
        },
      );
    await locked(expected, (repositories, sweep) =>
      repositories.sweeps.save({
        ...sweep,
        status: failure === null ? 'done' : 'failed',
        reason: failure,
        endedAt: deps.clock.now(),
      }),
    );
  }

  /** Planned, or with its gas final: what comes next depends on what the chain says now. */
  async function goOn(sweep: Sweep, gas: () => Promise<Purse>): Promise<void> {
    if (sweep.status === 'planned' && !(await hasRoom(sweep))) return;
    const found = await lookAt(sweep);
    if (found === null) return;
    // How much is covered is known only under the lock; whether gas is lacking does not depend on it.
    const likely = nextSweepStep({ ...found, coveredUnits: found.balanceUnits });
    const purse = likely.kind === 'top_up' && sweep.status === 'planned' ? await gas() : null;
    const lacking =
      likely.kind === 'top_up'
        ? (purse?.lacking({ asset: nativeAsset, sentUnits: likely.units }) ?? null)
        : null;
    if (lacking !== null) {
      await locked(sweep, (repositories, current) => wait(repositories, current, lacking));
      return;
    }
    const atLeast = await sender.nextSequence(likely.kind === 'top_up' ? hot : sweep.address);
    const ordered = await locked(sweep, (repositories, current) =>
      goOnLocked(repositories, current, found, atLeast),
    );
    if (ordered?.kind === 'top_up') purse?.take({ asset: nativeAsset, sentUnits: ordered.units });
  }

  /** Null while the node is behind the scanner: it might show money that was moved since. */
  async function lookAt({ asset, address }: Sweep): Promise<Omit<SweepFacts, 'coveredUnits'> | null> {
    const cursor = await deps.unitOfWork.run((repositories) => repositories.chains.cursor(chain));
    const { block, units } = await sender.balances(address, [...new Set([asset, nativeAsset])]);
    if (cursor === null || block.height < cursor.height) return null;
    const price = await sender.price({ asset, to: null });
    return {
      native: asset === nativeAsset,
      balanceUnits: units.get(asset) ?? 0n,
      gasUnits: units.get(nativeAsset) ?? 0n,
      maxFeeUnits: price.maxUnits,
    };
  }

  async function goOnLocked(
    repositories: Repositories,
    sweep: Sweep,
    found: Omit<SweepFacts, 'coveredUnits'>,
    atLeast: bigint,
  ): Promise<SweepStep | null> {
    const { address } = sweep;
    if (await repositories.outgoing.signingStopped()) return null;
    await repositories.outgoing.lockWallet({ chain, address });
    const others = await repositories.sweeps.openAt({ chain, address });
    const rest = others.filter(({ id }) => id !== sweep.id);
    if (!mayBegin(sweep, nativeAsset, rest)) return null;
    const coveredUnits = await repositories.sweeps.cover(sweep);
    if (coveredUnits === null) {
      await wait(repositories, sweep, 'a deposit at the address is not decided');
      return null;
    }
    const next = nextSweepStep({ ...found, coveredUnits });
    if (next.kind === 'nothing') {
      // By itself it would be planned again and again for money that is not there; an operator's is not.
      if (sweep.forced) await repositories.sweeps.uncover(sweep);
      await failed(repositories, sweep, 'nothing is there that could be moved');
    } else if (next.kind === 'top_up' && sweep.status === 'topping_up') {
      await repositories.sweeps.uncover(sweep);
      await failed(repositories, sweep, 'fees rose above the gas that was sent: planned again');
      await repositories.sweeps.plan(newSweep(deps, sweep));
    } else {
      await order(repositories, sweep, next, atLeast);
      return next;
    }
    return null;
  }

  /** Asked before the nodes are: most planned sweeps wait for others. */
  function hasRoom(sweep: Sweep): Promise<boolean> {
    return deps.unitOfWork.run(async (repositories) => {
      if ((await repositories.sweeps.countActive(chain)) >= ACTIVE_MAX) return false;
      const others = await repositories.sweeps.openAt(sweep);
      return mayBegin(
        sweep,
        nativeAsset,
        others.filter(({ id }) => id !== sweep.id),
      );
    });
  }

  async function wait(repositories: Repositories, sweep: Sweep, reason: string): Promise<void> {
    if (sweep.reason !== reason) await repositories.sweeps.save({ ...sweep, reason });
  }

  function failed(repositories: Repositories, sweep: Sweep, reason: string): Promise<void> {
    deps.logger.warn('a sweep ended without moving anything', {
      chain,
      sweepId: sweep.id,
      address: sweep.address,
      asset: sweep.asset,
      reason,
    });
    return repositories.sweeps.save({ ...sweep, status: 'failed', reason, endedAt: deps.clock.now() });
  }

  async function order(
    repositories: Repositories,
    sweep: Sweep,
    next: Extract<SweepStep, { units: bigint }>,
    atLeast: bigint,
  ): Promise<void> {
    const { address } = sweep;
    const gas = next.kind === 'top_up';
    const wallet = gas ? hot : address;
    const sequence = await repositories.outgoing.takeSequence({ chain, address: wallet, atLeast });
    const id = deps.ids.id();
    const transfer = allocatedTransfer({
      id,
      chain,
      wallet,
      sequence,
      purpose: gas ? 'topup' : 'sweep',
      referenceId: sweep.id,
      asset: gas ? nativeAsset : sweep.asset,
      to: gas ? address : on.deriver.hotWallet(),
      units: next.units,
      createdAt: deps.clock.now(),
    });
    await repositories.outgoing.insert(transfer);
    const moved = { ...sweep, reason: null };
    await repositories.sweeps.save(
      gas
        ? { ...moved, status: 'topping_up', topupId: id }
        : { ...moved, status: 'sweeping', transferId: id, units: next.units },
    );
  }

  /** Runs `work` on the sweep if it still is what it was when the nodes were asked; null otherwise. */
  function locked<T>(
    expected: Sweep,
    work: (repositories: Repositories, sweep: Sweep) => Promise<T>,
  ): Promise<T | null> {
    return deps.unitOfWork.run(async (repositories) => {
      const sweep = await repositories.sweeps.lock(expected.id);
      return sweep?.status === expected.status ? work(repositories, sweep) : null;
    });
  }

  return {
    chain,
    async step() {
      const stopped = await deps.unitOfWork.run((repositories) => repositories.outgoing.signingStopped());
      if (stopped === null) await planMore();
      await advanceAll();
    },
  };
}
