/**
 * Builds the service from its configuration. Only this folder connects adapters to ports: main.ts,
 * every script and the end-to-end tests use it. Tests replace a clock, a transport or a signer
 * through `overrides`.
 */
import type { HttpServer } from '../adapters/http/server.ts';
import { type Scheduler, scheduler } from '../adapters/scheduler/scheduler.ts';
import { pinoLogger } from '../adapters/system/pino-logger.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import type { Accounts } from '../app/accounts/accounts.ts';
import type { OperatorAccounts } from '../app/accounts/operator-accounts.ts';
import type { Application } from '../app/application.ts';
import { clockCheck } from '../app/chains/check-clock.ts';
import { buildApplication } from '../app/compose-application.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import { raiseIndexes } from '../app/invoices/addresses/raise-indexes.ts';
import { workerJobs } from '../app/jobs.ts';
import type { NoticeRecorder } from '../app/notices/record-notices.ts';
import { summedUp } from '../app/shared/summed-log.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import { openChains } from '../app/watching/open-chains.ts';
import type { ChainWatcher } from '../app/watching/watch-chain.ts';
import { type WebhookDispatcher, webhookDispatcher } from '../app/webhooks/deliver-webhooks.ts';
import type { Config } from '../config/types.ts';
import { CHAINS } from '../domain/catalog/chain.ts';
import type { AddressDeriver } from '../ports/chains/address-deriver.ts';
import type { UnitOfWork } from '../ports/repositories.ts';
import type { Signer } from '../ports/sending/signer.ts';
import { composeAccounts } from './accounts.ts';
import { bindChains } from './chains/chain-identities.ts';
import type { ComposedChains } from './chains/chains.ts';
import { type ComposedConsole, composeConsole } from './console/console.ts';
import { composeDatabase } from './database.ts';
import { type ComposedDependencies, composeDependencies, type OpenedParts } from './dependencies.ts';
import type { composeHttp } from './http.ts';
import { mailJobs } from './messages/mails.ts';
import { composeNotices, noticeJobs } from './messages/notices.ts';
import type { Overrides } from './overrides.ts';
import { type ComposedSending, composeSending } from './sending.ts';
import { composeSigner, type SignerParts } from './signer/signer.ts';
import { composeSigningPolicy } from './signer/signing-policy.ts';
import { composeTreasury } from './treasury.ts';
import { openWallet } from './wallet/open-wallet.ts';

/** How long a start waits for chains whose nodes do not answer; those open later. */
const OPENING_PATIENCE_MS = 3_000;
const OPEN_AGAIN_MS = 5_000;
const FEES_EVERY_MS = 15_000;
/**
 * How long a stop waits for running requests and jobs, and then for their calls to the database.
 */
const STOP_GRACE_MS = 4_000;
const DATABASE_GRACE_MS = 2_000;
/** How long a stop waits until the alarms of this process are stored. */
const NOTICES_GRACE_MS = 1_000;
const CLOCK_EVERY_MS = 60_000;

export interface Service {
  readonly config: Config;
  readonly application: Application;
  readonly accounts: Accounts;
  /** For operators' scripts. */
  readonly operatorAccounts: OperatorAccounts;
  readonly dependencies: AppDependencies;
  /** Its transactions cannot write: for scripts that only look. */
  readonly readOnly: UnitOfWork;
  readonly dispatcher: WebhookDispatcher;
  readonly watchers: ReadonlyMap<string, ChainWatcher>;
  readonly chains: ComposedChains;
  readonly sending: ComposedSending;
  /** Alarms that this process raised. */
  readonly notices: NoticeRecorder;
  /** What the pages of merchants' and operators' consoles call. */
  readonly console: ComposedConsole;
  /** The background work of a worker. start() begins it unless `schedule` is off. */
  readonly jobs: readonly WorkerJob[];
  /** Made at its first use: scripts serve nothing. */
  readonly http: HttpServer;
  /**
   * Asks once for fresh prices of coins and of sending them, for scripts that value money. A
   * started service does so in the background.
   */
  refreshRates(): Promise<void>;
  /**
   * Skips indexes that may have been issued, and opens the reachable chains; rejects with
   * ChainsRefused if they are not the database's.
   */
  prepare(): Promise<void>;
  /**
   * Prepares, and listens (a worker only serves health, readiness and metrics). Then it begins
   * background work.
   */
  start(): Promise<{ readonly port: number }>;
  /** Ends running requests and jobs, within seconds, and then everything that compose started. */
  stop(): Promise<void>;
}

