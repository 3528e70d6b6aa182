/** Made by `bun run docs` from the OpenAPI document. */
import { type CallOptions, type Page, type Request, segment } from '../types.ts';
import type { Balance, CreateInvoiceBody, CreatePayoutBatchBody, CreatePayoutBatchResult, CreatePayoutBody, CreatePayoutResult, CreatePermanentAddressBody, DeactivatePermanentAddressResult, DeliveryReport, Event, GetRatesQuery, Invoice, LedgerEntry, ListAssetsResult, ListEventsQuery, ListInvoicesQuery, ListLedgerQuery, ListNotificationsQuery, ListPayoutsQuery, ListPermanentAddressesQuery, NotificationAttempt, NotifyInvoiceResult, Onward, Pagination, Payout, PermanentAddress, Rates, ReplayNotificationsBody, Replayed, SimulateInvoiceBody, SimulateInvoiceResult, TestNotificationBody } from './models.ts';

/** A method for each operation of the API; D is what amounts are told as. */
export abstract class Operations<D extends number | string> {
  protected abstract one<Result>(request: Request, options: CallOptions): Promise<Result>;

  protected abstract page<Item, Place>(request: Request, options: CallOptions): Promise<Page<Item, Place>>;

  protected abstract walk<Item>(request: Request, options: CallOptions): AsyncGenerator<Item>;

