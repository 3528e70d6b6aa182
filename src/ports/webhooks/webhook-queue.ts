/**
 * The dispatcher's side of the outbox: what is due, claimed with a lease, sent, and written down in
 * batches.
 */
import type { WebhookFormat } from '../../domain/webhooks/webhook-format.ts';
import type { SigningKeys } from './webhook-signer.ts';

export interface WebhookQueue {
  /**
   * A page of the lanes that have a due and unleased delivery, in the order of their merchants: at
   * most `lanesEach` lanes of each of `merchants` merchants. A lane with an open circuit is left
   * out until its trial is due and it is its merchant's turn. The returned walk leads to the next
   * page, where each merchant's lanes continue after those that were seen.
   */
  dueLanes(request: {
    now: Date;
    walk: LaneWalk;
    merchants: number;
    lanesEach: number;
  }): Promise<{ readonly lanes: readonly DueLane[]; readonly walk: LaneWalk }>;
  /**
   * Claims up to `most` due deliveries of each lane, oldest first (SKIP LOCKED), counts the
   * attempt, and leases them for `leaseSeconds`, so that they are free again if the dispatcher
   * dies. Each carries its sealed signing keys. A lane with an open circuit yields nothing, except
   * for its trial.
   */
  claim(request: {
    lanes: readonly LaneClaim[];
    now: Date;
    leaseSeconds: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /** Claims one delivery now, whatever its due time; null if it ended or is leased. */
  claimOne(deliveryId: string, request: { now: Date; leaseSeconds: number }): Promise<ClaimedDelivery | null>;
  /** Extends leases, if the claimed attempt is still the current one. */
  renew(deliveries: readonly ClaimedDelivery[], until: Date): Promise<void>;
  /**
   * Logs attempts and updates their deliveries, in one statement; without the lease it only logs.
   */
  record(outcomes: readonly AttemptOutcome[]): Promise<void>;
  /**
   * Ends up to `limit` deliveries that were due before `before` and wait for a circuit; returns how
   * many.
   */
  giveUpHeldBack(request: { before: Date; now: Date; limit: number }): Promise<number>;
  /** Logs an attempt that belongs to no delivery (test notifications). */
  logTest(attempt: {
    id: string;
    merchantId: string;
    sandbox: boolean;
    url: string;
    statusCode: number | null;
    responseBody: string;
    sentAt: Date;
  }): Promise<void>;
}

/**
 * The deliveries of one merchant to one destination (destinationOf in
 * domain/webhooks/webhook-url.ts).
 */
export interface Lane {
  readonly merchantId: string;
  readonly destination: string;
}

export interface DueLane extends Lane {
  /**
   * It has a circuit, which needs the results of attempts (ports/webhooks/receiver-circuits.ts).
   */
  readonly troubled: boolean;
  /** Its circuit is open and due for a trial: one attempt, by the process that begins the trial. */
  readonly trial: boolean;
}

export interface LaneClaim extends Lane {
  readonly most: number;
  readonly trial: boolean;
}

/** The position of a walk over the lanes. */
export interface LaneWalk {
  /** The previous page's last merchant; null at the beginning, and again after the last page. */
  readonly afterMerchant: string | null;
  /** Merchants with unseen lanes, each with the last destination that was seen. */
  readonly within: ReadonlyMap<string, string>;
}

export interface ClaimedDelivery extends Lane {
  readonly id: string;
  /** Null if it reports a payout. */
  readonly invoiceId: string | null;
  /** Number of its event (NewDelivery.eventAt); null if it has none. */
  readonly eventSeq: number | null;
  readonly sandbox: boolean;
  readonly url: string;
  readonly format: WebhookFormat;
  /** In that format, without a signature; null if what is stored of it is damaged. */
  readonly body: string | null;
  /** This attempt's number, from 1. */
  readonly attempt: number;
  /** Sealed keys of its merchant and environment; null if no API key was ever issued. */
  readonly keys: SigningKeys | null;
}

export interface AttemptOutcome {
  readonly attemptId: string;
  readonly delivery: ClaimedDelivery;
  /** Null without an answer. */
  readonly statusCode: number | null;
  /** The first 500 characters of the answer, or why there was none. */
  readonly responseBody: string;
  readonly sentAt: Date;
  readonly next:
    | { readonly state: 'delivered' | 'dead' }
    | { readonly state: 'pending'; readonly dueAt: Date };
}
