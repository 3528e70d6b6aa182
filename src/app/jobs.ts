/** The background jobs of a worker, by name: how often each runs, and which jobs it starts. */

import { ChainUnavailable } from '../ports/chains/chain-scanner.ts';
import type { ToldHeads } from './chains/announced-heads.ts';
import type { HealthNotes } from './chains/record-health.ts';
import type { AppDependencies } from './dependencies.ts';
import { screenDeposits } from './deposits/screen-deposits.ts';
import { expireInvoices } from './invoices/expire-invoices.ts';
import { forgetUnpaid } from './invoices/retention/forget-unpaid.ts';
import { tellEndingKeys } from './merchants/warn-ending-keys.ts';
import { purgeAnswers, purgeUniqIds } from './payouts/purge-used-keys.ts';
import { expireClaims } from './payouts/refunds/follow-claim.ts';
import { settleSandboxPayouts } from './sandbox/settle-sandbox-payouts.ts';
import { forgetBytes } from './sending/signing/forget-bytes.ts';
import { drain } from './shared/drain.ts';
import { warnIfUnavailable } from './shared/tolerate-outage.ts';
import type { WorkerJob } from './shared/worker-job.ts';
import type { ChainWatcher } from './watching/watch-chain.ts';
import type { WebhookDispatcher } from './webhooks/deliver-webhooks.ts';
import { giveUpWebhooks } from './webhooks/expire-deliveries.ts';
import { forgetWebhooks } from './webhooks/forget-webhooks.ts';

/** Days; 0 is for ever. */
export interface Retention {
  readonly webhookDays: number;
  readonly signedDays: number;
  readonly unpaidDays: number;
}

export interface FollowedChain {
  readonly watcher: ChainWatcher;
  readonly pollMs: number;
  /** Null if no node announces heads. */
  readonly told: ToldHeads | null;
}

const SETTLED_AT_ONCE = 500;
const FORGET_EVERY_MS = 5_000;
const FORGOTTEN_AT_ONCE = 5_000;
/** A few kilobytes each. */
const ANSWERS_AT_ONCE = 1_000;
const FOLDED_AT_ONCE = 10_000;
const RETENTION_EVERY_MS = 60_000;
/** Some ten milliseconds of deletions in a transaction, and some seconds in a run. */
const REMOVED_AT_ONCE = 500;
const RETENTION_STEPS = 40;
const GIVE_UP_EVERY_MS = 60_000;
const ENDING_KEYS_EVERY_MS = 600_000;
const GIVEN_UP_AT_ONCE = 1_000;
const CLAIMS_EVERY_MS = 60_000;
const CLAIMS_AT_ONCE = 500;
/** A chain far behind lets other jobs run after this many steps. */
const STEPS_PER_RUN = 50;

export function workerJobs(
  deps: AppDependencies,
  parts: {
    watchers: readonly FollowedChain[];
    notes: HealthNotes;
    dispatcher: WebhookDispatcher;
    retention: Retention;
  },
): readonly WorkerJob[] {
  const screen = screenDeposits(deps);
  const expire = expireInvoices(
    deps,
    parts.watchers.map(({ watcher }) => watcher.chain),
  );
  const settle = settleSandboxPayouts(deps);
  const [uniqIds, answers] = [purgeUniqIds(deps), purgeAnswers(deps)];
  const [giveUp, claims] = [giveUpWebhooks(deps), expireClaims(deps)];
  return [
    ...parts.watchers.map((chain) => chainJob(deps, chain, parts.notes)),
    {
      name: 'screen-deposits',
      everyMs: 1_000,
      run: async (stopping) => void (await screen(stopping)),
      handsOnTo: ['deliver-webhooks'],
    },
    {
      name: 'expire-invoices',
      everyMs: 1_000,
      run: expire,
      handsOnTo: ['deliver-webhooks'],
    },
    {
      name: 'settle-sandbox-payouts',
      everyMs: 1_000,
      run: (stopping) => drain(settle, SETTLED_AT_ONCE, stopping),
    },
    {
      name: 'forget-uniq-ids',
      everyMs: FORGET_EVERY_MS,
      run: (stopping) => drain(uniqIds, FORGOTTEN_AT_ONCE, stopping),
    },
    {
      name: 'forget-answers',
      everyMs: FORGET_EVERY_MS,
      run: (stopping) => drain(answers, ANSWERS_AT_ONCE, stopping),
    },
    ...foldJobs(deps),
    ...retentionJobs(deps, parts.retention),
    {
      name: 'deliver-webhooks',
      everyMs: 1_000,
      run: async (stopping) => void (await parts.dispatcher.run(stopping)),
    },
    {
      name: 'expire-refund-claims',
      everyMs: CLAIMS_EVERY_MS,
      run: (stopping) => drain(claims, CLAIMS_AT_ONCE, stopping),
    },
    { name: 'tell-ending-keys', everyMs: ENDING_KEYS_EVERY_MS, run: tellEndingKeys(deps) },
    {
      name: 'give-up-webhooks',
      everyMs: GIVE_UP_EVERY_MS,
      run: (stopping) => drain(giveUp, GIVEN_UP_AT_ONCE, stopping),
    },
  ];
}

