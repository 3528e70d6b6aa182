/**
 * The only place that wires adapters to ports. main.ts, every script and the end-to-end tests start here; tests swap in a
 * clock, a transport or chains through `overrides`.
 */
import packageJson from '../../package.json' with { type: 'json' };
import { type HttpServer, httpServer } from '../adapters/http/server.ts';
import type { Readiness } from '../adapters/http/system/system.ts';
import { combinedScreener } from '../adapters/risk/combined-screener.ts';
import { denyListScreener } from '../adapters/risk/deny-list-screener.ts';
import { httpScreener } from '../adapters/risk/http-screener.ts';
import { scheduler } from '../adapters/scheduler/scheduler.ts';
import { aesVault } from '../adapters/secrets/aes-vault.ts';
import { issuedIndexes } from '../adapters/signer/issued-indexes.ts';
import { openFilesMax } from '../adapters/system/open-files.ts';
import { pinoLogger } from '../adapters/system/pino-logger.ts';
import { randomIds } from '../adapters/system/random-ids.ts';
import { systemClock } from '../adapters/system/system-clock.ts';
import { systemTimers } from '../adapters/system/system-timers.ts';
import { webhookFormats } from '../adapters/webhooks/formats/webhook-formats.ts';
import { hmacSigner } from '../adapters/webhooks/hmac-signer.ts';
import { pinnedWebhookTransport } from '../adapters/webhooks/pinned-transport.ts';
import type { Application } from '../app/application.ts';
import { clockCheck } from '../app/chains/check-clock.ts';
import { buildApplication } from '../app/compose-application.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import { raiseIndexes } from '../app/invoices/addresses/raise-indexes.ts';
import { workerJobs } from '../app/jobs.ts';
import { feeBook } from '../app/rates/fee-book.ts';
import type { SendingChain } from '../app/sending/sending-chain.ts';
import { summedUp } from '../app/shared/summed-log.ts';
import type { WorkerJob } from '../app/shared/worker-job.ts';
import { reconciliationFigures } from '../app/treasury/reconcile.ts';
import { openChains } from '../app/watching/open-chains.ts';
import type { ChainWatcher } from '../app/watching/watch-chain.ts';
import { type WebhookDispatcher, webhookDispatcher } from '../app/webhooks/deliver-webhooks.ts';
import { webhookPlaces } from '../app/webhooks/delivery-slots.ts';
import type { Config } from '../config/types.ts';
import { CHAINS, chainNamed } from '../domain/catalog/chain.ts';
import type { RiskScreener } from '../ports/deposits/risk-screener.ts';
import type { RateBook } from '../ports/rates/rate-book.ts';
import type { RateSource } from '../ports/rates/rate-source.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { Logger } from '../ports/runtime/logger.ts';
import type { Signer } from '../ports/sending/signer.ts';
import type { WebhookTransport } from '../ports/webhooks/webhook-transport.ts';
import { catalogOf, refuseLostAssets } from './catalog.ts';
import { bindChains, type ChainIdentities } from './chains/chain-identities.ts';
import { type ComposedChains, composeChains } from './chains/chains.ts';
import { fakeChainRoutes } from './chains/fake-chain-routes.ts';
import { checkoutOf } from './checkout.ts';
import { type ComposedDatabase, composeDatabase } from './database.ts';
import { composeHealth } from './health.ts';
import { composeRates } from './rates.ts';
import { type ComposedSending, composeSending } from './sending.ts';
import { composeSigner, type SignerParts } from './signer/signer.ts';
import { composeTreasury } from './treasury.ts';
import { type OpenedWallet, openWallet } from './wallet/open-wallet.ts';

/** A start does not wait longer for chains whose nodes do not answer: they open when they do. */
const OPENING_PATIENCE_MS = 3_000;
const OPEN_AGAIN_MS = 5_000;
const FEES_EVERY_MS = 15_000;
/** Requests and jobs in hand may take this long to end at a stop, and then what they still ask of the database this long. */
const STOP_GRACE_MS = 4_000;
const DATABASE_GRACE_MS = 2_000;
const CLOCK_EVERY_MS = 60_000;

export interface Overrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly webhookTransport?: WebhookTransport;
  readonly riskScreener?: RiskScreener;
  /** Asked for prices instead of the public services. */
  readonly rateSources?: readonly RateSource[];
  readonly signer?: Signer;
  /** Puts a test between the use cases and the sender and signer of a chain. */
  readonly sending?: (chain: SendingChain) => SendingChain;
  /** Most connections that write. Default: as many as production has. */
  readonly writersMax?: number;
  /** False leaves background work to the caller, who runs `jobs` by hand. Default: what the role says. */
  readonly schedule?: boolean;
}

