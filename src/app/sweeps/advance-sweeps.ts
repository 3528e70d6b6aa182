/**
 * Takes every open sweep of a chain a step further. A token's address first gets gas or delegated
 * energy where it needs them; once that is final the money goes to the hot wallet, and then the
 * energy is taken back. Each is an outgoing transfer, which send-transfers.ts takes to its end.
 * Several workers may do the same at the same time; after a crash the same step follows.
 */
import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { endedSweep, type OPEN_SWEEP_STATUSES, type Sweep } from '../../domain/sweeps/sweep.ts';
import { type SweepReason, sweepReason } from '../../domain/sweeps/sweep-reason.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import { hotWalletOf } from '../sending/sending-chain.ts';
import { snapshotWallet, type WalletSnapshot } from '../sending/spendable-balance.ts';
import { type GrowingPauses, growingPauses } from '../shared/growing-pauses.ts';
import { pastOutage, warnIfUnavailable } from '../shared/tolerate-outage.ts';
import { tryTogether } from '../shared/try-together.ts';
import type { WorkerJob } from '../shared/worker-job.ts';
import { changeSweeps, setBack } from './change-sweep.ts';
import { type SweepStarter, sweepStarter } from './order-sweeps.ts';
import { planSweeps } from './plan-sweeps.ts';
import { reopenSweeps } from './reopen-sweeps.ts';
import { startSweeps } from './start-sweeps.ts';
import { openCostModel } from './sweep-economics.ts';
import type { StepLookups, SweepCostModel, SweepNeeds, TreasuryChain } from './sweep-needs.ts';
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
  /** Plans, starts and follows sweeps. Rejects with ChainUnavailable when it could not go on. */
  step(stopping?: AbortSignal): Promise<void>;
}

