/** The dispatcher's side of the outbox: what is due, claimed with a lease, sent, and written down in batches. */
import type { WebhookFormat } from '../../domain/invoices/invoice-record.ts';
import type { SigningKeys } from './webhook-signer.ts';

export interface WebhookQueue {
  /**
   * A page of the lanes that have something due and free: in the order of their merchants, and of each merchant no more than
   * `lanesEach` of `merchants` merchants, however many deliveries or destinations one of them has. Lanes that an open circuit
   * holds back are left out before its trial is due and their merchant's turn. The answered walk leads to the next page, where each merchant's lanes go on
   * behind those that were seen.
   */
  dueLanes(request: {
    now: Date;
    walk: LaneWalk;
    merchants: number;
    lanesEach: number;
  }): Promise<{ readonly lanes: readonly DueLane[]; readonly walk: LaneWalk }>;
  /**
   * Claims up to `most` due deliveries of each lane, oldest due first (SKIP LOCKED), counts the attempt and leases them for
   * `leaseSeconds`: a dispatcher that dies lets go of them by itself. Each carries the sealed keys it is signed with. Of a
   * lane that an open circuit holds back nothing is claimed, unless for its trial.
   */
  claim(request: {
    lanes: readonly LaneClaim[];
    now: Date;
    leaseSeconds: number;
  }): Promise<readonly ClaimedDelivery[]>;
  /** Claims one delivery for an attempt right now, whatever its due time; null when it ended or is leased by another. */
  claimOne(deliveryId: string, request: { now: Date; leaseSeconds: number }): Promise<ClaimedDelivery | null>;
  /** Leases deliveries for longer, as far as they are still at the attempt that was claimed. */
  renew(deliveries: readonly ClaimedDelivery[], until: Date): Promise<void>;
  /** Logs attempts and moves their deliveries, in one statement. An outcome whose lease was lost is logged and moves nothing. */
  record(outcomes: readonly AttemptOutcome[]): Promise<void>;
  /** Gives up at most `limit` deliveries that were due before `before` and wait for an open circuit; answers how many. */
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

/** The deliveries of one merchant to one destination (destinationOf in domain/webhooks/webhook-url.ts). */
export interface Lane {
  readonly merchantId: string;
  readonly destination: string;
}

export interface DueLane extends Lane {
  /** There is a circuit to be told of an answer (ports/webhooks/receiver-circuits.ts). */
  readonly troubled: boolean;
  /** An open circuit holds it back, and may be tried: with one attempt, by whoever begins the trial. */
  readonly trial: boolean;
}

export interface LaneClaim extends Lane {
  readonly most: number;
  readonly trial: boolean;
}

/** Where a walk over the lanes stands. */
export interface LaneWalk {
  /** The last merchant of the page before; null at the beginning, and again when all were seen. */
  readonly afterMerchant: string | null;
  /** Merchants with more lanes than were looked at, with the destination to go on behind. */
  readonly within: ReadonlyMap<string, string>;
}

export interface ClaimedDelivery extends Lane {
  readonly id: string;
  /** Null where it tells of a payout. */
  readonly invoiceId: string | null;
  /** Of the event it tells of (NewDelivery.eventAt); null where there is none. */
  readonly eventSeq: number | null;
  readonly sandbox: boolean;
  readonly url: string;
  readonly format: WebhookFormat;
  /** In that format, without a signature. */
  readonly body: string;
  /** This attempt's number, from 1. */
  readonly attempt: number;
  /** Those of its merchant and environment, sealed; null where no API key was ever issued. */
  readonly keys: SigningKeys | null;
}

export interface AttemptOutcome {
  readonly attemptId: string;
  readonly delivery: ClaimedDelivery;
  /** Null when no answer came. */
  readonly statusCode: number | null;
  /** First 500 characters of the answer, or the reason why there was none. */
  readonly responseBody: string;
  readonly sentAt: Date;
  readonly next:
    | { readonly state: 'delivered' | 'dead' }
    | { readonly state: 'pending'; readonly dueAt: Date };
}