/**
 * Opens the database (migrated), its wallet and its chains, and composes the rest. It does not
 * listen before start().
 */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const clock = overrides.clock ?? systemClock;
  const plain = summedUp(overrides.logger ?? pinoLogger({ level: config.logLevel }), clock);
  // The routes, a third of all modules, load while the database starts.
  const [database, http] = await Promise.all([
    overrides.database ?? composeDatabase(config, { logger: plain, writersMax: overrides.writersMax }),
    import('./http.ts'),
  ]);
  const notices = composeNotices({ clock, logger: plain, unitOfWork: database.ports.unitOfWork });
  const { logger } = notices;
  try {
    const { walletKeys } = database;
    const wallet = overrides.wallet ?? (await openWallet(config, { walletKeys, clock, logger }));
    const records = database.chainRecords;
    const identities = await bindChains(config, { records, clock, logger });
    const opened = { clock, logger, notices, wallet, identities, database };
    return await composeOn(config, overrides, opened, http.composeHttp);
  } catch (error) {
    await notices.settled(NOTICES_GRACE_MS);
    await database.close();
    throw error;
  }
}

async function composeOn(
  config: Config,
  overrides: Overrides,
  opened: OpenedParts,
  makeHttp: typeof composeHttp,
): Promise<Service> {
  const { clock, logger, wallet, database } = opened;
  const parts = await composeDependencies(config, overrides, opened);
  const { dependencies, chains, health, rates, fees } = parts;
  const { catalog } = dependencies;
  const dispatcher = webhookDispatcher(dependencies);
  const application = buildApplication(dependencies, dispatcher);
  const watchers = chains.watchers(dependencies);
  const open = openChains(dependencies, {
    watchers: watchers.map(({ watcher }) => watcher),
    open: parts.openedChains,
    unscanned: parts.unscannedAssets,
    notes: config.role === 'api' ? null : health.notes,
  });
  const signer = overrides.signer ?? (await signerOf(config, chains, { catalog, clock, logger, ...wallet }));
  const sending = composeSending(config, {
    deps: dependencies,
    senders: chains.senders,
    signer,
    wrap: overrides.sending ?? ((chain) => chain),
  });
  const treasury = composeTreasury(config, { deps: dependencies, chains, sending });
  const { accounts, operators, job } = composeAccounts(config, { deps: dependencies, database });
  const desks = composeConsole(config, {
    ...{ deps: dependencies, application, treasury },
    roles: overrides.roles ?? database.accountQueries,
  });
  const ofAnyRole = jobsOfAnyRole(parts, open);
  const jobs = [
    ...ofAnyRole,
    ...workerJobs(dependencies, { watchers, notes: health.notes, dispatcher, retention: config.retention }),
    ...health.jobs,
    ...sending.jobs,
    ...treasury.jobs,
    ...desks.jobs,
    ...mailJobs(config, { deps: dependencies, application, chains }),
    job,
    ...noticeJobs(config, dependencies),
  ];
  const ofRole = config.role === 'api' ? [...ofAnyRole, ...health.jobs] : jobs;
  const background = scheduler([...(overrides.schedule === false ? [] : ofRole), ...rates.jobs], { logger });
  let http: HttpServer | null = null;
  const served = (): HttpServer => {
    http ??= makeHttp(config, {
      console: config.console.isOn ? { accounts, ...desks } : null,
      ...{ ...parts, application, database, dispatcher, treasury, notices: opened.notices },
      socketAddress: overrides.socketAddress,
    });
    return http;
  };
  const stopServing = async () => http?.stop(STOP_GRACE_MS);
  const running = { ...opened, ...parts, open, signer, background, served, stopServing };
  return {
    ...{ accounts, operatorAccounts: operators },
    ...{ config, application, dependencies, dispatcher, chains, sending, jobs },
    get http() {
      return served();
    },
    console: desks,
    readOnly: database.readOnly,
    notices: opened.notices,
    watchers: new Map(watchers.map(({ watcher }) => [watcher.chain, watcher])),
    async refreshRates() {
      for (const job of rates.jobs) await job.run();
      await fees.refresh();
    },
    prepare: () => prepare(config, running),
    start: () => start(config, running),
    stop: () => stop(running),
  };
}

