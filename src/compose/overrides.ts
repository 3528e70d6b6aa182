/** The parts that tests and benches put in place of the configured ones. */

import type { FakeChain } from '../adapters/chains/fake/fake-chain.ts';
import type { SendingChain } from '../app/sending/sending-chain.ts';
import type { AssetCatalog } from '../domain/catalog/asset.ts';
import type { RoleDirectory } from '../ports/accounts/role-directory.ts';
import type { IssuedIndexes } from '../ports/chains/issued-indexes.ts';
import type { RiskScreener } from '../ports/deposits/risk-screener.ts';
import type { RateSource } from '../ports/rates/rate-source.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { IdSource } from '../ports/runtime/id-source.ts';
import type { Logger } from '../ports/runtime/logger.ts';
import type { Timers } from '../ports/runtime/timers.ts';
import type { Signer } from '../ports/sending/signer.ts';
import type { WebhookTransport } from '../ports/webhooks/webhook-transport.ts';
import type { ComposedDatabase } from './database.ts';
import type { OpenedWallet } from './wallet/open-wallet.ts';

export interface Overrides {
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly ids?: IdSource;
  readonly logger?: Logger;
  /** That of the configuration, where a test has made it already. */
  readonly catalog?: AssetCatalog;
  /** In place of the configured database, which is not opened then. */
  readonly database?: ComposedDatabase;
  /** In place of the wallet of DATA_DIR. */
  readonly wallet?: OpenedWallet;
  readonly issuedIndexes?: IssuedIndexes;
  /** With CHAINS=fake: the chains in memory, by name, which several services may share. */
  readonly fakes?: ReadonlyMap<string, FakeChain>;
  readonly webhookTransport?: WebhookTransport;
  readonly riskScreener?: RiskScreener;
  /** Asked for prices instead of the public services. */
  readonly rateSources?: readonly RateSource[];
  readonly signer?: Signer;
  /** Says who may do what in the console. */
  readonly roles?: RoleDirectory;
  /** Most connections for writes. Default: the production value. */
  readonly writersMax?: number;
  /** Lets a test wrap the sender and signer of a chain. */
  readonly sending?: (chain: SendingChain) => SendingChain;
  /** Where requests without a socket come from. */
  readonly socketAddress?: (request: Request) => string | null;
  /**
   * False leaves background work to the caller, who runs `jobs` manually. Default: depends on the
   * role.
   */
  readonly schedule?: boolean;
}