/** What was kept for long enough; a run is bounded, and the next one goes on. */
function retentionJobs(
  deps: AppDependencies,
  { webhookDays, signedDays, unpaidDays }: Retention,
): readonly WorkerJob[] {
  const forget = (name: string, steps: readonly ((limit: number) => Promise<number>)[]): WorkerJob => ({
    ...{ name, everyMs: RETENTION_EVERY_MS },
    async run(stopping) {
      // A step that removes less than it may is not the last one: it takes some lists at a time.
      for (const step of steps) {
        let [left, removed] = [RETENTION_STEPS, 1];
        while (left > 0 && removed > 0 && !stopping?.aborted) {
          removed = await step(REMOVED_AT_ONCE);
          left -= 1;
        }
      }
    },
  });
  return [
    ...(webhookDays > 0 ? [forget('forget-webhooks', forgetWebhooks(deps, webhookDays))] : []),
    ...(signedDays > 0 ? [forget('forget-bytes', [forgetBytes(deps, signedDays)])] : []),
    ...(unpaidDays > 0 ? [forget('forget-unpaid', [forgetUnpaid(deps, unpaidDays)])] : []),
  ];
}

/** What triggers noted, into the counts of lists and the sums of days. */
function foldJobs({ unitOfWork }: Pick<AppDependencies, 'unitOfWork'>): readonly WorkerJob[] {
  const fold = (name: string, step: (limit: number) => Promise<number>): WorkerJob => ({
    ...{ name, everyMs: 1_000 },
    run: (stopping) => drain(step, FOLDED_AT_ONCE, stopping),
  });
  return [
    fold('fold-list-counts', (limit) => unitOfWork.run(({ listCounts }) => listCounts.fold(limit))),
    fold('fold-day-figures', (limit) => unitOfWork.run(({ dayFigures }) => dayFigures.fold(limit))),
  ];
}

function chainJob(
  deps: AppDependencies,
  { watcher, pollMs, told }: FollowedChain,
  notes: HealthNotes,
): WorkerJob {
  const { chain } = watcher;
  const follow = async (stopping?: AbortSignal): Promise<void> => {
    for (let step = 0; step < STEPS_PER_RUN && !stopping?.aborted; step += 1) {
      const { behind } = await watcher.poll(stopping);
      await notes.note(chain, null);
      if (!behind) return;
    }
  };
  const look = (stopping?: AbortSignal) =>
    warnIfUnavailable(deps.logger, { chain, event: 'chain.unreadable' }, () =>
      follow(stopping).catch(async (error: unknown) => {
        if (error instanceof ChainUnavailable) await notes.note(chain, error.fault);
        throw error;
      }),
    );
  const job = { name: `chain:${chain}`, handsOnTo: ['screen-deposits'] };
  if (told === null) return { ...job, everyMs: pollMs, run: look };
  return {
    ...job,
    get everyMs() {
      return told.everyMs();
    },
    listen: told.listen,
    run: (stopping) => told.look(() => look(stopping)),
  };
}
