/**
 * Processes of the service in the simulation: the composed service, whose clock, ids, timers,
 * storage and everything outside are the world's. Its jobs and requests run as tasks that the seed
 * interleaves.
 */

import type { FakeChain } from '../../../src/adapters/chains/fake/fake-chain.ts';
import { hotWalletText } from '../../../src/app/sending/sending-chain.ts';
import type { WorkerJob } from '../../../src/app/shared/worker-job.ts';
import { compose, type Service } from '../../../src/compose/compose.ts';
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import type { OpenedWallet } from '../../../src/compose/wallet/open-wallet.ts';
import type { Config } from '../../../src/config/types.ts';
import type { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import type { IssuedIndexes } from '../../../src/ports/chains/issued-indexes.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import type { IdSource } from '../../../src/ports/runtime/id-source.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import type { Faults } from './faults.ts';
import type { Interleaving, SimulatedProcess } from './interleaving.ts';
import type { NodeViews } from './node-views.ts';
import { type Heard, nodesOf, receiversOf, screenerOf, signedBy } from './outside.ts';

export interface World {
  readonly order: Interleaving;
  readonly faults: Faults;
  readonly chains: ReadonlyMap<string, FakeChain>;
  readonly views: NodeViews;
  readonly wallet: OpenedWallet;
  /** Beside the keystore, so it outlives processes and databases. */
  readonly marks: IssuedIndexes;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly catalog: AssetCatalog;
  databaseOf(process: SimulatedProcess): ComposedDatabase;
  /** Base units of each asset that the operator put in. */
  readonly funded: Map<string, bigint>;
  heard(webhook: Heard): void;
  verdict(depositId: string): RiskVerdict;
}

export interface RunningProcess {
  readonly process: SimulatedProcess;
  readonly service: Service;
  /** Of the chains of the history, and of no chain. */
  readonly jobs: readonly WorkerJob[];
  /** Names of jobs that run. */
  readonly running: Set<string>;
}

/** Composes it. It asks nothing of the world before it is prepared. */
export async function composeProcess(
  world: World,
  config: Config,
  { name, skewMs }: { name: string; skewMs: number },
): Promise<{ process: SimulatedProcess; service: Service }> {
  const { order } = world;
  const process = order.born(name, skewMs);
  const fakes = new Map(
    [...world.chains].map(([chain, fake]) => [chain, nodesOf(world, process, fake)] as const),
  );
  const service = await order.real(() =>
    compose(config, {
      clock: { now: () => new Date(order.nowMs + process.skewMs) },
      timers: { after: (ms, work) => order.after(process, ms, work) },
      ids: world.ids,
      logger: world.logger,
      catalog: world.catalog,
      database: world.databaseOf(process),
      wallet: world.wallet,
      issuedIndexes: world.marks,
      fakes,
      sending: signedBy(world, process),
      webhookTransport: receiversOf(world, process, world.heard),
      riskScreener: screenerOf(world, process, world.verdict),
      socketAddress: () => '127.0.0.1',
      schedule: false,
    }),
  );
  return { process, service };
}

/** Jobs that belong to no chain of the history, or that forget what no law asks about. */
const LEFT_OUT = /^(forget-(?!unpaid$)|check-clock$|count-node-calls$|settle-sandbox-payouts$|open-chains$)/;

export function jobsOf(world: World, service: Service): readonly WorkerJob[] {
  return service.jobs.filter(
    ({ name }) =>
      !LEFT_OUT.test(name) && (!name.includes(':') || world.chains.has(name.slice(name.indexOf(':') + 1))),
  );
}

/** In an order in which a round takes a transfer to its next block. */
const MONEY_JOBS = ['chain:', 'screen-deposits', 'send:', 'sweep:', 'send:', 'deliver-webhooks'];
const ALL_JOBS_EACH = 8;

/**
 * Those that move money; now and then all, since small payments of invoices that end wait for
 * another one.
 */
export function jobsOfRound(round: number) {
  return (jobs: readonly WorkerJob[]): readonly WorkerJob[] =>
    (round + 1) % ALL_JOBS_EACH === 0
      ? jobs
      : MONEY_JOBS.flatMap((start) => jobs.filter(({ name }) => name.startsWith(start)));
}

/** The address that the world's owner funds. */
export function hotWalletOf(service: Service, chain: string): string {
  const sending = service.sending.chains.get(chain);
  if (sending === undefined) throw new Error(`nothing is sent on ${chain}`);
  return hotWalletText(sending);
}
