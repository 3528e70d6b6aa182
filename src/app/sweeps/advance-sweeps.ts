/**
 * Takes every open sweep of a chain a step further: gas or lent energy to the address where a token needs it, once that is final
 * the money to the hot wallet, and then the energy back, each as an outgoing transfer (send-transfers.ts takes those to their end). Several workers may
 * do the same at the same time, and a crash at any point is followed by the same step.
 */

import { pauseMs } from '../../domain/payouts/hold-reasons.ts';
import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { endedSweep, type Sweep } from '../../domain/sweeps/sweep.ts';
import { type SweepReason, sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import { snapshotWallet, type WalletSnapshot } from '../sending/spendable-balance.ts';
import { boundedMap, NOTES_MAX } from '../shared/bounded-map.ts';
import { warnIfUnavailable } from '../shared/tolerate-outage.ts';
import type { WorkerJob } from '../shared/worker-job.ts';
import { assetsOf, planSweeps } from './plan-sweeps.ts';
import { reopenSweeps } from './reopen-sweeps.ts';
import { lockedSweep, type StepMeans, setBack, sweepBeginner } from './start-sweeps.ts';
import { openCostModel } from './sweep-economics.ts';
import type { SweepCostModel, SweepNeeds, TreasuryChain } from './sweep-needs.ts';
import { giveUpLate, undelegateEnergy } from './undelegate-energy.ts';

const PAGE = 200;
/** Pages in a step: the next step goes on where this one ended. */
const PAGES_PER_STEP = 5;

export interface SweepSettings {
  /** Millionths of what a sweep brings that it may cost. */
  readonly sharePpm: bigint;
  /** What stays in the hot wallet: gas is not taken from below it. */
  readonly limits: Pick<PayoutLimits, 'floorUnits'>;
}

export interface Sweeper {
  readonly chain: string;
  /** Plans, begins and follows sweeps. Rejects with ChainUnavailable when it could not go on. */
  step(stopping?: AbortSignal): Promise<void>;
}

export function sweepJob(deps: SweepNeeds, sweeper: Sweeper, everyMs: number): WorkerJob {
  return {
    name: `sweep:${sweeper.chain}`,
    everyMs,
    run: (stopping) =>
      warnIfUnavailable(deps.logger, { chain: sweeper.chain, event: 'chain.unsweepable' }, () =>
        sweeper.step(stopping),
      ),
  };
}

const placeOf = ({ address, asset }: Sweep): string => `${address} ${asset}`;

export function sweeper(deps: SweepNeeds, on: TreasuryChain, settings: SweepSettings): Sweeper {
  const { chain } = on;
  const hot = hotWalletOf(on);
  const begin = sweepBeginner(deps, on, settings.limits);
  const planMore = planSweeps(deps, on);
  const rests = boundedMap<string, { readonly tries: number; readonly until: number }>(NOTES_MAX);
  let after = '';

  function means(): StepMeans {
    let gas: WalletSnapshot | null = null;
    let scales: SweepCostModel | null = null;
    return {
      async gas() {
        gas ??= await snapshotWallet(on, hot, []);
        return gas;
      },
      async scales() {
        const { sharePpm } = settings;
        scales ??= await openCostModel(deps, on, { sharePpm, assets: assetsOf(deps, chain) });
        return scales;
      },
    };
  }

  async function advanceAll(step: StepMeans, stopping?: AbortSignal): Promise<void> {
    for (let page = 0; page < PAGES_PER_STEP; page += 1) {
      const { sweeps, transfers, stopped } = await deps.unitOfWork.run(async (repositories) => {
        const found = await repositories.sweeps.open(chain, { after, limit: PAGE });
        const ids = found.flatMap(({ topupId, delegationId, transferId, undelegationId }) =>
          [topupId, delegationId, transferId, undelegationId].filter((id) => id !== null),
        );
        return {
          sweeps: found,
          transfers: new Map((await repositories.outgoing.find(ids)).map((found) => [found.id, found])),
          stopped: (await repositories.outgoing.signingStopped()) !== null,
        };
      });
      after = sweeps.length < PAGE ? '' : (sweeps.at(-1)?.id ?? '');
      for (const sweep of sweeps) {
        if (stopping?.aborted) return;
        try {
          await advance(sweep, transfers, stopped, step);
        } catch (error) {
          if (error instanceof ChainUnavailable) throw error;
          deps.logger.error('sweep.not_advanced', { sweepId: sweep.id, error: String(error) });
        }
      }
      if (after === '') return;
    }
  }

  async function advance(
    sweep: Sweep,
    transfers: ReadonlyMap<string, OutgoingTransfer>,
    stopped: boolean,
    step: StepMeans,
  ): Promise<void> {
    const of = (id: string | null) => transfers.get(id ?? '') ?? null;
    if (sweep.status === 'reclaiming')
      return undelegateEnergy(deps, on, sweep, {
        lend: of(sweep.delegationId),
        reclaim: of(sweep.undelegationId),
        stopped,
      });
    const transfer = of(sweep.transferId ?? sweep.delegationId ?? sweep.topupId);
    if (transfer?.status === 'failed') {
      if (isLoanThatCannotBe(sweep, transfer)) return withoutLoan(sweep, transfer);
      if (gaveItsPlaceUp(transfer)) return later(sweep, transfer);
      return end(sweep, whyItEnds(transfer, 'transfer_failed'));
    }
    if (transfer !== null && transfer.status !== 'confirmed') {
      if (sweep.delegationId !== null && !stopped) await giveUpLate(deps, sweep, transfer);
      return;
    }
    if (sweep.status === 'sweeping') return end(sweep, null);
    if (stopped || (rests.get(placeOf(sweep))?.until ?? 0) > deps.clock.now().getTime()) return;
    await begin(sweep, step);
  }

  /** Its transfer could not be signed at present, and gave its place up: it is planned again, and begun after a growing pause. */
  async function later(expected: Sweep, { failure }: OutgoingTransfer): Promise<void> {
    const tries = (rests.get(placeOf(expected))?.tries ?? 0) + 1;
    rests.set(placeOf(expected), { tries, until: deps.clock.now().getTime() + pauseMs(tries) });
    await lockedSweep(deps, expected, (repositories, sweep) =>
      setBack(deps, repositories, sweep, sweepReason('unsigned', failure?.text)),
    );
  }

  /** Nothing is lent: it is planned again, and burns gas if the stake has no energy for it. */
  async function withoutLoan(expected: Sweep, transfer: OutgoingTransfer): Promise<void> {
    await lockedSweep(deps, expected, (repositories, sweep) =>
      setBack(deps, repositories, { ...sweep, delegationId: null }, whyItEnds(transfer, 'loan_refused')),
    );
  }

  /** The sweep's transfer came to its end. What a failed one did not move stays tied to it: trying again by itself would only burn gas. */
  async function end(expected: Sweep, failure: SweepReason | null): Promise<void> {
    if (failure !== null)
      deps.logger.error('sweep.failed', {
        chain,
        sweepId: expected.id,
        address: expected.address,
        asset: expected.asset,
        reason: failure.text,
      });
    await lockedSweep(deps, expected, (repositories, sweep) =>
      repositories.sweeps.save(endedSweep(sweep, failure, deps.clock.now())),
    );
  }

  return {
    chain,
    async step(stopping) {
      const stopped = await deps.unitOfWork.run((repositories) => repositories.outgoing.signingStopped());
      const step = means();
      await reopenSweeps(deps, chain);
      if (stopped === null) await planMore(await step.scales());
      await advanceAll(step, stopping);
    },
  };
}

/** Who gave its transfer up says why it ends; else what came of that. */
function whyItEnds(
  { failure }: OutgoingTransfer,
  otherwise: 'transfer_failed' | 'loan_refused',
): SweepReason {
  const code = failure?.code === 'operator' || failure?.code === 'loan_late' ? failure.code : otherwise;
  return sweepReason(code, failure?.text);
}

/** It could not be signed, or not again after what was signed had expired: nothing was mined, and nobody gave it up for good. */
function gaveItsPlaceUp({ takenOut, voided, block, failure }: OutgoingTransfer): boolean {
  return takenOut ? !voided : voided && block === null && failure?.code === 'chain_refused';
}

/** In no block, and neither an operator nor the signer would not have it: the stake lacked the energy after all, or it took too long. */
function isLoanThatCannotBe({ status, reason }: Sweep, { block, voided }: OutgoingTransfer): boolean {
  return status === 'lending' && block === null && (!voided || reason?.code === 'loan_late');
}
