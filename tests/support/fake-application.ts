/**
 * A small working Application in memory: real invoices, payouts, addresses, ledger and log in maps, scoped by merchant and
 * environment. Prices are fixed. For tests of the drivers, which need an application and not its rules.
 */
import type { Application, Caller, PayoutInput } from '../../src/app/application.ts';
import { AssetCatalog } from '../../src/domain/asset.ts';
import { appError, invoiceRejected, payoutRejected } from '../../src/domain/errors.ts';
import { mayChoose } from '../../src/domain/invoice-choice.ts';
import type { Invoice } from '../../src/domain/invoice-record.ts';
import type { Merchant } from '../../src/domain/merchant.ts';
import type { Payout } from '../../src/domain/payout-record.ts';
import type { PermanentAddress } from '../../src/domain/permanent-address.ts';
import type { Rates } from '../../src/domain/rate.ts';
import { err, ok } from '../../src/domain/result.ts';
import type { Identity, LedgerLine, NotificationAttempt } from '../../src/ports/queries.ts';
import { fakeCheckout } from './fake-checkout.ts';
import { emptyTables, type FakeTables, fakeQueries, isOf } from './fake-queries.ts';
import { FIXED_RATES, newInvoice, newPayout, paidUnits, priced } from './fake-records.ts';

export interface FakeApplication extends Application {
  readonly tables: FakeTables;
  /** Registers a merchant and answers its keys. */
  addMerchant(overrides?: Partial<Merchant>): { merchant: Merchant; liveKey: string; sandboxKey: string };
  /** Rates that the application has; null for none. */
  setRates(rates: Rates | null): void;
  /** What the next call of any use case or query throws, once. */
  failNext(thrown: Error): void;
  setInvoice(id: string, change: Partial<Invoice>): void;
  now: Date;
}

const NO_RATES = appError('RATES_UNAVAILABLE', 'No fresh exchange rate is known right now.');

