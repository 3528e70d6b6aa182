/**
 * The use cases of the providers' APIs. Their requests are translated to those of the API and
 * checked by its rules.
 */
import { createHash } from 'node:crypto';
import type { Application, PayoutInput, UniqIdKept } from '../../../app/application.ts';
import { type Asset, leastInvoiceMicroUsd } from '../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { type AppError, appError, type FieldError, validationError } from '../../../domain/errors.ts';
import type { Invoice } from '../../../domain/invoices/invoice-record.ts';
import { mulDiv, parseDecimal, roundToDisplay, toUnits } from '../../../domain/money/decimal.ts';
import { exactNumber } from '../../../domain/money/exact-number.ts';
import type { JsonObject, JsonValue } from '../../../domain/money/json.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { priceE18, unitsForFiat } from '../../../domain/rates/rate.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { WebhookFormat } from '../../../domain/webhooks/webhook-format.ts';
import type { Scope } from '../../../ports/list-queries.ts';
import { invoiceBody } from '../invoices/invoice-body.ts';
import type { ApiContext } from '../kit/call.ts';
import { notFound } from '../kit/errors.ts';
import { isExactNumber, isStorableText, parseExactJson } from '../kit/input/exact-json.ts';
import { asId } from '../kit/input/query.ts';
import { charactersIn } from '../kit/input/schema.ts';
import { BodyChecker, Faults } from '../kit/input/validate.ts';
import type { BodyDefinition } from '../kit/route.ts';
import { payoutBody } from '../payouts/payout-body.ts';
import type { CompatCall, CompatResult, CompatRoute } from './surface.ts';

const ORDER_ID_LENGTH_MAX = 128;
const INVOICE = { definition: invoiceBody, checker: new BodyChecker(invoiceBody.schema) };
const PAYOUT = { definition: payoutBody, checker: new BodyChecker(payoutBody.schema) };
const [YES, NO] = [
  ['true', '1', 'yes', 'on'],
  ['false', '0', 'no', 'off'],
];
/** The provider's name of each field of the API. */
export type FieldNames = Readonly<Record<string, string>>;

export interface AskedInvoice {
  /** The body with the API's field names. Undefined: not given. */
  readonly given: Readonly<Record<string, JsonValue | undefined>>;
  readonly names: FieldNames;
  readonly orderId: string | null;
  readonly format: WebhookFormat;
  /** Whether a repeated order id returns the existing invoice, as the provider promises. */
  readonly oncePerOrder: boolean;
}

/** POST /invoices for a provider's client. The webhooks have the provider's shape. */
export async function createInvoice(
  { caller }: CompatCall,
  { given, names, orderId, format, oncePerOrder }: AskedInvoice,
  context: ApiContext,
): Promise<Result<Invoice, AppError>> {
  const refused = orderId === null ? null : orderIdFault(orderId, names.extra ?? 'order_id');
  if (refused !== null) return err(refused);
  const input = read(INVOICE, given, names, context);
  if (!input.ok) return input;
  const once = oncePerOrder && orderId !== null ? { id: invoiceIdOf(caller.scope, format, orderId) } : {};
  const details = { ...input.value.details, extra: orderId };
  const asked = { ...input.value, ...once, details, webhookFormat: format };
  return context.application.createInvoice(caller, asked);
}

/** The caller's invoice with the provider's order id, or with that invoice id. */
export async function invoiceOfOrder(
  { caller: { scope } }: CompatCall,
  format: WebhookFormat,
  orderId: string,
  { application: { queries } }: ApiContext,
): Promise<Result<Invoice, AppError>> {
  const found = await queries.invoice(scope, invoiceIdOf(scope, format, orderId));
  const own = asId(orderId);
  const invoice = found ?? (own === null ? null : await queries.invoice(scope, own));
  return invoice === null ? err(notFound('invoice')) : ok(invoice);
}

/** The caller's invoice with that public id. */
export async function invoiceOfExternalId(
  { caller: { scope } }: CompatCall,
  externalId: string,
  { application: { queries } }: ApiContext,
): Promise<Result<Invoice, AppError>> {
  const found = await queries.invoiceByExternalId(externalId);
  const isOwn = found?.merchantId === scope.merchantId && found.sandbox === scope.sandbox;
  return found !== null && isOwn ? ok(found) : err(notFound('invoice'));
}

