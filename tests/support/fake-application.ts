/**
 * A small working Application in memory: real invoices, payouts, addresses, ledger and log in maps, scoped by merchant and
 * environment. Prices are fixed. For tests of the drivers, which need an application and not its rules.
 */
import type { Application, Caller, CreateInvoiceInput, PayoutInput } from '../../src/app/application.ts';
import { type Asset, AssetCatalog } from '../../src/domain/asset.ts';
import { toUnits } from '../../src/domain/decimal.ts';
import { appError } from '../../src/domain/errors.ts';
import { FIAT_CURRENCIES, FIAT_DECIMALS } from '../../src/domain/fiat.ts';
import type { InvoiceStatus } from '../../src/domain/invoice.ts';
import type { Invoice } from '../../src/domain/invoice-record.ts';
import { initialFiatMicros, type RequestedAmount, termsIn } from '../../src/domain/invoice-terms.ts';
import type { Merchant } from '../../src/domain/merchant.ts';
import type { Payout } from '../../src/domain/payout-record.ts';
import type { PermanentAddress } from '../../src/domain/permanent-address.ts';
import { RATE_SCALE, type Rates, unitsForFiat } from '../../src/domain/rate.ts';
import { err, ok } from '../../src/domain/result.ts';
import type { Identity, LedgerLine, NotificationAttempt } from '../../src/ports/queries.ts';
import { type FakeTables, fakeQueries, isOf } from './fake-queries.ts';

export const FIXED_RATES: Rates = {
  usdPerAssetE18: new Map(
    new AssetCatalog().all.map((asset) => [asset.key, (asset.type === 'token' ? 1n : 250n) * RATE_SCALE]),
  ),
  fiatPerUsdE18: new Map(
    FIAT_CURRENCIES.map((code) => [code, code === 'EUR' ? (RATE_SCALE * 9n) / 10n : RATE_SCALE]),
  ),
};

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