  /**
   * Create an invoice.
   *
   * With `asset` the price is fixed and the deposit address allocated at once; without it the customer chooses on the hosted checkout at `payment_url`.
   */
  createInvoice(body: CreateInvoiceBody<number | string>, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'POST', path: '/api/v2/invoices', body, keyed: true }, options);
  }

  /**
   * List invoices.
   *
   * Invoices of this merchant and environment.
   */
  listInvoices(query: ListInvoicesQuery = {}, options: CallOptions = {}): Promise<Page<Invoice<D>, Pagination>> {
    return this.page({ method: 'GET', path: '/api/v2/invoices', query }, options);
  }

  /**
   * List invoices, row by row.
   *
   * Fetches the next rows as you go. The oldest come first unless `order` says otherwise, so that no new row moves the others.
   */
  allInvoices(query: Omit<ListInvoicesQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Invoice<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/invoices', query: { order: 'asc', per_page: 100, ...query } }, options);
  }

  /**
   * Read an invoice.
   *
   * One invoice of this merchant and environment.
   */
  getInvoice(id: string, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'GET', path: `/api/v2/invoices/${segment(id)}` }, options);
  }

  /**
   * Cancel an invoice.
   *
   * Ends an invoice in `created` as `expired` at once, without a webhook, as long as no payment was seen. What is paid later counts as after any expiry. Takes no body; cancelling twice answers the same.
   */
  cancelInvoice(id: string, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/cancel` }, options);
  }

  /**
   * Replay the webhook.
   *
   * Queues the current snapshot of the invoice as a new delivery. Takes no body.
   */
  notifyInvoice(id: string, options: CallOptions = {}): Promise<NotifyInvoiceResult<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/notify`, keyed: true }, options);
  }

  /**
   * Simulate a status (sandbox).
   *
   * Drives a sandbox invoice into a status, with its balance and ledger. A live invoice follows its chain.
   */
  simulateInvoice(id: string, body: SimulateInvoiceBody<number | string>, options: CallOptions = {}): Promise<SimulateInvoiceResult<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/simulate`, body }, options);
  }

  /**
   * Create a payout.
   *
   * Sends an asset to an external address. The caller must be within `allowed_subnets`. `X-Uniq-Id` is refused for two hours once it was used, so a repeated request never pays twice.
   */
  createPayout(body: CreatePayoutBody<number | string>, options: CallOptions = {}): Promise<CreatePayoutResult<D>> {
    return this.one({ method: 'POST', path: '/api/v2/payouts', body, keyed: true, payout: true }, options);
  }

  /**
   * List payouts.
   *
   * Payouts of this merchant and environment.
   */
  listPayouts(query: ListPayoutsQuery = {}, options: CallOptions = {}): Promise<Page<Payout<D>, Pagination>> {
    return this.page({ method: 'GET', path: '/api/v2/payouts', query }, options);
  }

  /**
   * List payouts, row by row.
   *
   * Fetches the next rows as you go. The oldest come first unless `order` says otherwise, so that no new row moves the others.
   */
  allPayouts(query: Omit<ListPayoutsQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Payout<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/payouts', query: { order: 'asc', per_page: 100, ...query } }, options);
  }

  /**
   * Create up to 200 payouts.
   *
   * Each item is accepted or refused by itself; a malformed item refuses the whole request.
   */
  createPayoutBatch(body: CreatePayoutBatchBody<number | string>, options: CallOptions = {}): Promise<CreatePayoutBatchResult<D>> {
    return this.one({ method: 'POST', path: '/api/v2/payouts/batch', body, keyed: true, payout: true }, options);
  }

  /**
   * Read a payout.
   *
   * One payout of this merchant and environment.
   */
  getPayout(id: string, options: CallOptions = {}): Promise<Payout<D>> {
    return this.one({ method: 'GET', path: `/api/v2/payouts/${segment(id)}` }, options);
  }

  /**
   * Get or create a permanent address.
   *
   * The active address of (user_id, family), created on first use.
   */
  createPermanentAddress(body: CreatePermanentAddressBody<number | string>, options: CallOptions = {}): Promise<PermanentAddress<D>> {
    return this.one({ method: 'POST', path: '/api/v2/permanent', body, keyed: true }, options);
  }

  /**
   * List permanent addresses.
   *
   * Addresses of this merchant and environment, the youngest first.
   */
  listPermanentAddresses(query: ListPermanentAddressesQuery = {}, options: CallOptions = {}): Promise<Page<PermanentAddress<D>, Pagination>> {
    return this.page({ method: 'GET', path: '/api/v2/permanent', query }, options);
  }

  /**
   * List permanent addresses, row by row.
   *
   * Fetches the next rows as you go. Rows that are added meanwhile make none come twice.
   */
  allPermanentAddresses(query: Omit<ListPermanentAddressesQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<PermanentAddress<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/permanent', query: { per_page: 100, ...query }, youngest: true }, options);
  }

  /**
   * Read a permanent address.
   *
   * One address of this merchant and environment.
   */
  getPermanentAddress(id: string, options: CallOptions = {}): Promise<PermanentAddress<D>> {
    return this.one({ method: 'GET', path: `/api/v2/permanent/${segment(id)}` }, options);
  }

  /**
   * Deactivate a permanent address.
   *
   * Payments that still arrive are kept as stray deposits.
   */
  deactivatePermanentAddress(id: string, options: CallOptions = {}): Promise<DeactivatePermanentAddressResult<D>> {
    return this.one({ method: 'DELETE', path: `/api/v2/permanent/${segment(id)}` }, options);
  }

  /**
   * Read the balance.
   *
   * In USD, valued when deposits were credited and payouts accepted.
   */
  getBalance(options: CallOptions = {}): Promise<Balance<D>> {
    return this.one({ method: 'GET', path: '/api/v2/balance' }, options);
  }

  /**
   * Read the ledger.
   *
   * Income, payouts and refunds, merged in time order, the youngest first. A reversed entry carries a negative amount.
   */
  listLedger(query: ListLedgerQuery = {}, options: CallOptions = {}): Promise<Page<LedgerEntry<D>, Pagination>> {
    return this.page({ method: 'GET', path: '/api/v2/ledger', query }, options);
  }

  /**
   * Read the ledger, row by row.
   *
   * Fetches the next rows as you go. Rows that are added meanwhile make none come twice.
   */
  allLedger(query: Omit<ListLedgerQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<LedgerEntry<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/ledger', query: { per_page: 100, ...query }, youngest: true }, options);
  }

  /**
   * List the assets.
   *
   * The whole catalog; `enabled` tells what new invoices can be paid in with this key: not so while the payments of a chain are seen late.
   */
  listAssets(options: CallOptions = {}): Promise<ListAssetsResult<D>> {
    return this.one({ method: 'GET', path: '/api/v2/assets' }, options);
  }

  /**
   * Read the exchange rates.
   *
   * What one whole coin costs, from the cache that invoices are priced with.
   */
  getRates(query: GetRatesQuery = {}, options: CallOptions = {}): Promise<Rates<D>> {
    return this.one({ method: 'GET', path: '/api/v2/rates', query }, options);
  }

  /**
   * List webhook attempts.
   *
   * Every delivery attempt, the youngest first: successful, retrying and given up. What happened, whoever took it, is in GET /events.
   */
  listNotifications(query: ListNotificationsQuery = {}, options: CallOptions = {}): Promise<Page<NotificationAttempt<D>, Pagination>> {
    return this.page({ method: 'GET', path: '/api/v2/notifications', query }, options);
  }

  /**
   * List webhook attempts, row by row.
   *
   * Fetches the next rows as you go. Rows that are added meanwhile make none come twice.
   */
  allNotifications(query: Omit<ListNotificationsQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<NotificationAttempt<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/notifications', query: { per_page: 100, ...query }, youngest: true }, options);
  }

  /**
   * Send a test webhook.
   *
   * Sends a signed test at once and tells how it fared. With `status` or `format` it looks like an invoice, which says `sample` and does not exist. A test is no event and has no number.
   */
  testNotification(body: TestNotificationBody<number | string> = {}, options: CallOptions = {}): Promise<DeliveryReport<D>> {
    return this.one({ method: 'POST', path: '/api/v2/notifications/test', body }, options);
  }

  /**
   * Read events in order.
   *
   * What you are told of by webhooks, the oldest first, also where you name no URL. Keep `next_after` and go on from there: a receiver that was away catches up by itself. Once read, a number is never followed by a smaller one that is new.
   */
  listEvents(query: ListEventsQuery = {}, options: CallOptions = {}): Promise<Page<Event<D>, Onward>> {
    return this.page({ method: 'GET', path: '/api/v2/events', query }, options);
  }

  /**
   * Read events in order, row by row.
   *
   * Fetches the next rows as you go.
   */
  allEvents(query: Omit<ListEventsQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<Event<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/events', query: { limit: 100, ...query } }, options);
  }

  /**
   * Send webhooks again, in bulk.
   *
   * Queues the webhooks of your events again, to where they would go now, as they were: with the same `event_seq` and `X-Service-Delivery`. An event that another of the same invoice or payout followed is left out, as is what still waits to be sent, so repeating a call is harmless. A call looks at 10,000 events: while `has_more` is true, call again with `after`. One call at a time: another meanwhile is refused (429).
   */
  replayNotifications(body: ReplayNotificationsBody<number | string> = {}, options: CallOptions = {}): Promise<Replayed<D>> {
    return this.one({ method: 'POST', path: '/api/v2/notifications/replay', body }, options);
  }
}