/** The sweeps of a chain, and what is remembered of them between steps. */
interface Sweeping {
  readonly deps: SweepNeeds;
  readonly on: TreasuryChain;
  readonly settings: SweepSettings;
  readonly starter: SweepStarter;
  /** By address and asset: of those whose transfer could not be signed. */
  readonly pauses: GrowingPauses;
  /** The last sweep of the page before; empty at the first page. */
  after: string;
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

export function sweeper(deps: SweepNeeds, on: TreasuryChain, settings: SweepSettings): Sweeper {
  const starter = sweepStarter(deps, on, settings.limits);
  const sweeping: Sweeping = { deps, on, settings, starter, pauses: growingPauses(deps), after: '' };
  const planMore = planSweeps(deps, on);
  return {
    chain: on.chain,
    async step(stopping) {
      const stopped = await deps.unitOfWork.run(({ outgoing }) => outgoing.findSigningStop());
      const lookups = stepLookups(sweeping);
      await reopenSweeps(deps, on.chain);
      // A failure is thrown last: sweeps that are open go on.
      const planning =
        stopped === null ? [lookups.costModel().then((model) => planMore(model, stopping))] : [];
      const planned = await Promise.allSettled(planning);
      const failures = planned.flatMap((part) => (part.status === 'rejected' ? [part.reason] : []));
      await advanceAll(sweeping, lookups, stopping).catch((error: unknown) => {
        // One is thrown. Nodes that cannot be asked are not worth a second line.
        for (const failure of failures)
          if (!(failure instanceof ChainUnavailable))
            deps.logger.error('sweep.not_planned', { chain: on.chain, error: String(failure) });
        throw error;
      });
      if (failures.length > 0) throw failures[0];
    },
  };
}

function stepLookups({ deps, on, settings: { sharePpm } }: Sweeping): StepLookups {
  let hotWallet: WalletSnapshot | null = null;
  let costModel: SweepCostModel | null = null;
  return {
    async hotWallet() {
      hotWallet ??= await snapshotWallet(on, hotWalletOf(on), []);
      return hotWallet;
    },
    async costModel() {
      costModel ??= await openCostModel(deps, on, { sharePpm, assets: scannedAssetsOf(deps, on.chain) });
      return costModel;
    },
  };
}

async function advanceAll(sweeping: Sweeping, lookups: StepLookups, stopping?: AbortSignal): Promise<void> {
  for (let page = 0; page < PAGES_PER_STEP && !stopping?.aborted; page += 1) {
    await advancePage(sweeping, await nextPage(sweeping), lookups, stopping);
    if (sweeping.after === '') return;
  }
}

/**
 * What ends goes first: it makes room for those that start, and needs no node. These two are most
 * of a page, and each is done for many sweeps together. Throws the first ChainUnavailable last: the
 * next step goes on with the next page.
 */
async function advancePage(
  sweeping: Sweeping,
  page: readonly ReadSweep[],
  lookups: StepLookups,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const { deps, starter } = sweeping;
  const failed = ({ id: sweepId }: Sweep, error: unknown): void =>
    deps.logger.error('sweep.not_advanced', { sweepId, error: String(error) });
  const those = (which: 'start' | 'finish') => page.filter((read) => stepOf(read) === which);
  const finish = those('finish').map(({ sweep }) => sweep);
  const work = (some: readonly Sweep[]): Promise<void> => end(deps, some, null);
  await tryTogether(finish, { work, failed, stopping });
  const failures: ChainUnavailable[] = [];
  for (const read of page) {
    const step = stepOf(read);
    if (typeof step === 'string') continue;
    if (stopping?.aborted) return;
    await pastOutage(failures, () =>
      step(sweeping, read).catch((error: unknown) => {
        if (error instanceof ChainUnavailable) throw error;
        failed(read.sweep, error);
      }),
    );
  }
  const start = those('start').flatMap((read) => (mayStart(sweeping, read) ? [read.sweep] : []));
  failures.push(...(await startSweeps({ starter, lookups, failed, stopping }, start)));
  if (failures[0] !== undefined) throw failures[0];
}

/** An open sweep as it was read, with the transfers that were ordered for it. */
interface ReadSweep {
  readonly sweep: Sweep;
  /** The newest of top-up, delegation and the sweep's own; null before there is one. */
  readonly transfer: OutgoingTransfer | null;
  readonly delegation: OutgoingTransfer | null;
  readonly undelegation: OutgoingTransfer | null;
  /** An operator stopped signing. */
  readonly stopped: boolean;
}

async function nextPage(sweeping: Sweeping): Promise<readonly ReadSweep[]> {
  const { deps, on, after } = sweeping;
  const page = await deps.unitOfWork.run(async ({ sweeps, outgoing }) => {
    const open = await sweeps.open(on.chain, { after, limit: PAGE });
    const ids = open.flatMap(({ topupId, delegationId, transferId, undelegationId }) =>
      [topupId, delegationId, transferId, undelegationId].filter((id) => id !== null),
    );
    const transfers = new Map((await outgoing.find(ids)).map((transfer) => [transfer.id, transfer]));
    const of = (id: string | null) => (id === null ? null : (transfers.get(id) ?? null));
    const stopped = (await outgoing.findSigningStop()) !== null;
    return open.map((sweep) => ({
      sweep,
      transfer: of(sweep.transferId ?? sweep.delegationId ?? sweep.topupId),
      delegation: of(sweep.delegationId),
      undelegation: of(sweep.undelegationId),
      stopped,
    }));
  });
  sweeping.after = page.length < PAGE ? '' : (page.at(-1)?.sweep.id ?? '');
  return page;
}

type OpenStatus = (typeof OPEN_SWEEP_STATUSES)[number];

/** What is seen of the newest transfer of a sweep. */
type Seen =
  | 'none'
  /** On its way. */
  | 'open'
  | 'final'
  /** It was not signed, and left its place. */
  | 'unsigned'
  /** All that was signed is dead, and the chain refused it when it was to be signed again. */
  | 'refused'
  /** In no block: something else used its nonce, or a delegation took too long. */
  | 'unmined'
  /** It had no effect, or it was given up. */
  | 'failed';

/** What is done for one sweep, or for many together: its money is final, or it may start. */
type Step = ((sweeping: Sweeping, read: ReadSweep) => Promise<void>) | 'start' | 'finish';

const rest: Step = () => Promise.resolve();

/** By what is seen of a sweep's transfer and by its status. */
const STEPS: Readonly<Record<Seen, Readonly<Record<Exclude<OpenStatus, 'reclaiming'>, Step>>>> = {
  none: { planned: 'start', topping_up: 'start', lending: 'start', sweeping: 'finish' },
  open: { planned: rest, topping_up: rest, lending: endLate, sweeping: endLate },
  final: { planned: 'start', topping_up: 'start', lending: 'start', sweeping: 'finish' },
  unsigned: { planned: planAgain, topping_up: planAgain, lending: planWithoutEnergy, sweeping: planAgain },
  refused: { planned: planAgain, topping_up: planAgain, lending: planAgain, sweeping: planAgain },
  unmined: { planned: fail, topping_up: fail, lending: planWithoutEnergy, sweeping: fail },
  failed: { planned: fail, topping_up: fail, lending: fail, sweeping: fail },
};

function stepOf(read: ReadSweep): Step {
  const { status } = read.sweep;
  if (status === 'done' || status === 'failed') return rest;
  return status === 'reclaiming' ? takeEnergyBack : STEPS[seenOf(read)][status];
}

function seenOf({ sweep, transfer }: ReadSweep): Seen {
  if (transfer === null) return 'none';
  const { status, takenOut, voided, block, failure } = transfer;
  if (status === 'confirmed') return 'final';
  if (status !== 'failed') return 'open';
  if (block !== null) return 'failed';
  if (takenOut && !voided) return 'unsigned';
  if (!takenOut && voided && failure?.code === 'chain_refused') return 'refused';
  return !voided || sweep.reason?.code === 'loan_late' ? 'unmined' : 'failed';
}

const mayStart = ({ pauses }: Sweeping, { sweep, stopped }: ReadSweep): boolean =>
  !stopped && !pauses.isPaused(placeOf(sweep));

/** Its transfer could not be signed: it is planned again, and starts after a growing pause. */
async function planAgain(
  { deps, pauses }: Sweeping,
  { sweep: expected, transfer }: ReadSweep,
): Promise<void> {
  pauses.begin(placeOf(expected));
  await changeSweeps(deps, [expected], (changes, sweep) =>
    setBack(deps, changes, sweep, sweepReason('unsigned', transfer?.failure?.text)),
  );
}

/** Nothing was delegated: it is planned again, and burns gas if the stake has no energy for it. */
async function planWithoutEnergy(
  { deps }: Sweeping,
  { sweep: expected, transfer }: ReadSweep,
): Promise<void> {
  const reason = whyItEnds(transfer, 'loan_refused');
  await changeSweeps(deps, [expected], (changes, sweep) =>
    setBack(deps, changes, { ...sweep, delegationId: null }, reason),
  );
}

/** What is delegated, or is moved with delegated energy, may be too long on its way. */
async function endLate({ deps }: Sweeping, { sweep, transfer, stopped }: ReadSweep): Promise<void> {
  if (transfer !== null && sweep.delegationId !== null && !stopped) await giveUpLate(deps, sweep, transfer);
}

function takeEnergyBack(
  { deps, on }: Sweeping,
  { sweep, delegation, undelegation, stopped }: ReadSweep,
): Promise<void> {
  return undelegateEnergy(deps, on, sweep, { delegation, undelegation, stopped });
}

/**
 * Its transfer came to nothing. The deposits that were not moved stay tied to the sweep: trying
 * again unasked would only burn gas.
 */
async function fail({ deps }: Sweeping, { sweep, transfer }: ReadSweep): Promise<void> {
  const failure = whyItEnds(transfer, 'transfer_failed');
  const { chain, id: sweepId, address, asset } = sweep;
  deps.logger.error('sweep.failed', { chain, sweepId, address, asset, reason: failure.text });
  await end(deps, [sweep], failure);
}

/** Without `failure` their money is final at the hot wallet. */
function end(deps: SweepNeeds, expected: readonly Sweep[], failure: SweepReason | null): Promise<void> {
  const at = deps.clock.now();
  return changeSweeps(deps, expected, (changes, sweep) => changes.save(endedSweep(sweep, failure, at)));
}

/** Who gave its transfer up says why it ends; else it is `otherwise`. */
function whyItEnds(
  transfer: OutgoingTransfer | null,
  otherwise: 'transfer_failed' | 'loan_refused',
): SweepReason {
  const failure = transfer?.failure;
  const code = failure?.code === 'operator' || failure?.code === 'loan_late' ? failure.code : otherwise;
  return sweepReason(code, failure?.text);
}

const placeOf = ({ address, asset }: Sweep): string => `${address} ${asset}`;