export interface AskedPayout {
  readonly given: Readonly<Record<string, JsonValue | undefined>>;
  readonly names: FieldNames;
  readonly provider: WebhookFormat;
  /** Recognises a repetition. */
  readonly orderId: string;
  /** The `ref` of the payout. Default: the order id. */
  readonly ref?: string | null;
  /** How long a repetition is recognised. Default: for good. */
  readonly kept?: UniqIdKept;
}

/**
 * POST /payouts for a provider's client: one payout per order id, however often it is requested.
 * DUPLICATE if the existing payout has another address, coin or amount.
 */
export async function createPayout(
  call: CompatCall,
  { given, names, provider, orderId, ref = orderId, kept = 'for good' }: AskedPayout,
  context: ApiContext,
): Promise<Result<Payout, AppError>> {
  const { caller, payoutGate } = call;
  const { application } = context;
  const refused = payoutGate() ?? orderIdFault(orderId, names.ref ?? 'order_id');
  if (refused !== null) return err(refused);
  const input: Result<PayoutInput, AppError> = read(PAYOUT, { ...given, ref }, names, context);
  if (!input.ok) return input;
  const uniqId = uniqIdOf(provider, orderId);
  const made = await application.createPayout(caller, uniqId, input.value, null, kept);
  if (!made.ok && made.error.code !== 'DUPLICATE') return made;
  const stands = await payoutOfOrder(call, provider, orderId, context);
  if (made.ok || !stands.ok || isSamePayout(stands.value, input.value, application)) return stands;
  const { id } = stands.value;
  // A payout that is kept for a day is recognised by its content, which cannot differ, or by this
  // header.
  const known = kept === 'a day' ? 'Idempotency-Key' : (names.ref ?? 'order_id');
  const differs = `This ${known} belongs to payout ${id}, which has another address, coin or amount.`;
  return err(appError('DUPLICATE', differs, { order_id: id }));
}

/**
 * Whether a payout is the requested one. An amount in a fiat currency other than USD is not stored,
 * so it is not compared.
 */
function isSamePayout(
  { asset, address, amountUnits, amountMicroUsd }: Payout,
  asked: PayoutInput,
  { spellingsOf }: Pick<Application, 'spellingsOf'>,
): boolean {
  const spellings = new Set(spellingsOf(address));
  if (asset !== asked.asset.key || !spellingsOf(asked.address).some((each) => spellings.has(each)))
    return false;
  const { fiatCurrency: fiat, amount } = asked;
  if (fiat === null || fiat === 'native') return toUnits(amount, asked.asset.decimals) === amountUnits;
  // The units were rounded down to the coin's display precision, and their value in USD was rounded
  // up.
  const missed = (toUnits(amount, FIAT_DECIMALS) ?? 0n) - amountMicroUsd;
  const most = mulDiv(amountMicroUsd, roundToDisplay(1n, asked.asset, 'ceil'), amountUnits, 'ceil');
  return fiat !== 'USD' || (missed >= -1n && missed <= most);
}

/** The caller's payout with the provider's order id, or with that payout id. */
export async function payoutOfOrder(
  { caller: { scope } }: CompatCall,
  provider: WebhookFormat,
  orderId: string,
  { application: { queries } }: ApiContext,
): Promise<Result<Payout, AppError>> {
  const found = await queries.payoutByUniqId(scope, uniqIdOf(provider, orderId));
  const own = asId(orderId);
  const payout = found ?? (own === null ? null : await queries.payout(scope, own));
  return payout === null ? err(notFound('payout')) : ok(payout);
}

/**
 * The minimum of an invoice in the asset, in base units, at the current rate. Null while no rate is
 * known.
 */
export function leastUnits(asset: Asset, sandbox: boolean, { application }: ApiContext): bigint | null {
  const rates = application.rates.usable({ sandbox }) ?? application.rates.latest().rates;
  const price = priceE18(rates, asset, 'USD');
  if (price === null || price <= 0n) return null;
  return roundToDisplay(
    unitsForFiat(leastInvoiceMicroUsd(asset, sandbox), price, asset, 'ceil'),
    asset,
    'ceil',
  );
}