export function fakeApplication(): FakeApplication {
  const catalog = new AssetCatalog();
  const identities = new Map<string, Identity>();
  const claims = new Map<string, { order_id: string } | { batch_id: string }>();
  const tables = emptyTables();
  let rates: Rates | null = FIXED_RATES;
  let failure: Error | null = null;
  let counter = 0;
  const nextNumber = (): string => (++counter).toString(16);
  const nextId = (): string => nextNumber().padStart(24, '0');
  const nextUuid = (): string => `00000000-0000-4000-8000-${nextNumber().padStart(12, '0')}`;
  const checkpoint = (): void => {
    const thrown = failure;
    failure = null;
    if (thrown) throw thrown;
  };

  function ownInvoice(caller: Caller, id: string): Invoice | null {
    return tables.invoices.find((invoice) => invoice.id === id && isOf(caller.scope, invoice)) ?? null;
  }

  function replace(invoice: Invoice): Invoice {
    const at = tables.invoices.findIndex((other) => other.id === invoice.id);
    tables.invoices[at] = invoice;
    return invoice;
  }

  function attempt(url: string, invoiceId: string | null, caller: Caller) {
    const entry: NotificationAttempt & { merchantId: string; sandbox: boolean } = {
      id: nextId(),
      invoiceId,
      url,
      statusCode: 200,
      responseBody: 'ok',
      attempt: 1,
      sentAt: application.now,
      ...caller.scope,
    };
    tables.notifications.push(entry);
    return { url, delivered: true, statusCode: 200, error: null };
  }

  const post = (caller: Caller, line: Omit<LedgerLine, 'createdAt'>): unknown =>
    tables.ledger.push({ ...line, ...caller.scope, createdAt: application.now });

  function acceptPayout(caller: Caller, input: PayoutInput, batchId: string | null): Payout | string {
    if (input.address.startsWith('bad')) return 'The address is not valid for the chain.';
    const payout = newPayout(caller, input, { id: nextId(), batchId, now: application.now });
    tables.payouts.push(payout);
    post(caller, {
      type: 'payout',
      asset: payout.asset,
      amountUnits: payout.amountUnits,
      feeUnits: null,
      isWastedFee: false,
      currency: null,
      referenceId: payout.id,
      status: payout.status,
      orderedBy: null,
    });
    return payout;
  }

  const application: FakeApplication = {
    catalog,
    partsOf: () => null,
    tables,
    now: new Date('2026-03-01T12:00:00Z'),
    rates: {
      latest: () => ({
        rates: rates ?? { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() },
        ageSeconds: rates === null ? null : 5,
      }),
      usable: () => rates,
    },
    queries: fakeQueries(tables, checkpoint),
    isEnabled: (asset) => asset.key !== 'xmr_monero',

    addMerchant(overrides = {}) {
      const id = nextId();
      const merchant: Merchant = {
        id,
        name: `Merchant ${id}`,
        status: 'active',
        kyc: 'approved',
        callbackUrl: null,
        defaultFeeBearer: 'client',
        commissionPpm: 10_000n,
        allowedSubnets: ['127.0.0.0/8'],
        createdAt: application.now,
        ...overrides,
      };
      const liveKey = `sk_live_${id.padStart(48, 'a')}`;
      const sandboxKey = `sk_sandbox_${id.padStart(48, 'b')}`;
      identities.set(liveKey, { merchant, environment: 'live' });
      identities.set(sandboxKey, { merchant, environment: 'sandbox' });
      return { merchant, liveKey, sandboxKey };
    },
    setRates(given) {
      rates = given;
    },
    failNext(thrown) {
      failure = thrown;
    },
    setInvoice(id, change) {
      const invoice = tables.invoices.find((other) => other.id === id);
      if (invoice) replace({ ...invoice, ...change, version: invoice.version + 1 });
    },

    async authenticate(apiKey) {
      return identities.get(apiKey) ?? null;
    },

    async createInvoice(caller, input) {
      checkpoint();
      if (rates === null) return err(NO_RATES);
      if (input.permanentAddress && input.asset?.family === 'monero') {
        return err(invoiceRejected('xmr_permanent', 'XMR has no permanent addresses.'));
      }
      const record = { id: nextId(), externalId: nextUuid(), now: application.now };
      const invoice = newInvoice(caller, input, record, rates);
      if (invoice === null || invoice.price?.dueUnits === 0n) {
        return err(invoiceRejected('below_minimum', 'The amount is below the minimum.'));
      }
      tables.invoices.push(invoice);
      return ok(invoice);
    },
    ...fakeCheckout(() => application, identities),
    async chooseCurrency(externalId, asset) {
      checkpoint();
      const invoice = tables.invoices.find((other) => other.externalId === externalId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      if (invoice.price?.asset === asset.key) return ok(invoice);
      if (invoice.price && !mayChoose(invoice, application.now))
        return err(invoiceRejected('fixed_asset', `Already to be paid in ${invoice.price.asset}.`));
      const chosen = rates && priced(invoice, asset, rates);
      return chosen ? ok(replace(chosen)) : err(NO_RATES);
    },
    async simulateInvoice(caller, invoiceId, input) {
      checkpoint();
      const invoice = ownInvoice(caller, invoiceId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      if (!caller.scope.sandbox)
        return err(appError('SANDBOX_ONLY', 'Only sandbox invoices can be simulated.'));
      if (input.status === 'cancelled' && invoice.billingType === 'VARY') {
        return err(appError('INVALID_TRANSITION', 'A VARY invoice cannot be cancelled.'));
      }
      const asset = catalog.require(invoice.price?.asset ?? 'usdt_ethereum');
      const withPrice = invoice.price ? invoice : rates && priced(invoice, asset, rates);
      if (!withPrice?.price) return err(NO_RATES);
      const units = paidUnits(withPrice.price.dueUnits, input.status);
      const next = replace({
        ...withPrice,
        status: input.status,
        version: invoice.version + 1,
        funds: { pendingUnits: 0n, creditedUnits: units, heldUnits: 0n },
        processedAt: application.now,
        txid: `sim-${invoice.id}`,
      });
      if (units > 0n) {
        const type = input.status === 'refunded' ? 'refund' : 'income';
        post(caller, {
          type,
          asset: asset.key,
          amountUnits: units,
          feeUnits: type === 'income' ? 0n : null,
          isWastedFee: false,
          currency: type === 'income' ? invoice.fiatCurrency : null,
          referenceId: invoice.id,
          status: type === 'income' ? null : input.status,
          orderedBy: null,
        });
      }
      if (!input.sendWebhook) return ok({ invoice: next, webhook: null });
      const url = input.notifyUrl ?? invoice.notifyUrl ?? caller.merchant.callbackUrl;
      const nowhere = { url, delivered: false, statusCode: null, error: 'There is no URL to send to.' };
      const webhook = url === null ? nowhere : attempt(url, invoice.id, caller);
      return ok({ invoice: next, webhook });
    },
    async replayWebhook(caller, invoiceId) {
      checkpoint();
      const invoice = ownInvoice(caller, invoiceId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      const url = invoice.notifyUrl ?? caller.merchant.callbackUrl;
      if (url === null) return err(appError('NO_DESTINATION', 'There is no URL to send to.'));
      attempt(url, invoiceId, caller);
      return ok({ deliveryId: nextId() });
    },
    async sendTestWebhook(caller, url) {
      checkpoint();
      const destination = url ?? caller.merchant.callbackUrl;
      if (destination === null) return err(appError('NO_DESTINATION', 'There is no URL to send to.'));
      return ok(attempt(destination, null, caller));
    },

    async createPayout(caller, uniqId, input) {
      checkpoint();
      const claim = `${caller.merchant.id}:${caller.environment}:${uniqId}`;
      const taken = claims.get(claim);
      if (taken) return err(appError('DUPLICATE', 'This X-Uniq-Id was used already.', taken));
      const payout = acceptPayout(caller, input, null);
      if (typeof payout === 'string') return err(payoutRejected('invalid_address', payout));
      claims.set(claim, { order_id: payout.id });
      return ok({ orderId: payout.id });
    },
    async createPayoutBatch(caller, uniqId, items) {
      checkpoint();
      const claim = `${caller.merchant.id}:${caller.environment}:${uniqId}`;
      const taken = claims.get(claim);
      if (taken) return err(appError('DUPLICATE', 'This X-Uniq-Id was used already.', taken));
      const batchId = nextId();
      claims.set(claim, { batch_id: batchId });
      const results = items.map((item) => acceptPayout(caller, item, batchId));
      return ok({
        batchId,
        items: results.map((it) =>
          typeof it === 'string' ? { orderId: null, error: it } : { orderId: it.id, status: it.status },
        ),
      });
    },

    async getPermanentAddress(caller, input) {
      checkpoint();
      const existing = tables.addresses.find(
        (address) =>
          isOf(caller.scope, address) &&
          address.active &&
          address.userId === input.userId &&
          address.family === input.family,
      );
      if (existing) return ok({ address: existing, created: false });
      const address: PermanentAddress = {
        id: nextId(),
        ...caller.scope,
        ...input,
        address: `${input.family}-permanent-${counter}`,
        active: true,
        createdAt: application.now,
        deactivatedAt: null,
      };
      tables.addresses.push(address);
      return ok({ address, created: true });
    },
    async deactivatePermanentAddress(caller, id) {
      checkpoint();
      const at = tables.addresses.findIndex((address) => address.id === id && isOf(caller.scope, address));
      const address = tables.addresses[at];
      if (!address) return err(appError('NOT_FOUND', 'No such permanent address.'));
      const next = { ...address, active: false, deactivatedAt: address.deactivatedAt ?? application.now };
      tables.addresses[at] = next;
      return ok(next);
    },
  };
  return application;
}
