/** The dispatcher's side of the outbox: claim with a lease, send, write outcomes in batches. */

export interface WebhookQueue {
  /**
   * Claims up to `limit` due deliveries, oldest due first (SKIP LOCKED), counts the attempt and leases them for
   * `leaseSeconds`: a dispatcher that dies lets go of them by itself. Each carries the sealed API key it is signed with. Of a
   * merchant in `sparing` it claims at most that many, so that a backlog nobody answers does not stand before the others'.
   */
  claim(request: {
    limit: number;
    now: Date;
    leaseSeconds: number;
    sparing: ReadonlyMap<string, number>;
  }): Promise<readonly ClaimedDelivery[]>;
  /** Claims one delivery for an attempt right now, whatever its due time; null when it ended or is leased by another. */
  claimOne(deliveryId: string, request: { now: Date; leaseSeconds: number }): Promise<ClaimedDelivery | null>;
  /** Logs attempts and moves their deliveries, in one statement. An outcome whose lease was lost is logged and moves nothing. */
  record(outcomes: readonly AttemptOutcome[]): Promise<void>;
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

export interface ClaimedDelivery {
  readonly id: string;
  readonly invoiceId: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly url: string;
  readonly body: string;
  /** This attempt's number, from 1. */
  readonly attempt: number;
  /** The environment's API key, sealed (ports/vault.ts); null when it was revoked without a successor. */
  readonly sealedKey: string | null;
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
