/** The background work of a worker, as named jobs: what runs how often, and what each hands on to. */
import type { WebhookDispatcher } from './deliver-webhooks.ts';
import type { AppDependencies } from './dependencies.ts';
import { expireInvoices } from './expire-invoices.ts';
import { forgetUniqIds } from './forget-uniq-ids.ts';
import { screenDeposits } from './screen-deposits.ts';
import { settleSandboxPayouts } from './settle-payout.ts';
import type { ChainWatcher } from './watch-chain.ts';
import { warnWhileAway } from './while-away.ts';

export interface WorkerJob {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
  readonly handsOnTo?: readonly string[];
}

const BATCH = 200;
/** A slow pace that still keeps up with 600 payout requests a second. */
const FORGET_EVERY_MS = 5_000;
const FORGET_BATCH = 3_000;
/** A chain far behind gives way to other jobs after this many steps. */
const STEPS_PER_RUN = 50;

export function workerJobs(
  deps: AppDependencies,
  parts: { watchers: readonly { watcher: ChainWatcher; pollMs: number }[]; dispatcher: WebhookDispatcher },
): readonly WorkerJob[] {
  const screen = screenDeposits(deps);
  const expire = expireInvoices(
    deps,
    parts.watchers.map(({ watcher }) => watcher.chain),
  );
  const settle = settleSandboxPayouts(deps);
  const forget = forgetUniqIds(deps);
  return [
    ...parts.watchers.map(({ watcher, pollMs }) => chainJob(deps, watcher, pollMs)),
    {
      name: 'screen-deposits',
      everyMs: 1_000,
      run: async () => void (await screen()),
      handsOnTo: ['deliver-webhooks'],
    },
    {
      name: 'expire-invoices',
      everyMs: 1_000,
      run: () => drain(() => expire(BATCH)),
      handsOnTo: ['deliver-webhooks'],
    },
    { name: 'settle-sandbox-payouts', everyMs: 1_000, run: async () => void (await settle(BATCH)) },
    { name: 'forget-uniq-ids', everyMs: FORGET_EVERY_MS, run: async () => void (await forget(FORGET_BATCH)) },
    { name: 'deliver-webhooks', everyMs: 1_000, run: async () => void (await parts.dispatcher.run()) },
  ];
}

function chainJob(deps: AppDependencies, watcher: ChainWatcher, pollMs: number): WorkerJob {
  return {
    name: `chain:${watcher.chain}`,
    everyMs: pollMs,
    handsOnTo: ['screen-deposits'],
    run: () =>
      warnWhileAway(deps.logger, { chain: watcher.chain, event: 'chain.unreadable' }, async () => {
        for (let step = 0; step < STEPS_PER_RUN; step += 1) {
          const { behind } = await watcher.poll();
          if (!behind) return;
        }
      }),
  };
}

/** Repeats a batch while it comes back full. */
async function drain(batch: () => Promise<number>): Promise<void> {
  while ((await batch()) >= BATCH);
}
