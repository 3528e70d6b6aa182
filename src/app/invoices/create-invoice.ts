/**
 * POST /invoices: terms and rate from memory, an address from the pool, one durable insert, no
 * outbound call.
 */
import { isPermanentFamily } from '../../domain/catalog/family.ts';
import type { AppError } from '../../domain/errors.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { IssuedAddress } from '../../ports/invoices/address-repository.ts';
import { InvoiceIdTaken } from '../../ports/invoices/invoice-writer.ts';
import { IdempotencyKeyTaken, type Once } from '../../ports/stored-answers.ts';
import type { CreateInvoiceInput } from '../application.ts';
import type { Caller } from '../caller.ts';
import type { AppDependencies } from '../dependencies.ts';
import { withDefaults } from '../merchants/invoice-defaults.ts';
import type { AddressAllocator, FreshAddress } from './addresses/address-allocator.ts';
import { refusedAssetChoice } from './check-requested-asset.ts';
import type { PermanentAddresses } from './permanent-addresses.ts';
import { type Quote, quoteFor } from './quote-invoice.ts';

const DEFAULT_TTL_SECONDS = 3_600;

/**
 * Creates an invoice, or returns the existing one of the requested id. With `once` the response is
 * stored under its key. Throws IdempotencyKeyTaken if that key is used.
 */
export function createInvoice(
  deps: AppDependencies,
  allocator: AddressAllocator,
  permanentAddresses: PermanentAddresses,
): (
  caller: Caller,
  input: CreateInvoiceInput,
  once?: Once<Invoice> | null,
) => Promise<Result<Invoice, AppError>> {
  return async (caller, given, once = null) => {
    const existing = await existingInvoice(deps, caller, given);
    if (existing !== null) return ok(existing);
    const priced = pricedOrder(deps, caller, given);
    if (!priced.ok) return priced;
    const { input, quote } = priced.value;

    // A user's permanent address is created separately, and is kept if the invoice fails.
    if (input.permanentAddress && (await isKeyUsed(deps, caller, once)))
      throw new IdempotencyKeyTaken('the key was used');
    // A permanent address has a format of its own, which the default does not replace.
    const bound = await bind(allocator, permanentAddresses, caller, {
      ...input,
      webhookFormat: given.webhookFormat,
    });
    if (!bound.ok) return bound;

    const invoice = newInvoice(deps, caller, input, { quote, binding: bound.value });
    const { own } = bound.value;
    try {
      return ok(await deps.invoiceWriter.add(invoice, own && issuedTo(invoice, own), once));
    } catch (error) {
      const isTaken = error instanceof InvoiceIdTaken;
      if (own !== null && (isTaken || error instanceof IdempotencyKeyTaken)) allocator.giveBack(own);
      const earlier = isTaken ? await existingInvoice(deps, caller, input) : null;
      if (earlier !== null) return ok(earlier);
      throw error;
    }
  };
}

/** The order with the merchant's defaults, and its price. */
function pricedOrder(
  deps: AppDependencies,
  caller: Caller,
  given: CreateInvoiceInput,
): Result<{ readonly input: CreateInvoiceInput; readonly quote: Quote }, AppError> {
  const defaults = withDefaults(deps, caller, given);
  if (!defaults.ok) return defaults;
  const input = defaults.value;
  const refused = refusedAssetChoice(deps, caller.scope.sandbox, input);
  if (refused) return err(refused);
  const quote = quoteFor(deps, caller, input);
  return quote.ok ? ok({ input, quote: quote.value }) : quote;
}

function newInvoice(
  { clock, ids }: Pick<AppDependencies, 'clock' | 'ids'>,
  { merchant, scope }: Caller,
  input: CreateInvoiceInput,
  { quote, binding }: { readonly quote: Quote; readonly binding: Binding },
): Invoice {
  const { pricing } = quote;
  const createdAt = clock.now();
  return {
    id: input.id ?? ids.id(),
    externalId: ids.checkoutId(),
    merchantId: merchant.id,
    sandbox: scope.sandbox,
    status: 'created',
    version: 0,
    billingType: input.billingType ?? 'STATIC',
    tolerancePpm: input.tolerancePpm ?? 0n,
    acceptedUnits: null,
    toleranceGiven: input.tolerancePpm !== null,
    price: quote.price,
    funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
    expiresAt: new Date(createdAt.getTime() + (input.ttlSeconds ?? DEFAULT_TTL_SECONDS) * 1000),
    processedAt: null,
    txid: null,
    addressFrom: null,
    fiatCurrency: pricing.fiatCurrency,
    initialFiatMicros: quote.fiatMicros,
    feeBearer: pricing.feeBearer,
    commissionPpm: pricing.commissionPpm,
    priceModifierPpm: pricing.priceModifierPpm,
    initialAsset: input.asset?.key ?? null,
    addressTo: binding.display,
    // A sole asset is the merchant's choice; together with accepted_coins it is only the first of
    // several.
    customerChooses: input.asset === null || (input.acceptedCoins ?? []).length > 0,
    earlierChoices: [],
    acceptedCoins: input.acceptedCoins,
    excludedCoins: input.excludedCoins,
    ...input.details,
    webhookFormat: input.webhookFormat ?? 'native_v2',
    permanentAddressId: binding.permanentAddress?.id ?? null,
    bindsPermanentAddress: input.permanentAddress,
    userId: input.permanentAddress ? input.userId : null,
    paymentLinkId: input.paymentLinkId ?? null,
    createdAt,
    updatedAt: null,
  };
}

/** The caller's invoice of the requested id. */
async function existingInvoice(
  { queries }: Pick<AppDependencies, 'queries'>,
  { scope }: Caller,
  { id }: CreateInvoiceInput,
): Promise<Invoice | null> {
  return id === undefined ? null : queries.invoice(scope, id);
}

async function isKeyUsed(
  { storedAnswers, clock }: AppDependencies,
  { scope }: Caller,
  once: Once<Invoice> | null,
): Promise<boolean> {
  return once !== null && (await storedAnswers.find(scope, once.key, clock.now())) !== null;
}

function issuedTo({ id, merchantId, sandbox, createdAt }: Invoice, own: FreshAddress): IssuedAddress {
  const { family, normalized: address, deriver, derivationIndex } = own;
  const to = { merchantId, sandbox, invoiceId: id, permanentAddressId: null, issuedAt: createdAt };
  return { family, address, deriver, derivationIndex, ...to };
}

interface Binding {
  readonly display: string | null;
  /** The invoice's own address, to store with it. */
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
      defaultFormat: caller.merchant.defaultWebhookFormat,
      metadata: null,
    });
    if (!found.ok) return found;
    return ok({ display: found.value.address, own: null, permanentAddress: found.value });
  }
  const fresh = await allocator.next(family, caller.scope.sandbox);
  // An asset is enabled only if its family has a deriver (asset-access.ts).
  if (fresh === null) throw new Error(`no address can be made for ${input.asset.key}`);
  return ok({ display: fresh.display, own: fresh, permanentAddress: null });
}
