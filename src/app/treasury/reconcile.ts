/**
 * Checks the books against themselves (ledger sums, balances, invoice states against deposits) and,
 * chain by chain, against the chains. Any difference is a fault.
 */
import type { ReconciliationFault } from '../../ports/treasury/book-checks.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { WorkerJob } from '../shared/worker-job.ts';
import { type BelowCostNeeds, belowCost } from '../sweeps/below-cost.ts';
import type { TreasuryChain } from '../sweeps/sweep-needs.ts';
import { type ChainReconciliation, type ReconcileNeeds, reconcileChain } from './reconcile-chain.ts';
import { type UnusedAddressRotation, unusedAddressRotation } from './unused-address-rotation.ts';

export interface ReconciliationReport {
  readonly faults: readonly ReconciliationFault[];
  readonly chains: readonly ChainReconciliation[];
  /** No fault, no difference, and every chain could be checked in all listed tokens. */
  readonly agree: boolean;
}

type ReconcileAllNeeds = ReconcileNeeds & Pick<AppDependencies, 'operatorQueries' | 'clock'>;

interface ReconcileAllOptions {
  /** A single chain to check, and the block to check it at. */
  readonly chain?: string;
  readonly height?: number | null;
  readonly everyAddress?: boolean;
  /** Walks through all rows of the books first. */
  readonly wholeBooks?: boolean;
  /** Further addresses of a chain to check, and their results. */
  readonly rounds?: UnusedAddressRotation;
  /** What is found once it is aborted is not all. */
  readonly stopping?: AbortSignal | undefined;
  readonly progress?: (line: string) => void;
}

export function reconcile(
  deps: ReconcileAllNeeds,
  chains: Iterable<TreasuryChain>,
): (options?: ReconcileAllOptions) => Promise<ReconciliationReport> {
  return async (options = {}) => {
    const now = deps.clock.now();
    const { operatorQueries } = deps;
    const faults = await (options.wholeBooks
      ? operatorQueries.reconciliationFaults(now)
      : operatorQueries.newFaults(now, options.stopping));
    const checked = await reconcileChains(deps, chains, options);
    const agree =
      faults.length === 0 && checked.every((chain) => chain.differences.length === 0 && isChecked(chain));
    return { faults, chains: checked, agree };
  };
}

async function reconcileChains(
  deps: ReconcileAllNeeds,
  chains: Iterable<TreasuryChain>,
  { chain: only, height = null, everyAddress = false, rounds, stopping, progress }: ReconcileAllOptions,
): Promise<readonly ChainReconciliation[]> {
  const checked: ChainReconciliation[] = [];
  for (const on of chains) {
    if (only !== undefined && on.chain !== only) continue;
    if (stopping?.aborted) break;
    const found = await reconcileChain(deps, on, {
      height,
      everyAddress,
      besides: (await rounds?.next(on)) ?? [],
      stopping,
      progress: (done) => progress?.(`${on.chain}: ${done} addresses checked`),
    });
    // A chain that was not compared to its end is in no report, and its round is repeated.
    if (stopping?.aborted) break;
    rounds?.done(found);
    checked.push(found);
  }
  return checked;
}

const isChecked = ({ unavailable, unreadable }: ChainReconciliation): boolean =>
  unavailable === null && !unreadable.some(({ listed }) => listed);

/** The metrics of money that costs more to collect than it is worth. */
type SmallBalances = readonly { readonly asset: string; readonly microUsd: bigint }[];

/** The last report of this process, for its metrics. */
export interface LastReconciliation {
  /** Null before the first. */
  read(): { readonly at: Date; readonly report: ReconciliationReport; readonly small: SmallBalances } | null;
  put(last: { at: Date; report: ReconciliationReport; small: SmallBalances }): void;
}

export function lastReconciliation(): LastReconciliation {
  let last: ReturnType<LastReconciliation['read']> = null;
  return {
    read: () => last,
    put(found) {
      last = found;
    },
  };
}

/** The metrics of the last report. */
export function reconciliationFigures(last: Pick<LastReconciliation, 'read'>) {
  const found = last.read();
  if (found === null) return null;
  const { at, report, small } = found;
  return {
    at,
    faults: report.faults.length,
    belowCost: small,
    chains: report.chains.map((checked) => ({
      chain: checked.chain,
      differences: checked.differences.length,
      checked: isChecked(checked),
    })),
  };
}

