/** The ports of the use cases, each with the adapter that the configuration or a test chose. */
import packageJson from '../../package.json' with { type: 'json' };
import { aesVault } from '../adapters/secrets/aes-vault.ts';
import { issuedIndexes } from '../adapters/signer/issued-indexes.ts';
import { openFilesMax } from '../adapters/system/open-files.ts';
import { randomIds } from '../adapters/system/random-ids.ts';
import { systemTimers } from '../adapters/system/system-timers.ts';
import { webhookFormats } from '../adapters/webhooks/formats/webhook-formats.ts';
import { hmacSigner } from '../adapters/webhooks/hmac-signer.ts';
import { pinnedWebhookTransport } from '../adapters/webhooks/pinned-transport.ts';
import type { AppDependencies } from '../app/dependencies.ts';
import type { NoticeRecorder } from '../app/notices/record-notices.ts';
import { type FeeBook, feeBook } from '../app/rates/fee-book.ts';
import { webhookPlaces } from '../app/webhooks/delivery-slots.ts';
import type { Config } from '../config/types.ts';
import { chainNamed } from '../domain/catalog/chain.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { Logger } from '../ports/runtime/logger.ts';
import { catalogOf, refuseLostAssets } from './catalog.ts';
import type { ChainIdentities } from './chains/chain-identities.ts';
import { type ComposedChains, composeChains } from './chains/chains.ts';
import type { ComposedDatabase } from './database.ts';
import { type ComposedHealth, composeHealth } from './health.ts';
import type { Overrides } from './overrides.ts';
import { type ComposedRates, composeRates } from './rates.ts';
import { riskScreener } from './risk.ts';
import type { OpenedWallet } from './wallet/open-wallet.ts';

/** The parts that are opened before everything else. */
export interface OpenedParts {
  readonly clock: Clock;
  /** Also records notices of alarms. */
  readonly logger: Logger;
  readonly notices: NoticeRecorder;
  readonly wallet: OpenedWallet;
  readonly identities: ChainIdentities;
  readonly database: ComposedDatabase;
}

export interface ComposedDependencies {
  readonly dependencies: AppDependencies;
  readonly rates: ComposedRates;
  readonly chains: ComposedChains;
  readonly fees: FeeBook;
  readonly health: ComposedHealth;
  /**
   * Names of the open chains, and assets that no scanner reads. The job that opens chains adds to
   * both.
   */
  readonly openedChains: Set<string>;
  readonly unscannedAssets: Set<string>;
  closeWebhooks(): void;
}

/** Rejects if the database uses an asset that the catalog lacks (AssetsLost). */
export async function composeDependencies(
  config: Config,
  overrides: Overrides,
  { clock, logger, wallet, identities, database }: OpenedParts,
): Promise<ComposedDependencies> {
  const catalog = overrides.catalog ?? catalogOf(config);
  refuseLostAssets(catalog, await database.assetsInUse());
  const rates = composeRates(config, {
    ...{ catalog, clock, logger },
    ...(overrides.rateSources === undefined ? {} : { sources: overrides.rateSources }),
  });
  const chains = await composeChains(config, {
    ...{ catalog, clock, logger, keys: wallet.keys, identities },
    addressPool: database.addressPool,
    fakes: overrides.fakes,
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
    timers: overrides.timers ?? systemTimers,
    ids: overrides.ids ?? randomIds(clock),
    logger,
    ...database.ports,
    webhookTransport: overrides.webhookTransport ?? pinned,
    webhookFormats,
    webhookSigner: hmacSigner,
    webhookHeaderPrefixes: config.webhook.headerPrefixes,
    webhookPlacesMost,
    vault: aesVault(wallet.masterKey),
    riskScreener: overrides.riskScreener ?? riskScreener(config.risk),
    rateBook: rates.book,
    feeQuoter: fees,
    catalog,
    watchedChains: openedChains,
    chainHealth: health.view,
    unscannedAssets,
    sendingChains: new Set(chains.senders.keys()),
    liveDerivers: chains.liveDerivers,
    sandboxDerivers: chains.sandboxDerivers,
    issuedIndexes: overrides.issuedIndexes ?? issuedIndexes(config.dataDir),
    checkoutUrl: config.checkoutUrl,
    version: packageJson.version,
  };
  return {
    ...{ dependencies, rates, chains, fees, health, openedChains, unscannedAssets },
    closeWebhooks: () => pinned.close(),
  };
}
