/** Cryptomus' API (/v1): payments, static wallets, payouts, balance and rates. */

import { isPermanentFamily } from '../../../../domain/catalog/family.ts';
import { FIAT_CURRENCIES, isFiatCurrency } from '../../../../domain/catalog/fiat.ts';
import { type AppError, ratesUnavailable } from '../../../../domain/errors.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import type { JsonObject } from '../../../../domain/money/json.ts';
import { priceE18, RATE_DECIMALS } from '../../../../domain/rates/rate.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { cryptomusNetworks, cryptomusSigner } from '../../../shared/providers/cryptomus.ts';
import { cryptomusPayment } from '../../../shared/providers/cryptomus-payment.ts';
import type { ApiContext } from '../../kit/call.ts';
import { webhookUrl } from '../../kit/input/fields.ts';
import { asId } from '../../kit/input/query.ts';
import { Faults } from '../../kit/input/validate.ts';
import { isSameText } from '../compat-pipeline.ts';
import { type CompatCall, type CompatResult, type RawRequest, replied, type Surface } from '../surface.ts';
import {
  absentIfEmpty,
  createInvoice,
  createPayout,
  fault,
  invoiceOfExternalId,
  invoiceOfOrder,
  objectOf,
  payoutOfOrder,
  posted,
  textOf,
} from '../use-cases.ts';
import {
  balanceResult,
  paymentResult,
  payoutResult,
  refused,
  result,
  services,
  walletResult,
} from './answers.ts';
import type { Dialect } from './dialect.ts';
import { assetAsked, paymentAsked, payoutAsked, testWebhookAsked } from './requests.ts';

const PER_PAGE = 15;
const NEWEST_FIRST = { by: 'created_at', order: 'desc' } as const;
const USER_ID_LENGTH_MAX = 128;

export const CRYPTOMUS = cryptomusSurface({
  provider: 'cryptomus',
  prefix: '/compat/cryptomus/v1',
  networks: cryptomusNetworks,
  payment: cryptomusPayment,
});

export function cryptomusSurface(dialect: Dialect): Surface {
  return {
    prefix: dialect.prefix,
    findKey,
    refused,
    routes: [
      posted('/payment', async (body, call, context) => {
        const asked = paymentAsked(body, dialect, context);
        const made = asked.ok ? await createInvoice(call, asked.value, context) : asked;
        return made.ok ? replied(result(paymentResult(made.value, dialect, context))) : made;
      }),
      posted('/payment/info', async (body, call, context) => {
        const found = await paymentNamed(body, call, dialect, context);
        return found.ok ? replied(result(paymentResult(found.value, dialect, context))) : found;
      }),
      posted('/payment/list', (body, call, context) => payments(body, call, dialect, context)),
      posted('/payment/services', async (_, { caller }, context) =>
        replied(result(services(caller, 'payments', dialect, context))),
      ),
      posted('/payment/resend', async (body, call, context) => {
        const found = await paymentNamed(body, call, dialect, context);
        if (!found.ok) return found;
        const queued = await context.application.replayWebhook(call.caller, found.value.id);
        return queued.ok ? replied(result([])) : queued;
      }),
      posted('/test-webhook/payment', async (body, { caller }, { application }) => {
        const asked = testWebhookAsked(body, dialect);
        const sent = asked.ok ? await application.sendTestWebhook(caller, asked.value) : asked;
        return sent.ok ? replied(result([])) : sent;
      }),
      posted('/wallet', (body, call, context) => staticWallet(body, call, dialect, context)),
      posted('/balance', async (_, { caller: { scope } }, { application: { queries } }) =>
        replied(result(balanceResult(scope.merchantId, await queries.balance(scope)))),
      ),
      posted('/payout', async (body, call, context) => {
        const asked = payoutAsked(body, dialect, context);
        const made = asked.ok ? await createPayout(call, asked.value, context) : asked;
        return made.ok ? replied(result(payoutResult(made.value, dialect, context))) : made;
      }),
      posted('/payout/info', async (body, call, context) => {
        const name = textOf(body.order_id) ?? textOf(body.uuid);
        if (name === null) return err(fault('uuid', 'or order_id is required'));
        const found = await payoutOfOrder(call, dialect.provider, name, context);
        return found.ok ? replied(result(payoutResult(found.value, dialect, context))) : found;
      }),
      posted('/payout/list', (body, call, context) => payouts(body, call, dialect, context)),
      posted('/payout/services', async (_, { caller }, context) =>
        replied(result(services(caller, 'payouts', dialect, context))),
      ),
      {
        method: 'GET',
        path: '/exchange-rate/:currency/list',
        answer: async ({ params }, context) => exchangeRates(params.currency ?? '', context),
      },
    ],
  };
}

/** `sign` is made with a key of the merchant in `merchant`. All keys of that merchant are tried. */
async function findKey(
  { headers, body }: RawRequest,
  application: Parameters<Surface['findKey']>[1],
  admits: () => boolean,
): Promise<string | null> {
  const merchantId = asId(headers.get('merchant') ?? '');
  const sign = headers.get('sign');
  if (merchantId === null || sign === null) return null;
  const given = sign.toLowerCase();
  let signature: ReturnType<typeof cryptomusSigner> | null = null;
  const fits = (key: string): boolean => {
    signature ??= cryptomusSigner(body);
    return isSameText(signature(key), given);
  };
  const key = await application.keyThatFits(merchantId, fits, admits);
  return key === null || isWebhook(body) ? null : key;
}

