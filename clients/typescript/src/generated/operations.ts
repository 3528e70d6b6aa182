/** Made by `bun run docs` from the OpenAPI document. */
import { type CallOptions, type Page, type Request, segment } from '../types.ts';
import type { Balance, ChangeLinkBody, CreateInvoiceBody, CreateLinkBody, CreatePayoutBatchBody, CreatePayoutBatchResult, CreatePayoutBody, CreatePayoutResult, CreatePermanentAddressBody, CreateRefundBody, DeactivatePermanentAddressResult, DeliveryReport, Event, GetRatesQuery, Invoice, LedgerEntry, ListAssetsResult, ListEventsQuery, ListInvoicesQuery, ListLedgerQuery, ListLinksQuery, ListNotificationsQuery, ListPayoutsQuery, ListPermanentAddressesQuery, ListRefundsResult, NotificationAttempt, NotifyInvoiceResult, OfferedRefund, Onward, Pagination, PaymentLink, Payout, PermanentAddress, Rates, Refund, ReplayNotificationsBody, Replayed, SimulateInvoiceBody, SimulateInvoiceResult, TestNotificationBody } from './models.ts';

/** A method for each operation of the API; D is what amounts are told as. */
export abstract class Operations<D extends number | string> {
  protected abstract one<Result>(request: Request, options: CallOptions): Promise<Result>;

  protected abstract page<Item, Place>(request: Request, options: CallOptions): Promise<Page<Item, Place>>;

  protected abstract walk<Item>(request: Request, options: CallOptions): AsyncGenerator<Item>;

