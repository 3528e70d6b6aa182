/** The parts that tests and benches put in place of the configured ones. */

import type { SendingChain } from '../app/sending/sending-chain.ts';
import type { RoleDirectory } from '../ports/accounts/role-directory.ts';
import type { RiskScreener } from '../ports/deposits/risk-screener.ts';
import type { RateSource } from '../ports/rates/rate-source.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { Logger } from '../ports/runtime/logger.ts';
import type { Signer } from '../ports/sending/signer.ts';
import type { WebhookTransport } from '../ports/webhooks/webhook-transport.ts';

export interface Overrides {
  readonly clock?: Clock;
  readonly logger?: Logger;
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
  /**
   * False leaves background work to the caller, who runs `jobs` manually. Default: depends on the
   * role.
   */
  readonly schedule?: boolean;
}
