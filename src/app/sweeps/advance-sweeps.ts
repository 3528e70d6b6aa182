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
import { warnIfUnavailable } from '../shared/tolerate-outage.ts';
import type { WorkerJob } from '../shared/worker-job.ts';
import { lockedSweep, setBack } from './change-sweep.ts';
import { planSweeps } from './plan-sweeps.ts';
import { reopenSweeps } from './reopen-sweeps.ts';
import { type SweepStarter, startSweep, sweepStarter } from './start-sweeps.ts';
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
      const stopped = await deps.unitOfWork.run(({ outgoing }) => outgoing.signingStopped());
      const lookups = stepLookups(sweeping);
      await reopenSweeps(deps, on.chain);
      if (stopped === null) await planMore(await lookups.costModel());
      await advanceAll(sweeping, lookups, stopping);
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
  const { logger } = sweeping.deps;
  for (let page = 0; page < PAGES_PER_STEP; page += 1) {
    for (const read of await nextPage(sweeping)) {
      if (stopping?.aborted) return;
      try {
        await advance(sweeping, read, lookups);
      } catch (error) {
        if (error instanceof ChainUnavailable) throw error;
        logger.error('sweep.not_advanced', { sweepId: read.sweep.id, error: String(error) });
      }
    }
    if (sweeping.after === '') return;
  }
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
    const stopped = (await outgoing.signingStopped()) !== null;
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

type Step = (sweeping: Sweeping, read: ReadSweep, lookups: StepLookups) => Promise<void>;

const rest: Step = () => Promise.resolve();

/** What is done for a sweep, by what is seen of its transfer and by its status. */
const STEPS: Readonly<Record<Seen, Readonly<Record<Exclude<OpenStatus, 'reclaiming'>, Step>>>> = {
  none: { planned: start, topping_up: start, lending: start, sweeping: finish },
  open: { planned: rest, topping_up: rest, lending: endLate, sweeping: endLate },
  final: { planned: start, topping_up: start, lending: start, sweeping: finish },
  unsigned: { planned: planAgain, topping_up: planAgain, lending: planWithoutEnergy, sweeping: planAgain },
  refused: { planned: planAgain, topping_up: planAgain, lending: planAgain, sweeping: planAgain },
  unmined: { planned: fail, topping_up: fail, lending: planWithoutEnergy, sweeping: fail },
  failed: { planned: fail, topping_up: fail, lending: fail, sweeping: fail },
};

async function advance(sweeping: Sweeping, read: ReadSweep, lookups: StepLookups): Promise<void> {
  const { status } = read.sweep;
  if (status === 'done' || status === 'failed') return;
  const step = status === 'reclaiming' ? takeEnergyBack : STEPS[seenOf(read)][status];
  await step(sweeping, read, lookups);
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

async function start(
  { starter, pauses }: Sweeping,
  { sweep, stopped }: ReadSweep,
  lookups: StepLookups,
): Promise<void> {
  if (!stopped && !pauses.isPaused(placeOf(sweep))) await startSweep(starter, sweep, lookups);
}

/** Its transfer could not be signed: it is planned again, and starts after a growing pause. */
async function planAgain(
  { deps, pauses }: Sweeping,
  { sweep: expected, transfer }: ReadSweep,
): Promise<void> {
  pauses.begin(placeOf(expected));
  await lockedSweep(deps, expected, (repositories, sweep) =>
    setBack(deps, repositories, sweep, sweepReason('unsigned', transfer?.failure?.text)),
  );
}

/** Nothing was delegated: it is planned again, and burns gas if the stake has no energy for it. */
async function planWithoutEnergy(
  { deps }: Sweeping,
  { sweep: expected, transfer }: ReadSweep,
): Promise<void> {
  const reason = whyItEnds(transfer, 'loan_refused');
  await lockedSweep(deps, expected, (repositories, sweep) =>
    setBack(deps, repositories, { ...sweep, delegationId: null }, reason),
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

/** The money is final at the hot wallet. */
function finish({ deps }: Sweeping, { sweep }: ReadSweep): Promise<void> {
  return end(deps, sweep, null);
}

/**
 * Its transfer came to nothing. The deposits that were not moved stay tied to the sweep: trying
 * again unasked would only burn gas.
 */
async function fail({ deps }: Sweeping, { sweep, transfer }: ReadSweep): Promise<void> {
  const failure = whyItEnds(transfer, 'transfer_failed');
  const { chain, id: sweepId, address, asset } = sweep;
  deps.logger.error('sweep.failed', { chain, sweepId, address, asset, reason: failure.text });
  await end(deps, sweep, failure);
}

async function end(deps: SweepNeeds, expected: Sweep, failure: SweepReason | null): Promise<void> {
  await lockedSweep(deps, expected, (repositories, sweep) =>
    repositories.sweeps.save(endedSweep(sweep, failure, deps.clock.now())),
  );
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