  /**
   * Create an invoice.
   *
   * With `asset` the price is fixed and the deposit address is allocated at once. Without it the customer chooses an asset on the hosted checkout at `payment_url`.
   */
  createInvoice(body: CreateInvoiceBody<number | string>, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'POST', path: '/api/v2/invoices', body, keyed: true }, options);
  }

  /**
   * List invoices.
   *
   * Returns the invoices of this merchant and environment.
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
   * Returns one invoice of this merchant and environment.
   */
  getInvoice(id: string, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'GET', path: `/api/v2/invoices/${segment(id)}` }, options);
  }

  /**
   * Cancel an invoice.
   *
   * Ends an invoice in `created` at once, as long as no payment was seen. Its status becomes `expired`, and no webhook is sent. A later payment is treated as after any expiry. The request has no body. Cancelling twice returns the same response.
   */
  cancelInvoice(id: string, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/cancel` }, options);
  }

  /**
   * Accept a partly paid invoice.
   *
   * Accepts what was paid as the whole payment: a STATIC invoice in `partially_paid` or `cancelled` becomes `success`, and the webhook is sent. `amount` and `received_amount` stay as they are, and nothing is credited. The request has no body. Accepting twice returns the same response.
   */
  acceptInvoice(id: string, options: CallOptions = {}): Promise<Invoice<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/accept` }, options);
  }

  /**
   * Replay the webhook.
   *
   * Queues the current state of the invoice as a new delivery. The request has no body.
   */
  notifyInvoice(id: string, options: CallOptions = {}): Promise<NotifyInvoiceResult<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/notify`, keyed: true }, options);
  }

  /**
   * Simulate a status (sandbox).
   *
   * Sets the status of a sandbox invoice, with its effects on balance and ledger. A live invoice cannot be simulated.
   */
  simulateInvoice(id: string, body: SimulateInvoiceBody<number | string>, options: CallOptions = {}): Promise<SimulateInvoiceResult<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/simulate`, body }, options);
  }

  /**
   * Create a payout.
   *
   * Sends an asset to an external address. Your address must be in `allowed_subnets`. A used `X-Uniq-Id` is refused for two hours, so that a repeated request does not pay twice.
   */
  createPayout(body: CreatePayoutBody<number | string>, options: CallOptions = {}): Promise<CreatePayoutResult<D>> {
    return this.one({ method: 'POST', path: '/api/v2/payouts', body, keyed: true, payout: true }, options);
  }

  /**
   * List payouts.
   *
   * Returns the payouts of this merchant and environment.
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
   * Each item is accepted or refused on its own. A malformed item refuses the whole request.
   */
  createPayoutBatch(body: CreatePayoutBatchBody<number | string>, options: CallOptions = {}): Promise<CreatePayoutBatchResult<D>> {
    return this.one({ method: 'POST', path: '/api/v2/payouts/batch', body, keyed: true, payout: true }, options);
  }

  /**
   * Read a payout.
   *
   * Returns one payout of this merchant and environment.
   */
  getPayout(id: string, options: CallOptions = {}): Promise<Payout<D>> {
    return this.one({ method: 'GET', path: `/api/v2/payouts/${segment(id)}` }, options);
  }

  /**
   * Get or create a permanent address.
   *
   * Returns the active address of `user_id` and the family. The first call creates it.
   */
  createPermanentAddress(body: CreatePermanentAddressBody<number | string>, options: CallOptions = {}): Promise<PermanentAddress<D>> {
    return this.one({ method: 'POST', path: '/api/v2/permanent', body, keyed: true }, options);
  }

  /**
   * List permanent addresses.
   *
   * Returns the addresses of this merchant and environment, newest first.
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
   * Returns one address of this merchant and environment.
   */
  getPermanentAddress(id: string, options: CallOptions = {}): Promise<PermanentAddress<D>> {
    return this.one({ method: 'GET', path: `/api/v2/permanent/${segment(id)}` }, options);
  }

  /**
   * Deactivate a permanent address.
   *
   * Deactivates the address. Later payments to it open no invoice and are not credited: they become unmatched deposits, which the operator handles.
   */
  deactivatePermanentAddress(id: string, options: CallOptions = {}): Promise<DeactivatePermanentAddressResult<D>> {
    return this.one({ method: 'DELETE', path: `/api/v2/permanent/${segment(id)}` }, options);
  }

  /**
   * Create a payment link.
   *
   * Creates a page that opens an invoice for each customer. Invoices of a link have its id in `payment_link_id`. A merchant has at most 1,000 links in each environment.
   */
  createLink(body: CreateLinkBody<number | string>, options: CallOptions = {}): Promise<PaymentLink<D>> {
    return this.one({ method: 'POST', path: '/api/v2/links', body, keyed: true }, options);
  }

  /**
   * List payment links.
   *
   * Returns the links of this merchant and environment, newest first.
   */
  listLinks(query: ListLinksQuery = {}, options: CallOptions = {}): Promise<Page<PaymentLink<D>, Pagination>> {
    return this.page({ method: 'GET', path: '/api/v2/links', query }, options);
  }

  /**
   * List payment links, row by row.
   *
   * Fetches the next rows as you go. Rows that are added meanwhile make none come twice.
   */
  allLinks(query: Omit<ListLinksQuery, 'page' | 'per_page' | 'limit'> = {}, options: CallOptions = {}): AsyncGenerator<PaymentLink<D>> {
    return this.walk({ method: 'GET', path: '/api/v2/links', query: { per_page: 100, ...query }, youngest: true }, options);
  }

  /**
   * Read a payment link.
   *
   * Returns one link of this merchant and environment.
   */
  getLink(id: string, options: CallOptions = {}): Promise<PaymentLink<D>> {
    return this.one({ method: 'GET', path: `/api/v2/links/${segment(id)}` }, options);
  }

  /**
   * Change a payment link.
   *
   * Changes the fields of the body. `null` removes a field. Mode, currency and slug stay. Invoices that the link has opened keep what they were opened with.
   */
  changeLink(id: string, body: ChangeLinkBody<number | string>, options: CallOptions = {}): Promise<PaymentLink<D>> {
    return this.one({ method: 'PATCH', path: `/api/v2/links/${segment(id)}`, body }, options);
  }

  /**
   * Offer a refund.
   *
   * Offers the customer a refund from your balance. Send the `claim_url` to the customer, who enters an address there. A payout of the same limits and checks then pays it. Nothing is reserved before that. An invoice has one refund at a time. It works from your allowed addresses only, like payouts.
   */
  createRefund(id: string, body: CreateRefundBody<number | string> = {}, options: CallOptions = {}): Promise<OfferedRefund<D>> {
    return this.one({ method: 'POST', path: `/api/v2/invoices/${segment(id)}/refunds`, body, keyed: true }, options);
  }

  /**
   * List the refunds of an invoice.
   *
   * Returns the refunds that were offered for the invoice, newest first.
   */
  listRefunds(id: string, options: CallOptions = {}): Promise<ListRefundsResult<D>> {
    return this.one({ method: 'GET', path: `/api/v2/invoices/${segment(id)}/refunds` }, options);
  }

  /**
   * Read a refund.
   *
   * Returns one refund of this merchant and environment. Each step is an event, too.
   */
  getRefund(id: string, options: CallOptions = {}): Promise<Refund<D>> {
    return this.one({ method: 'GET', path: `/api/v2/refunds/${segment(id)}` }, options);
  }

  /**
   * Withdraw a refund.
   *
   * Ends an open refund. It cannot be withdrawn once the customer has entered an address.
   */
  withdrawRefund(id: string, options: CallOptions = {}): Promise<Refund<D>> {
    return this.one({ method: 'DELETE', path: `/api/v2/refunds/${segment(id)}` }, options);
  }

  /**
   * Read the balance.
   *
   * Returns the balance in USD. Deposits are valued when they are credited, payouts when they are accepted.
   */
  getBalance(options: CallOptions = {}): Promise<Balance<D>> {
    return this.one({ method: 'GET', path: '/api/v2/balance' }, options);
  }

  /**
   * Read the ledger.
   *
   * Returns income, payouts and refunds, newest first. A reversed entry has a negative amount.
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
   * Lists the whole catalog. New invoices of this key can be paid in the assets with `enabled: true`. An asset is disabled while payments on its chain are detected late.
   */
  listAssets(options: CallOptions = {}): Promise<ListAssetsResult<D>> {
    return this.one({ method: 'GET', path: '/api/v2/assets' }, options);
  }

  /**
   * Read the exchange rates.
   *
   * Returns the price of one whole coin of each asset. Invoices are priced with the same rates.
   */
  getRates(query: GetRatesQuery = {}, options: CallOptions = {}): Promise<Rates<D>> {
    return this.one({ method: 'GET', path: '/api/v2/rates', query }, options);
  }

  /**
   * List webhook attempts.
   *
   * Returns every delivery attempt, newest first: successful, retried and failed. GET /events has the events themselves, delivered or not.
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
   * Sends a signed test webhook at once and returns its outcome. With `status` or `format` its body looks like an invoice that does not exist, and contains `sample`. A test is not an event and has no number.
   */
  testNotification(body: TestNotificationBody<number | string> = {}, options: CallOptions = {}): Promise<DeliveryReport<D>> {
    return this.one({ method: 'POST', path: '/api/v2/notifications/test', body }, options);
  }

  /**
   * Read events in order.
   *
   * Returns the events that webhooks carry, oldest first, also if you have no webhook URL. Store `next_after`, and send it as `after` in the next request. So a receiver catches up after an outage. After you have read a number, no new event has a smaller one.
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
   * Queues the webhooks of your events again, unchanged: with the same `event_seq` and `X-Service-Delivery`. They go to the current URL. An event is skipped if a later event of the same invoice or payout exists, or if its webhook is still queued. It is therefore safe to repeat a call. A call covers 10,000 events: while `has_more` is true, call again with `after`. A second call at the same time is refused with 429.
   */
  replayNotifications(body: ReplayNotificationsBody<number | string> = {}, options: CallOptions = {}): Promise<Replayed<D>> {
    return this.one({ method: 'POST', path: '/api/v2/notifications/replay', body }, options);
  }
}
