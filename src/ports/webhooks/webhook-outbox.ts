/** Webhooks leave from here, and events are numbered: one row per transition, written in the transition's own transaction. */
import type { Scope } from '../queries.ts';
import type { ForeignFormat } from './webhook-formats.ts';

export interface WebhookOutbox {
  /**
   * Written when the rest of the transaction is, with its last statement: events get the next numbers of their merchant and environment, in
   * the order in which transactions commit. Ignored when the (invoice, version) of a transition is there already: at most one per
   * transition, and no number without its event.
   */
  enqueue(delivery: NewDelivery): Promise<void>;
  /** Looks at the next `most` events of a merchant and environment, for those that may be told again. */
  toTellAgain(scope: Scope, wanted: WantedAgain, most: number): Promise<EventsAgain>;
  /**
   * Queues deliveries again, as if they had never been tried, to where their merchant wants them now. One that waits in the queue is left
   * alone, so repeating it is harmless. Answers how many were queued.
   */
  tellAgain(deliveries: readonly DeliveryAgain[], dueAt: Date): Promise<number>;
}

export interface WantedAgain {
  /** Only events behind this number, and within these times, inclusive. */
  readonly after: number;
  readonly from: Date | null;
  readonly to: Date | null;
  /** Statuses of invoices and payouts; null wants all. */
  readonly statuses: readonly string[] | null;
  /** Only those that no receiver took: given up, or never sent since there was no URL. */
  readonly undelivered: boolean;
}

export interface EventsAgain {
  /** Of events that still are how things stand, and that there is a URL for by now: what another followed is old news. */
  readonly deliveries: readonly DeliveryAgain[];
  /** The number that was looked at last; `after` when there was nothing to look at. */
  readonly last: number;
  /** There are more within the times. */
  readonly more: boolean;
}

export interface DeliveryAgain {
  readonly id: string;
  readonly url: string;
}

export interface NewDelivery {
  readonly id: string;
  /** What it tells of: one of the two is null. */
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
  readonly merchantId: string;
  readonly sandbox: boolean;
  /** InvoiceState.version of the transition; null for payouts, and for replays, which are deliveries of their own. */
  readonly invoiceVersion: number | null;
  /** Null when there is nowhere to send it: an event that its merchant reads. */
  readonly url: string | null;
  /** A JSON object. `event_seq` is added at its end; that text is signed and sent at every attempt, unless it is told in another format. */
  readonly body: string;
  /** What is sent instead, before it is signed; null in our own format. */
  readonly foreign: { readonly format: ForeignFormat; readonly body: string } | null;
  readonly dueAt: Date;
  /** When it happened. Null for replays, which are no events: they repeat the number of their invoice's latest one. */
  readonly eventAt: Date | null;
}
