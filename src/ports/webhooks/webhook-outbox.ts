/** The outbox: one webhook and numbered event per transition, written in its transaction. */
import type { Scope } from '../list-queries.ts';
import type { ForeignFormat } from './webhook-formats.ts';

export interface WebhookOutbox {
  /**
   * Adds a delivery; the transaction's last statement writes all of them. Events get the next
   * numbers of their merchant and environment, in the order of commits. A second delivery of the
   * same (invoice, version) is ignored, and no number is left without its event.
   */
  enqueue(delivery: NewDelivery): Promise<void>;
  /** Reads up to `most` further events, and returns those that may be delivered again. */
  toTellAgain(scope: Scope, wanted: WantedAgain, most: number): Promise<EventsAgain>;
  /**
   * Deliveries that were given up, longest ago first, with their present URL: that one, or up to
   * `most` (null). Others that replay them at the same time are left to it.
   */
  givenUp(
    scope: Scope,
    of: { readonly id: string | null; readonly most: number },
  ): Promise<readonly DeliveryAgain[]>;
  /**
   * Queues deliveries again, as if never tried, to the merchant's present URL. One that is in the
   * queue stays as it is, so repeating is harmless. Returns how many were queued.
   */
  tellAgain(deliveries: readonly DeliveryAgain[], dueAt: Date): Promise<number>;
}

export interface WantedAgain {
  /** Only events after this number, and within `from` and `to`, both inclusive. */
  readonly after: number;
  readonly from: Date | null;
  readonly to: Date | null;
  /** Statuses of invoices and payouts; null wants all. */
  readonly statuses: readonly string[] | null;
  /** Only those that no receiver accepted: dead, or never sent because there was no URL. */
  readonly undelivered: boolean;
}

export interface EventsAgain {
  /** Of events that have a URL now and are the latest of their invoice or payout. */
  readonly deliveries: readonly DeliveryAgain[];
  /** The last number that was read; `after` if there was none. */
  readonly last: number;
  /** There are more within `from` and `to`. */
  readonly more: boolean;
}

export interface DeliveryAgain {
  readonly id: string;
  readonly url: string;
}

export interface NewDelivery {
  readonly id: string;
  /** What it reports: either this or `payoutId`. */
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
  readonly merchantId: string;
  readonly sandbox: boolean;
  /** InvoiceState.version of the transition; null for payouts and for replays. */
  readonly invoiceVersion: number | null;
  /** Null: the event is only read by its merchant. */
  readonly url: string | null;
  /** A JSON object; `event_seq` is added at its end. Signed and sent unless `foreign` is set. */
  readonly body: string;
  /** Sent instead, in another format; null in our own. */
  readonly foreign: { readonly format: ForeignFormat; readonly body: string } | null;
  readonly dueAt: Date;
  /** When it happened. Null for replays: they repeat the number of their invoice's latest event. */
  readonly eventAt: Date | null;
}