export function fakeApplication(): FakeApplication {
  const catalog = new AssetCatalog();
  const identities = new Map<string, Identity>();
  const claims = new Map<string, { order_id: string } | { batch_id: string }>();
  const tables: FakeTables = {
    invoices: [],
    payouts: [],
    addresses: [],
    ledger: [],
    notifications: [],
    balances: new Map(),
  };
  let rates: Rates | null = FIXED_RATES;
  let failure: Error | null = null;
  let counter = 0;

  const nextNumber = (): string => {
    counter += 1;
    return counter.toString(16);
  };
  const nextId = (): string => nextNumber().padStart(24, '0');
  const nextUuid = (): string => `00000000-0000-4000-8000-${nextNumber().padStart(12, '0')}`;
  const checkpoint = (): void => {
    const thrown = failure;
    failure = null;
    if (thrown) throw thrown;
  };

  function priced(invoice: Invoice, asset: Asset): Invoice | null {
    const requested: RequestedAmount = { in: 'fiat', micros: invoice.initialFiatMicros };
    const terms =
      rates && termsIn(asset, { ...invoice, requested, priceModifierPpm: invoice.priceModifierPpm }, rates);
    if (!terms) return null;
    const address =
      asset.family === 'evm'
        ? '0x52908400098527886E0F7030069857D2E4169EE7'
        : `${asset.family}-address-${counter}`;
    return {
      ...invoice,
      price: { asset: asset.key, ...terms },
      initialAsset: invoice.initialAsset ?? asset.key,
      addressTo: address,
    };
  }

  function build(caller: Caller, input: CreateInvoiceInput): Invoice | null {
    const now = application.now;
    const fiatCurrency = input.fiatCurrency ?? 'USD';
    const inAsset = input.fiatCurrency === null && input.asset !== null;
    const decimals = inAsset && input.asset ? input.asset.decimals : FIAT_DECIMALS;
    const amount = toUnits(input.amount, decimals) ?? 0n;
    const requested: RequestedAmount = inAsset
      ? { in: 'asset', units: amount }
      : { in: 'fiat', micros: amount };
    const terms = {
      requested,
      fiatCurrency,
      priceModifierPpm: input.priceModifierPpm,
      feeBearer: input.feeBearer ?? caller.merchant.defaultFeeBearer,
      commissionPpm: caller.merchant.commissionPpm,
    };
    const micros = rates && initialFiatMicros(terms, input.asset, rates);
    if (micros === null) return null;
    const invoice: Invoice = {
      id: nextId(),
      externalId: nextUuid(),
      merchantId: caller.merchant.id,
      sandbox: caller.scope.sandbox,
      fiatCurrency,
      initialFiatMicros: micros,
      feeBearer: terms.feeBearer,
      commissionPpm: terms.commissionPpm,
      priceModifierPpm: input.priceModifierPpm,
      initialAsset: input.asset?.key ?? null,
      addressTo: null,
      acceptedCoins: input.acceptedCoins,
      excludedCoins: input.excludedCoins,
      extra: input.extra,
      title: input.title,
      description: input.description,
      metadata: input.metadata,
      payerInfo: input.payerInfo,
      onPaidUrl: input.onPaidUrl,
      onCancelUrl: input.onCancelUrl,
      notifyUrl: input.notifyUrl,
      webhookFormat: 'native_v2',
      permanentAddressId: null,
      bindsPermanentAddress: input.permanentAddress,
      userId: input.userId,
      toleranceGiven: input.tolerancePpm !== null,
      createdAt: now,
      status: 'created',
      version: 0,
      billingType: input.billingType ?? 'STATIC',
      tolerancePpm: input.tolerancePpm ?? 0n,
      price: null,
      funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
      expiresAt: new Date(now.getTime() + (input.ttlSeconds ?? 3_600) * 1000),
      processedAt: null,
      txid: null,
      addressFrom: null,
    };
    if (input.asset === null) return invoice;
    const exact = rates && inAsset ? termsIn(input.asset, { ...terms, requested }, rates) : null;
    const withPrice = priced(invoice, input.asset);
    return withPrice && exact ? { ...withPrice, price: { asset: input.asset.key, ...exact } } : withPrice;
  }

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

  function post(caller: Caller, line: Omit<LedgerLine, 'createdAt'>): void {
    tables.ledger.push({ ...line, ...caller.scope, createdAt: application.now });
  }

  function acceptPayout(caller: Caller, input: PayoutInput, batchId: string | null): Payout | string {
    if (input.address.startsWith('bad')) return 'The address is not valid for the chain.';
    const { asset } = input;
    const fiat = input.fiatCurrency !== null && input.fiatCurrency !== 'native';
    const amountUnits = fiat
      ? unitsForFiat(toUnits(input.amount, FIAT_DECIMALS) ?? 0n, RATE_SCALE, asset, 'floor')
      : (toUnits(input.amount, asset.decimals) ?? 0n);
    const payout: Payout = {
      id: nextId(),
      ...caller.scope,
      batchId,
      asset: asset.key,
      address: input.address,
      amountUnits,
      sentUnits: amountUnits,
      feeUnits: 0n,
      feeMicroUsd: 0n,
      energyFeeMicroUsd: null,
      feeBearer: input.feeBearer ?? 'merchant',
      amountMicroUsd: 1_000_000n,
      reservedMicroUsd: 1_000_000n,
      ref: input.ref,
      createdAt: application.now,
      status: 'pending',
      txid: null,
      txHashes: [],
      failure: null,
      processedAt: null,
    };
    tables.payouts.push(payout);
    post(caller, {
      type: 'payout',
      asset: asset.key,
      amountUnits,
      feeUnits: null,
      currency: null,
      referenceId: payout.id,
      status: payout.status,
    });
    return payout;
  }

  const application: FakeApplication = {
    catalog,
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
      if (rates === null)
        return err(appError('RATES_UNAVAILABLE', 'No fresh exchange rate is known right now.'));
      if (input.permanentAddress && input.asset?.family === 'monero') {
        return err(
          appError('INVOICE_REJECTED', 'XMR has no permanent addresses.', { rule: 'permanent_address' }),
        );
      }
      const invoice = build(caller, input);
      if (invoice === null || invoice.price?.dueUnits === 0n) {
        return err(appError('INVOICE_REJECTED', 'The amount is below the minimum.', { rule: 'min_amount' }));
      }
      tables.invoices.push(invoice);
      return ok(invoice);
    },
    payableAssets(invoice) {
      const { acceptedCoins, excludedCoins } = invoice;
      return catalog.all.filter(
        (asset) =>
          application.isEnabled(asset, invoice.sandbox) &&
          (acceptedCoins === null || acceptedCoins.includes(asset.key)) &&
          !(excludedCoins ?? []).includes(asset.key),
      );
    },
    async chooseCurrency(externalId, asset) {
      checkpoint();
      const invoice = tables.invoices.find((other) => other.externalId === externalId);
      if (!invoice) return err(appError('NOT_FOUND', 'No such invoice.'));
      const chosen = priced(invoice, asset);
      if (!chosen) return err(appError('RATES_UNAVAILABLE', 'No fresh exchange rate is known right now.'));
      return ok(replace(chosen));
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
      const withPrice = invoice.price ? invoice : priced(invoice, asset);
      if (!withPrice?.price)
        return err(appError('RATES_UNAVAILABLE', 'No fresh exchange rate is known right now.'));
      const units = paidUnits(withPrice.price.dueUnits, input.status);
      const status: InvoiceStatus = input.status;
      const next = replace({
        ...withPrice,
        status,
        version: invoice.version + 1,
        funds: { pendingUnits: 0n, creditedUnits: units, heldUnits: 0n },
        processedAt: application.now,
        txid: `sim-${invoice.id}`,
      });
      if (units > 0n) {
        const type = status === 'refunded' ? 'refund' : 'income';
        post(caller, {
          type,
          asset: asset.key,
          amountUnits: units,
          feeUnits: type === 'income' ? 0n : null,
          currency: type === 'income' ? invoice.fiatCurrency : null,
          referenceId: invoice.id,
          status: type === 'income' ? null : status,
        });
      }
      const url = input.notifyUrl ?? invoice.notifyUrl ?? caller.merchant.callbackUrl;
      if (!input.sendWebhook) return ok({ invoice: next, webhook: null });
      const webhook =
        url === null
          ? { url: null, delivered: false, statusCode: null, error: 'There is no URL to send to.' }
          : attempt(url, invoice.id, caller);
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
      if (typeof payout === 'string') return err(appError('PAYOUT_REJECTED', payout, { rule: 'address' }));
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
      const results = items.map((item) => {
        const payout = acceptPayout(caller, item, batchId);
        return typeof payout === 'string'
          ? { orderId: null, error: payout }
          : { orderId: payout.id, status: payout.status };
      });
      return ok({ batchId, items: results });
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

function paidUnits(dueUnits: bigint, status: string): bigint {
  if (status === 'expired' || status === 'failed') return 0n;
  if (status === 'partially_paid' || status === 'cancelled') return dueUnits / 2n;
  return status === 'paid_over' ? (dueUnits * 5n) / 4n : dueUnits;
}