/** Reads a JSON object. An empty text and `[]`, as PHP writes it, are an empty object. */
export function objectOf(body: string): Result<JsonObject, AppError> {
  if (body === '' || body === '[]') return ok({});
  const read = parseExactJson(body, { refuseRepeatedKeys: true });
  if (read.kind === 'object') return ok(read.value);
  if (read.kind === 'refused') return err(validationError(read.faults));
  return err(appError('INVALID_JSON', 'The body is not a JSON object.'));
}

/** A route whose body is JSON. */
export function posted(
  path: string,
  handle: (body: JsonObject, call: CompatCall, context: ApiContext) => CompatResult,
): CompatRoute {
  return {
    method: 'POST',
    path,
    async handle(call, context) {
      const body = objectOf(call.body);
      return body.ok ? handle(body.value, call, context) : body;
    },
  };
}

/**
 * A decimal, also if it is given as text. Anything else is returned as it is, for the schema to
 * refuse.
 */
export function decimalGiven(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string') return absentIfEmpty(value);
  const read = parseDecimal(value.trim());
  return read === null ? absentIfEmpty(value) : exactNumber(read.digits, read.scale);
}

/** PHP's clients send an empty text for an absent value. */
export function absentIfEmpty(value: JsonValue | undefined): JsonValue | undefined {
  return value === '' || value === null ? undefined : value;
}

/**
 * A trimmed text, or the text of a number of any size. Null for an empty text and for anything
 * else.
 */
export function textOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'number') return String(value);
  if (isExactNumber(value)) return value.rawJSON;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/**
 * A flag in the usual spellings; null if absent. Another value is refused, since money may depend
 * on it.
 */
export function flagAsked(value: JsonValue | undefined, field: string): Result<boolean | null, AppError> {
  const word = typeof value === 'boolean' ? String(value) : textOf(value)?.toLowerCase();
  if (word === undefined && (typeof value === 'string' || absentIfEmpty(value) === undefined))
    return ok(null);
  if (word !== undefined && YES.includes(word)) return ok(true);
  return word !== undefined && NO.includes(word) ? ok(false) : err(fault(field, 'must be true or false'));
}

export function fault(field: string, message: string): AppError {
  return validationError([{ field, message }]);
}

/** A number with the opposite sign. */
export function negated(value: JsonValue | undefined): JsonValue | undefined {
  const read = parseDecimal(textOf(value) ?? '');
  return read === null ? absentIfEmpty(value) : exactNumber(-read.digits, read.scale);
}

/** Millionths as a percentage with two decimals, rounded down. */
export function percentOf(ppm: bigint): string {
  const hundredths = mulDiv(ppm, 1n, 100n, 'floor');
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}

function read<Input>(
  { definition, checker }: { definition: BodyDefinition<Input>; checker: BodyChecker },
  given: Readonly<Record<string, JsonValue | undefined>>,
  names: FieldNames,
  context: ApiContext,
): Result<Input, AppError> {
  const faults = new Faults();
  const named = Object.entries(given).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  const checked = checker.check(Object.fromEntries(named), faults);
  const input = definition.read(checked, faults, context);
  if (faults.isEmpty && input !== null) return ok(input);
  return err(validationError(faults.list().map((found) => renamed(found, names))));
}

function renamed({ field, message }: FieldError, names: FieldNames): FieldError {
  const [first = '', ...rest] = field.split('.');
  return { field: [names[first] ?? first, ...rest].join('.'), message };
}

function orderIdFault(orderId: string, field: string): AppError | null {
  if (!isStorableText(orderId)) return fault(field, 'must be text');
  if (charactersIn(orderId) <= ORDER_ID_LENGTH_MAX) return null;
  return fault(field, `must have at most ${ORDER_ID_LENGTH_MAX} characters`);
}

/**
 * The id of the invoice of an order. It is always the same for an order of a merchant, environment
 * and provider, so that the primary key prevents a second invoice.
 */
function invoiceIdOf({ merchantId, sandbox }: Scope, format: WebhookFormat, orderId: string): string {
  return digest(['invoice', merchantId, String(sandbox), format, orderId]).slice(0, 24);
}

/**
 * The X-Uniq-Id of the payout of an order, in the form of a version 4 UUID. It is unique per
 * merchant and environment.
 */
function uniqIdOf(provider: WebhookFormat, orderId: string): string {
  const hex = digest(['payout', provider, orderId]);
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20)];
  return `${a}-${b}-4${c}-8${d}-${hex.slice(20, 32)}`;
}

/** A hash of all parts, as hexadecimal text. */
export function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
