/** POST /invoices: terms and rate from memory, an address from the pool, one durable insert. No outbound call on this path. */
import { type Asset, leastInvoiceMicroUsd } from '../../domain/catalog/asset.ts';
import { isPermanentFamily } from '../../domain/catalog/family.ts';
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { type AppError, appError, invoiceRejected } from '../../domain/errors.ts';
import type { InvoicePrice } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import {
  initialFiatMicros,
  type PricingRequest,
  type RequestedAmount,
  termsIn,
} from '../../domain/invoices/invoice-terms.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import { formatUnits, roundToDisplay, toUnits } from '../../domain/money/decimal.ts';
import { exactNumber } from '../../domain/money/exact-number.ts';
import { DEFAULT_COMMISSION_PPM } from '../../domain/money/fee.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../../domain/rates/rate.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { InvoiceIdTaken } from '../../ports/invoices/invoice-writer.ts';
import { KeyTaken, type Once } from '../../ports/invoices/stored-answers.ts';
import type { IssuedAddress } from '../../ports/repositories.ts';
import type { CreateInvoiceInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import {
  type CoinChoice,
  chainTrouble,
  isEnabled,
  payableAssets,
  troubleOfChoice,
} from '../catalog/asset-access.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { AddressAllocator, FreshAddress } from './addresses/address-allocator.ts';
import type { PermanentAddresses } from './permanent-addresses.ts';

const DEFAULT_TTL_SECONDS = 3_600;

export function createInvoice(
  deps: AppDependencies,
  allocator: AddressAllocator,
  permanentAddresses: PermanentAddresses,
): (
  caller: Caller,
  input: CreateInvoiceInput,
  once?: Once<Invoice> | null,
) => Promise<Result<Invoice, AppError>> {
  return async (caller, input, once = null) => {
    const standing = await invoiceThatStands(deps, caller, input);
    if (standing !== null) return ok(standing);
    const sandbox = caller.scope.sandbox;
    const refused = refusedCoins(deps, sandbox, input);
    if (refused) return err(refused);

    const pricing = pricingOf(caller, input);
    const rates = ratesFor(deps, sandbox, pricing.requested);
    if (rates === null) return err(ratesUnavailable());
    const fiatMicros = initialFiatMicros(pricing, input.asset, rates);
    if (fiatMicros === null) return err(ratesUnavailable());

    const price = input.asset === null ? null : priceIn(input.asset, pricing, rates);
    if (price !== null && !price.ok) return err(price.error);
    if (input.asset === null) {
      const unpayable = payableInNone(deps, { input, pricing, rates });
      if (unpayable) return err(unpayable);
    }

    // The permanent address of a user is made by itself, and not undone with the invoice.
    if (input.permanentAddress && once !== null && (await keyStands(deps, caller, once.key)))
      throw new KeyTaken('the key was used');
    const bound = await bind(allocator, permanentAddresses, caller, input);
    if (!bound.ok) return bound;

    const createdAt = deps.clock.now();
    const id = input.id ?? deps.ids.id();
    const invoice: Invoice = {
      id,
      externalId: deps.ids.uuid(),
      merchantId: caller.merchant.id,
      sandbox,
      status: 'created',
      version: 0,
      billingType: input.billingType ?? 'STATIC',
      tolerancePpm: input.tolerancePpm ?? 0n,
      toleranceGiven: input.tolerancePpm !== null,
      price: price === null ? null : price.value,
      funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
      expiresAt: new Date(createdAt.getTime() + (input.ttlSeconds ?? DEFAULT_TTL_SECONDS) * 1000),
      processedAt: null,
      txid: null,
      addressFrom: null,
      fiatCurrency: pricing.fiatCurrency,
      initialFiatMicros: fiatMicros,
      feeBearer: pricing.feeBearer,
      commissionPpm: pricing.commissionPpm,
      priceModifierPpm: pricing.priceModifierPpm,
      initialAsset: input.asset?.key ?? null,
      addressTo: bound.value.display,
      // An asset that was named alone is the merchant's decision; beside accepted_coins it is the first of several.
      customerChooses: input.asset === null || (input.acceptedCoins ?? []).length > 0,
      earlierChoices: [],
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
      webhookFormat: input.webhookFormat ?? 'native_v2',
      permanentAddressId: bound.value.permanentAddress?.id ?? null,
      bindsPermanentAddress: input.permanentAddress,
      userId: input.permanentAddress ? input.userId : null,
      createdAt,
      updatedAt: null,
    };
    const { own } = bound.value;
    try {
      return ok(await deps.intake.add(invoice, own && issuedTo(invoice, own), once));
    } catch (error) {
      const isTaken = error instanceof InvoiceIdTaken;
      if (own !== null && (isTaken || error instanceof KeyTaken)) allocator.giveBack(own);
      const earlier = isTaken ? await invoiceThatStands(deps, caller, input) : null;
      if (earlier !== null) return ok(earlier);
      throw error;
    }
  };
}

/** The caller's invoice under the id that was asked for. */
async function invoiceThatStands(
  { queries }: Pick<AppDependencies, 'queries'>,
  { scope }: Caller,
  { id }: CreateInvoiceInput,
): Promise<Invoice | null> {
  return id === undefined ? null : queries.invoice(scope, id);
}

async function keyStands(
  { storedAnswers, clock }: AppDependencies,
  { scope }: Caller,
  key: string,
): Promise<boolean> {
  return (await storedAnswers.find(scope, key, clock.now())) !== null;
}

function issuedTo({ id, merchantId, sandbox, createdAt }: Invoice, own: FreshAddress): IssuedAddress {
  const { family, normalized: address, deriver, derivationIndex } = own;
  const to = { merchantId, sandbox, invoiceId: id, permanentAddressId: null, issuedAt: createdAt };
  return { family, address, deriver, derivationIndex, ...to };
}

/** What is asked for, and where: minimums differ. */
export type InvoicePricing = PricingRequest & { readonly sandbox: boolean };

/** The caller's commission and defaults, and the amount in its own currency. */
function pricingOf(caller: Caller, input: CreateInvoiceInput): InvoicePricing {
  return {
    sandbox: caller.scope.sandbox,
    requested: requestedAmount(input),
    fiatCurrency: input.fiatCurrency ?? 'USD',
    priceModifierPpm: input.priceModifierPpm,
    feeBearer: input.feeBearer ?? caller.merchant.defaultFeeBearer,
    commissionPpm: caller.merchant.commissionPpm ?? DEFAULT_COMMISSION_PPM,
  };
}

function requestedAmount(input: CreateInvoiceInput): RequestedAmount {
  const inAsset = input.fiatCurrency === null && input.asset !== null;
  const units = toUnits(input.amount, inAsset ? (input.asset?.decimals ?? 0) : FIAT_DECIMALS);
  if (units === null)
    throw new Error('the amount has more decimals than its currency: validation let it through');
  return inAsset ? { in: 'asset', units } : { in: 'fiat', micros: units };
}

/** A fiat price needs a fresh rate; an amount in the asset only values itself for information (decision 0005). */
function ratesFor(deps: AppDependencies, sandbox: boolean, requested: RequestedAmount): Rates | null {
  const usable = deps.rateBook.usable({ sandbox });
  if (usable !== null || requested.in === 'fiat') return usable;
  return deps.rateBook.latest().rates;
}

/** Prices an invoice in its asset, and refuses what is under the asset's minimum. */
export function priceIn(asset: Asset, pricing: InvoicePricing, rates: Rates): Result<InvoicePrice, AppError> {
  const terms = termsIn(asset, pricing, rates);
  const usd = priceE18(rates, asset, 'USD');
  if (terms === null || usd === null) return err(ratesUnavailable());
  const leastMicroUsd = leastInvoiceMicroUsd(asset, pricing.sandbox);
  if (terms.dueUnits <= 0n || fiatForUnits(terms.dueUnits, usd, asset, 'ceil') < leastMicroUsd) {
    const leastUnits = roundToDisplay(unitsForFiat(leastMicroUsd, usd, asset, 'ceil'), asset, 'ceil');
    const least = formatUnits(leastUnits, asset.decimals);
    return err(
      invoiceRejected(
        'below_minimum',
        `The amount is below the minimum of ${asset.key}: at least ${least} is needed.`,
        { asset: asset.key, min_amount: exactNumber(leastUnits, asset.decimals) },
      ),
    );
  }
  return ok({ asset: asset.key, ...terms });
}

function refusedCoins(deps: AppDependencies, sandbox: boolean, input: CreateInvoiceInput): AppError | null {
  const { asset } = input;
  if (asset !== null && input.permanentAddress && !isPermanentFamily(asset.family)) {
    return invoiceRejected(
      'xmr_permanent',
      'XMR has no permanent addresses. Create the invoice without permanent_address.',
    );
  }
  const trouble = asset === null ? null : chainTrouble(deps, asset, sandbox);
  if (trouble) return trouble;
  if (asset !== null && !isEnabled(deps, asset, sandbox)) {
    return invoiceRejected(
      'asset_disabled',
      `${asset.key} is not enabled here. GET /api/v2/assets lists what is.`,
    );
  }
  const choice = choiceOf(input, sandbox);
  const payable = payableAssets(deps, choice);
  if (payable.length === 0) {
    return (
      troubleOfChoice(deps, choice) ??
      invoiceRejected(
        'no_asset_left',
        'No enabled asset is left to pay with. GET /api/v2/assets lists what is enabled; accepted_coins and excluded_coins narrow it.',
      )
    );
  }
  if (asset !== null && !payable.includes(asset)) {
    return invoiceRejected(
      'asset_excluded',
      `${asset.key} is ruled out by accepted_coins or excluded_coins.`,
    );
  }
  return null;
}

function choiceOf(input: CreateInvoiceInput, sandbox: boolean): CoinChoice {
  const { acceptedCoins, excludedCoins, permanentAddress } = input;
  return { sandbox, acceptedCoins, excludedCoins, bindsPermanentAddress: permanentAddress };
}

/** Without an asset what is owed must reach the minimum of at least one that the customer may choose. */
function payableInNone(
  deps: AppDependencies,
  request: { input: CreateInvoiceInput; pricing: InvoicePricing; rates: Rates },
): AppError | null {
  const { input, pricing, rates } = request;
  const payable = payableAssets(deps, choiceOf(input, pricing.sandbox));
  let unpriced = false;
  for (const asset of payable) {
    const price = priceIn(asset, pricing, rates);
    if (price.ok) return null;
    unpriced ||= price.error.code === 'RATES_UNAVAILABLE';
  }
  return unpriced
    ? ratesUnavailable()
    : invoiceRejected('below_minimum', 'The amount is below the minimum of every asset that may pay it.');
}

interface Binding {
  readonly display: string | null;
  /** The invoice's own address, to be stored with it. */
  readonly own: FreshAddress | null;
  readonly permanentAddress: PermanentAddress | null;
}

async function bind(
  allocator: AddressAllocator,
  permanentAddresses: PermanentAddresses,
  caller: Caller,
  input: CreateInvoiceInput,
): Promise<Result<Binding, AppError>> {
  if (input.asset === null) return ok({ display: null, own: null, permanentAddress: null });
  const { family } = input.asset;
  if (input.permanentAddress) {
    if (!isPermanentFamily(family) || input.userId === null)
      throw new Error('validation let a permanent address through');
    const found = await permanentAddresses.getOrCreate(caller.scope, {
      userId: input.userId,
      family,
      notifyUrl: null,
      webhookFormat: input.webhookFormat,
      metadata: null,
    });
    if (!found.ok) return found;
    return ok({ display: found.value.address, own: null, permanentAddress: found.value });
  }
  const fresh = await allocator.next(family, caller.scope.sandbox);
  // An asset is enabled only where its family has a deriver (asset-access.ts).
  if (fresh === null) throw new Error(`no address can be made for ${input.asset.key}`);
  return ok({ display: fresh.display, own: fresh, permanentAddress: null });
}

export function ratesUnavailable(): AppError {
  return appError(
    'RATES_UNAVAILABLE',
    'No fresh exchange rate is known at the moment. Try again in a minute.',
  );
}
