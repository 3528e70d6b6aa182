/**
 * What pages of the checkout need of an Application, in memory: invoices that can be put into any
 * state, at fixed prices. Everything else is tested on the real application (http-harness.ts).
 */
import type { Application } from '../../../src/app/application.ts';
import type { Caller } from '../../../src/app/caller.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { appError, invoiceRejected } from '../../../src/domain/errors.ts';
import { mayChoose } from '../../../src/domain/invoices/invoice-choice.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { type Merchant, NO_DEFAULTS } from '../../../src/domain/merchants/merchant.ts';
import type { Rates } from '../../../src/domain/rates/rate.ts';
import { err, ok } from '../../../src/domain/result.ts';
import type { Identity } from '../../../src/ports/list-queries.ts';
import { fakeCheckout } from './fake-checkout.ts';
import { emptyTables, type FakeTables, fakeQueries, isOf, notAsked } from './fake-queries.ts';
import { FIXED_RATES, newInvoice, paidUnits, priced } from './fake-records.ts';

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

  const application: FakeApplication = {
    catalog,
    partsOf: () => null,
    spellingsOf: (address) => [address],
    tables,
    now: new Date('2026-03-01T12:00:00Z'),
    rates: {
      latest: () => ({
        rates: rates ?? { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() },
        ageSeconds: rates === null ? null : 5,
      }),
      usable: () => rates,
      crediting: () => rates ?? { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() },
    },
    queries: fakeQueries(tables, checkpoint),
    console: {
      ...{ overview: notAsked, searchPayments: notAsked, searchEverything: notAsked },
      ...{
        invoiceTimeline: notAsked,
        payoutTimeline: notAsked,
        attention: notAsked,
        attentionCounts: notAsked,
        statement: notAsked,
        notices: notAsked,
        acceptInvoice: notAsked,
        ...{ creditRequests: notAsked, creditQueue: notAsked },
      },
    },
    isOffered: (asset) => asset.key !== 'xmr_monero',
    isSeenLate: () => false,
    keyThatFits: async () => null,
    priceOf: () => err(NO_RATES),
    providerInvoice: () => {
      throw new Error('the fake application tells nothing in other shapes');
    },
    liveStates: (externalIds) =>
      application.queries.liveStates(
        externalIds,
        application.catalog.all.filter(application.isSeenLate).map(({ key }) => key),
      ),

    addMerchant(overrides = {}) {
      const id = nextId();
      const merchant: Merchant = {
        id,
        name: `Merchant ${id}`,
        status: 'active',
        kyc: 'approved',
        callbackUrl: null,
        payoutWebhooks: false,
        defaultFeeBearer: 'client',
        commissionPpm: 10_000n,
        allowedSubnets: ['127.0.0.0/8'],
        ...NO_DEFAULTS,
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
      return ok({ invoice: next, webhook: null });
    },
    noteKey: () => 'new',
    answered: async () => null,
    cancelInvoice: notAsked,
    ...{ replayWebhook: notAsked, replayEvents: notAsked, sendTestWebhook: notAsked, createPayout: notAsked },
    ...{
      createPaymentLink: notAsked,
      changePaymentLink: notAsked,
      linkStanding: notAsked,
      openLink: notAsked,
      offerRefund: notAsked,
      withdrawRefund: notAsked,
      claimUrl: () => '',
      claimOfToken: notAsked,
      quoteRefund: notAsked,
      confirmRefund: notAsked,
    },
    ...{ createPayoutBatch: notAsked, getPermanentAddress: notAsked, deactivatePermanentAddress: notAsked },
  };
  return application;
}