/**
 * Whether a body is a webhook of this service. Webhooks are signed like requests, so anyone who saw
 * one could send it back as a request of the merchant.
 */
function isWebhook(body: string): boolean {
  const read = objectOf(body);
  if (!read.ok) return false;
  const { type, uuid, is_final: isFinal } = read.value;
  return uuid !== undefined && isFinal !== undefined && (type === 'payment' || type === 'wallet');
}

async function paymentNamed(body: JsonObject, call: CompatCall, { provider }: Dialect, context: ApiContext) {
  const uuid = textOf(body.uuid);
  const orderId = textOf(body.order_id);
  // If both are given, order_id is used, as at Cryptomus.
  if (orderId !== null) return invoiceOfOrder(call, provider, orderId, context);
  if (uuid !== null) return invoiceOfExternalId(call, uuid, context);
  return err(fault('uuid', 'or order_id is required'));
}

async function staticWallet(
  body: JsonObject,
  { caller }: CompatCall,
  dialect: Dialect,
  context: ApiContext,
): CompatResult {
  const asset = assetAsked(body, dialect, context);
  if (!asset.ok) return asset;
  const userId = textOf(body.order_id);
  if (userId === null || userId.length > USER_ID_LENGTH_MAX)
    return err(fault('order_id', `is required, with at most ${USER_ID_LENGTH_MAX} characters`));
  const { family } = asset.value;
  if (!isPermanentFamily(family)) return err(fault('currency', 'has no static wallets'));
  const faults = new Faults();
  const url = absentIfEmpty(body.url_callback);
  const notifyUrl = webhookUrl(url === undefined ? undefined : String(url), 'url_callback', faults);
  const [first] = faults.list();
  if (first !== undefined) return err(fault(first.field, first.message));
  const input = { userId, family, notifyUrl, webhookFormat: dialect.provider, metadata: null };
  const made = await context.application.getPermanentAddress(caller, input);
  return made.ok ? replied(result(walletResult(made.value, asset.value, dialect, context))) : made;
}

async function payments(
  body: JsonObject,
  call: CompatCall,
  dialect: Dialect,
  context: ApiContext,
): CompatResult {
  const asked = pageAsked(body, call);
  if (!asked.ok) return asked;
  const { page, range } = asked.value;
  const { rows, total } = await context.application.queries.invoices(
    call.caller.scope,
    { ...range, status: null, asset: null, ids: null },
    NEWEST_FIRST,
    { page, perPage: PER_PAGE },
  );
  const items = rows.map((invoice) => paymentResult(invoice, dialect, context));
  return replied(result({ items, paginate: paginate(page, total) }));
}

async function payouts(
  body: JsonObject,
  call: CompatCall,
  dialect: Dialect,
  context: ApiContext,
): CompatResult {
  const asked = pageAsked(body, call);
  if (!asked.ok) return asked;
  const { page, range } = asked.value;
  const { rows, total } = await context.application.queries.payouts(
    call.caller.scope,
    { ...range, asset: null, ids: null },
    NEWEST_FIRST,
    { page, perPage: PER_PAGE },
  );
  const items = rows.map((payout) => payoutResult(payout, dialect, context));
  return replied(result({ items, paginate: paginate(page, total) }));
}

interface AskedPage {
  readonly page: number;
  readonly range: { from: Date | null; to: Date | null };
}

/** A cursor is the number of a page. */
function pageAsked(body: JsonObject, { query }: CompatCall): Result<AskedPage, AppError> {
  const cursor = query.get('cursor') ?? textOf(body.cursor) ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(cursor)) return err(fault('cursor', 'must be a cursor of a response'));
  const [from, to] = [dateOf(body.date_from), dateOf(body.date_to)];
  if (from === undefined) return err(fault('date_from', 'must be YYYY-MM-DD H:mm:ss'));
  if (to === undefined) return err(fault('date_to', 'must be YYYY-MM-DD H:mm:ss'));
  return ok({ page: Number(cursor), range: { from, to } });
}

/**
 * A time such as `2026-11-23 04:00:00` in UTC. Null if none is given, undefined if it is malformed.
 */
function dateOf(value: JsonObject[string] | undefined): Date | null | undefined {
  const text = textOf(value);
  if (text === null) return null;
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d))?$/.exec(text) ?? [];
  const date = new Date(`${day}T${time ?? '00:00:00'}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function paginate(page: number, total: number) {
  const pages = Math.ceil(total / PER_PAGE);
  return {
    count: total,
    hasPages: pages > 1,
    nextCursor: page < pages ? String(page + 1) : null,
    previousCursor: page > 1 ? String(page - 1) : null,
    perPage: PER_PAGE,
  };
}

/** The price of one coin in every fiat currency. */
function exchangeRates(
  currency: string,
  { application: { catalog, rates } }: ApiContext,
): Awaited<CompatResult> {
  const from = currency.toUpperCase();
  const asset = catalog.all.find(({ symbol, ticker }) =>
    [symbol.toUpperCase(), ticker.toUpperCase()].includes(from),
  );
  if (asset === undefined || isFiatCurrency(from)) return err(fault('currency', 'is not known'));
  const usable = rates.usable({ sandbox: false });
  const courses = FIAT_CURRENCIES.flatMap((to) => {
    const price = usable === null ? null : priceE18(usable, asset, to);
    return price === null ? [] : [{ from, to, course: formatUnits(price, RATE_DECIMALS) }];
  });
  if (courses.length > 0) return replied(result(courses));
  return err(ratesUnavailable());
}