/**
 * Whether the last report found a chain's books right, and when; null before the first. A fault in
 * the books themselves is a fault of every chain.
 */
export function booksOf(last: Pick<LastReconciliation, 'read'>) {
  return (chain: string): { readonly at: Date; readonly agree: boolean } | null => {
    const found = last.read();
    const checked = found?.report.chains.find((one) => one.chain === chain);
    if (!found || !checked) return null;
    const { faults } = found.report;
    return { at: found.at, agree: faults.length + checked.differences.length === 0 && isChecked(checked) };
  };
}

const HOURLY_MS = 3_600_000;
/** Stored runs: the last one counts, and the others show since when. */
const RUNS_KEPT_MS = 90 * 24 * HOURLY_MS;
/** Unused addresses of a chain per run: a million take three weeks. */
const UNPAID_PER_RUN = 2_000;

/** The walk through all rows of the books begins in the night, at this hour of UTC. */
const WALK_AT_HOUR = 2;
const WALK_EVERY_MS = 600_000;

/**
 * Several workers may run it: the one that comes later leaves the walk to the other. What it finds,
 * every hourly run reports until it is mended.
 */
export function walkBooksJob({
  operatorQueries,
  clock,
  logger,
}: Pick<AppDependencies, 'operatorQueries' | 'clock' | 'logger'>): WorkerJob {
  return {
    name: 'walk-books',
    everyMs: WALK_EVERY_MS,
    async run(stopping) {
      const now = clock.now();
      const dueSince = new Date(now.getTime() - WALK_AT_HOUR * HOURLY_MS);
      dueSince.setUTCHours(WALK_AT_HOUR, 0, 0, 0);
      const faults = await operatorQueries.walkBooks({ now, dueSince, stopping });
      if (faults.length > 0) logger.error('books.disagree', { faults: faults.length, differences: 0 });
    },
  };
}

/** Several workers may run it: each stores its run, and changes nothing else. */
export function reconcileJob(
  deps: ReconcileAllNeeds & BelowCostNeeds & Pick<AppDependencies, 'clock' | 'logger' | 'ids'>,
  chains: Iterable<TreasuryChain>,
  last: LastReconciliation,
  unpaidPerRun = UNPAID_PER_RUN,
): WorkerJob {
  const all = [...chains];
  const run = reconcile(deps, all);
  const rounds = unusedAddressRotation(deps, unpaidPerRun);
  return {
    name: 'reconcile',
    everyMs: HOURLY_MS,
    async run(stopping) {
      const report = await run({ rounds, stopping });
      if (stopping?.aborted) return;
      const small = [];
      for (const on of all) small.push(...(await belowCost(deps, on)));
      const found = { at: deps.clock.now(), report, small };
      last.put(found);
      await storeRun(deps, found);
      for (const { chain, unavailable, unreadable } of report.chains) {
        if (unavailable !== null)
          deps.logger.warn('books.chain_not_reconciled', { chain, reason: unavailable });
        for (const { asset, listed, reason } of unreadable)
          if (listed) deps.logger.error('books.token_unreadable', { chain, asset, reason });
          else deps.logger.warn('books.unlisted_unreadable', { chain, asset, reason });
      }
      const differences = report.chains.flatMap((chain) => chain.differences);
      if (report.faults.length + differences.length > 0)
        deps.logger.error('books.disagree', {
          faults: report.faults.length,
          differences: differences.length,
        });
      else if (report.agree && (await isAlarmed(deps))) deps.logger.info('books.agree');
    },
  };
}

/** Also by a process that is gone: the books are the same for all. */
async function isAlarmed({ unitOfWork }: Pick<AppDependencies, 'unitOfWork'>): Promise<boolean> {
  const open = await unitOfWork.run(({ operatorNotices }) => operatorNotices.openOf('books.disagree'));
  return open.length > 0;
}

/** For every process to show, also those without workers. */
function storeRun(
  { unitOfWork }: Pick<AppDependencies, 'unitOfWork'>,
  { at, report }: { readonly at: Date; readonly report: ReconciliationReport },
): Promise<void> {
  const chains = report.chains.map((checked) => ({
    chain: checked.chain,
    differences: checked.differences.length,
    checked: isChecked(checked),
  }));
  return unitOfWork.run(async ({ reconciliations }) => {
    await reconciliations.append({ at, agree: report.agree, faults: report.faults.length, chains });
    await reconciliations.forgetBefore(new Date(at.getTime() - RUNS_KEPT_MS));
  });
}