export interface Service {
  readonly config: Config;
  readonly application: Application;
  readonly dependencies: AppDependencies;
  readonly dispatcher: WebhookDispatcher;
  readonly watchers: ReadonlyMap<string, ChainWatcher>;
  readonly chains: ComposedChains;
  readonly sending: ComposedSending;
  /** The worker's background work; runs by itself after start() unless schedule is off. */
  readonly jobs: readonly WorkerJob[];
  readonly http: HttpServer;
  /** Asks for fresh prices once, of coins and of sending them, for scripts that value money; a started service refreshes them by itself. */
  refreshRates(): Promise<void>;
  /**
   * Skips indexes that may be given out already, opens the chains that can be reached (ChainsRefused where they are others than the
   * database's), listens (a worker answers health, readiness and metrics only) and begins background work.
   */
  start(): Promise<{ readonly port: number }>;
  /** Ends requests in flight and running jobs, within seconds, then everything that compose started. */
  stop(): Promise<void>;
}

/** Opens the database (migrated), the wallet and the chains that it belongs to and everything else; nothing is listened on before start(). */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const clock = overrides.clock ?? systemClock;
  const logger = summedUp(overrides.logger ?? pinoLogger({ level: config.logLevel }), clock);
  const database = await composeDatabase(config, { logger, writersMax: overrides.writersMax });
  try {
    const wallet = await openWallet(config, { walletKeys: database.walletKeys, clock, logger });
    const records = database.chainRecords;
    const identities = await bindChains(config, { records, clock, logger });
    return await composeOn(config, overrides, { clock, logger, wallet, identities, database });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function composeOn(
  config: Config,
  overrides: Overrides,
  base: {
    clock: Clock;
    logger: Logger;
    wallet: OpenedWallet;
    identities: ChainIdentities;
    database: ComposedDatabase;
  },
): Promise<Service> {
  const { clock, logger, wallet, identities, database } = base;
  const ids = randomIds(clock);
  const catalog = catalogOf(config);
  refuseLostAssets(catalog, await database.assetsInUse());
  const rates = composeRates(config, {
    ...{ catalog, clock, logger },
    ...(overrides.rateSources === undefined ? {} : { sources: overrides.rateSources }),
  });
  const chains = await composeChains(config, {
    ...{ catalog, clock, logger, keys: wallet.keys, identities },
    addressPool: database.addressPool,
  });
  const unscannedAssets = new Set(catalog.all.flatMap(({ key, onNetwork }) => (onNetwork ? [] : [key])));
  const fees = feeBook(
    { clock, logger, catalog, unscannedAssets },
    {
      senders: [...chains.senders.values()],
      hotWalletOf: (chain) => chains.liveDerivers.get(chainNamed(chain).family)?.hotWallet() ?? null,
      maxFeeFactor: BigInt(config.payouts.maxFeeFactor),
    },
  );
  const webhookPlacesMost = webhookPlaces(openFilesMax());
  const pinned = pinnedWebhookTransport({ ...config.webhook, idleMost: Math.floor(webhookPlacesMost / 2) });
  const openedChains = new Set<string>();
  const health = composeHealth(config, chains, { clock, logger, ...database.ports });
  const dependencies: AppDependencies = {
    clock,
    timers: systemTimers,
    ids,
    logger,
    ...database.ports,
    webhookTransport: overrides.webhookTransport ?? pinned,
    webhookFormats,
    ...{ webhookSigner: hmacSigner, webhookHeaderPrefixes: config.webhook.headerPrefixes },
    webhookPlacesMost,
    vault: aesVault(wallet.masterKey),
    riskScreener: overrides.riskScreener ?? riskScreener(config),
    rateBook: rates.book,
    feeQuoter: fees,
    catalog,
    watchedChains: openedChains,
    chainHealth: health.view,
    unscannedAssets,
    sendingChains: new Set(chains.senders.keys()),
    liveDerivers: chains.liveDerivers,
    sandboxDerivers: chains.sandboxDerivers,
    issuedIndexes: issuedIndexes(config.dataDir),
    checkoutUrl: config.checkoutUrl,
    version: packageJson.version,
  };
  const dispatcher = webhookDispatcher(dependencies);
  const application = buildApplication(dependencies, dispatcher);
  const watchers = chains.watchers(dependencies);
  const open = openChains(dependencies, {
    watchers: watchers.map(({ watcher }) => watcher),
    open: openedChains,
    unscanned: unscannedAssets,
    notes: config.role === 'api' ? null : health.notes,
  });
  const opening: WorkerJob = { name: 'open-chains', everyMs: OPEN_AGAIN_MS, run: open };
  const pricing: WorkerJob = { name: 'refresh-fees', everyMs: FEES_EVERY_MS, run: fees.refresh };
  const timing: WorkerJob = {
    ...{ name: 'check-clock', everyMs: CLOCK_EVERY_MS },
    run: clockCheck(dependencies, chains.scanners),
  };
  const signer = overrides.signer ?? (await signerOf(config, chains, { catalog, clock, logger, ...wallet }));
  const sending = composeSending(config, {
    deps: dependencies,
    senders: chains.senders,
    signer,
    wrap: overrides.sending ?? ((chain) => chain),
  });
  const treasury = composeTreasury(config, { deps: dependencies, chains });
  const jobs = [
    opening,
    pricing,
    timing,
    ...workerJobs(dependencies, { watchers, notes: health.notes, dispatcher }),
    ...health.jobs,
    ...sending.jobs,
    ...treasury.jobs,
  ];
  const ofRole = config.role === 'api' ? [opening, pricing, timing, ...health.jobs] : jobs;
  const background = scheduler([...(overrides.schedule === false ? [] : ofRole), ...rates.jobs], { logger });
  const http = httpServer({
    application,
    config: { ...config, version: packageJson.version },
    clock,
    logger,
    ids,
    checkout: checkoutOf(config),
    serves: config.role === 'worker' ? 'operations' : 'everything',
    health: { ready: () => readiness(database, rates.book) },
    metrics: {
      operator: () => dependencies.operatorQueries.metrics(clock.now()),
      chains: health.figures,
      webhooks: dispatcher.figures,
      reconciliation: () => reconciliationFigures(treasury.lastReconciliation),
    },
    ...(chains.fakes === null ? {} : { testRoutes: fakeChainRoutes(chains.fakes, catalog) }),
  });
  return {
    config,
    application,
    dependencies,
    dispatcher,
    watchers: new Map(watchers.map(({ watcher }) => [watcher.chain, watcher])),
    chains,
    sending,
    jobs,
    http,
    async refreshRates() {
      for (const job of rates.jobs) await job.run();
      await fees.refresh();
    },
    async start() {
      await health.count();
      if (config.role !== 'worker') await raiseIndexes(dependencies);
      const opened = open().catch((error: unknown) =>
        logger.error('service.chains_not_opened', { error: String(error) }),
      );
      await Promise.race([opened, Bun.sleep(OPENING_PATIENCE_MS)]);
      identities.refuseForeign(openedChains);
      background.start();
      return http.listen(config.port, config.host);
    },
    async stop() {
      await Promise.all([http.stop(STOP_GRACE_MS), background.stop(STOP_GRACE_MS)]);
      await health.stop();
      pinned.close();
      await signer?.close();
      await chains.close();
      await dependencies.issuedIndexes.close();
      await database.close(DATABASE_GRACE_MS);
    },
  };
}

/** Fake chains need no key; their signer is as suspicious as the real one. */
async function signerOf(config: Config, chains: ComposedChains, parts: SignerParts): Promise<Signer | null> {
  if (chains.fakes === null || config.role === 'api') return composeSigner(config, parts);
  const derivers = CHAINS.flatMap(({ name, family }) => {
    const deriver = chains.liveDerivers.get(family);
    return deriver ? [[name, deriver] as const] : [];
  });
  const { fakeSigner } = await import('../adapters/chains/fake/fake-signer.ts');
  return fakeSigner({ derivers: new Map(derivers), change: chains.change });
}

/** Ready while the database answers; prices are told, and not needed by every request. */
async function readiness(database: ComposedDatabase, rates: RateBook): Promise<Readiness> {
  const answers = await database.ping();
  const age = rates.latest().ageSeconds;
  return {
    ok: answers,
    checks: {
      database: answers ? 'answers' : 'does not answer',
      rates: age === null ? 'none yet: live fiat prices are refused' : `${age} s old`,
    },
  };
}

/** Every screener that is configured; without any, the deny list is empty and everything passes. */
function riskScreener(config: Config): RiskScreener {
  const { deny, denyFile, providerUrl } = config.risk;
  return combinedScreener([
    denyListScreener({ addresses: deny, ...(denyFile === null ? {} : { file: denyFile }) }),
    ...(providerUrl === null ? [] : [httpScreener({ url: providerUrl, timeoutMs: 5_000 })]),
  ]);
}