function jobsOfAnyRole(
  { dependencies, chains, fees }: ComposedDependencies,
  open: () => Promise<void>,
): readonly WorkerJob[] {
  return [
    { name: 'open-chains', everyMs: OPEN_AGAIN_MS, run: open },
    { name: 'refresh-fees', everyMs: FEES_EVERY_MS, run: fees.refresh },
    { name: 'check-clock', everyMs: CLOCK_EVERY_MS, run: clockCheck(dependencies, chains.scanners) },
  ];
}

interface RunningParts extends OpenedParts, ComposedDependencies {
  readonly open: () => Promise<void>;
  readonly signer: Signer | null;
  readonly background: Scheduler;
  served(): HttpServer;
  stopServing(): Promise<void>;
}

async function prepare(config: Config, running: RunningParts): Promise<void> {
  const { dependencies, logger, health, identities, open, openedChains } = running;
  await health.count();
  if (config.role !== 'worker') await raiseIndexes(dependencies);
  const opening = open().catch((error: unknown) =>
    logger.error('service.chains_not_opened', { error: String(error) }),
  );
  let stopWaiting: () => void = () => undefined;
  const patience = new Promise<void>((resolve) => {
    stopWaiting = dependencies.timers.after(OPENING_PATIENCE_MS, resolve);
  });
  await Promise.race([opening, patience]);
  stopWaiting();
  identities.refuseForeign(openedChains);
}

async function start(config: Config, running: RunningParts): Promise<{ readonly port: number }> {
  await prepare(config, running);
  running.background.start();
  return running.served().listen(config.port, config.host);
}

async function stop(running: RunningParts): Promise<void> {
  const { dependencies, chains, database, health, signer, background } = running;
  await Promise.all([running.stopServing(), background.stop(STOP_GRACE_MS)]);
  await health.stop();
  running.closeWebhooks();
  await signer?.close();
  await chains.close();
  await dependencies.issuedIndexes.close();
  await running.notices.settled(NOTICES_GRACE_MS);
  await database.close(DATABASE_GRACE_MS);
}

/** Fake chains need no key; their signer checks as much as the real one. */
async function signerOf(config: Config, chains: ComposedChains, parts: SignerParts): Promise<Signer | null> {
  if (chains.fakes === null || config.role === 'api') return composeSigner(config, parts);
  const derivers = CHAINS.flatMap(({ name, family }) => {
    const deriver = chains.liveDerivers.get(family);
    return deriver ? [[name, deriver] as const] : [];
  });
  const { fakeSigner } = await import('../adapters/chains/fake/fake-signer.ts');
  const byChain = new Map<string, AddressDeriver>(derivers);
  const policy = await composeSigningPolicy(config, parts.catalog, async () => (chain) => {
    const deriver = byChain.get(chain);
    if (deriver === undefined) return null;
    const { normalize } = deriver;
    return { normalize, accountOf: normalize, hotWallet: async () => deriver.hotWallet() };
  });
  return fakeSigner({ derivers: byChain, change: chains.change, policy });
}
