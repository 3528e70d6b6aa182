/**
 * CoinPayments' current API: invoices of merchants, their payments, currencies and rates. Its two
 * versions differ in the form of amounts.
 */
import { chainNamed } from '../../../../domain/catalog/chain.ts';
import { FIAT_CURRENCIES } from '../../../../domain/catalog/fiat.ts';
import { ratesUnavailable } from '../../../../domain/errors.ts';
import { err } from '../../../../domain/result.ts';
import {
  assetOfCoinpaymentsV2,
  coinpaymentsV2CurrencyId,
  coinpaymentsV2Sign,
  fiatOfCoinpaymentsV2,
} from '../../../shared/providers/coinpayments-v2.ts';
import type { ApiContext } from '../../kit/call.ts';
import { notFound } from '../../kit/errors.ts';
import { asId } from '../../kit/input/query.ts';
import { isSameText } from '../compat-pipeline.ts';
import {
  type CompatCall,
  type CompatResult,
  type CompatRoute,
  type OpenCompatRoute,
  type RawRequest,
  replied,
  type Surface,
} from '../surface.ts';
import { createInvoice, fault, invoiceOfExternalId, objectOf } from '../use-cases.ts';
import {
  createdInvoice,
  currency,
  fiatCurrency,
  invoiceAnswer,
  paymentOf,
  paymentStatus,
  rates,
  refused,
} from './answers.ts';
import { currencyAsked, invoiceAsked } from './requests.ts';

/** The most that a signature's time may differ from the server's clock. */
const SKEW_MS = 300_000;
const PER_PAGE = { usual: 25, most: 100 };

export const COINPAYMENTS_V2: Surface = {
  prefix: '/compat/coinpayments',
  findKey,
  refused,
  routes: ['/api/v1', '/api/v2'].flatMap(routesOf),
};

function routesOf(version: string): readonly (CompatRoute | OpenCompatRoute)[] {
  const invoices = `${version}/merchant/invoices`;
  const currencies = `${version}/invoices/:id/payment-currencies/:currency`;
  return [
    { method: 'POST', path: invoices, handle: create },
    { method: 'GET', path: invoices, handle: list },
    {
      method: 'GET',
      path: `${invoices}/:id`,
      async handle(call, context) {
        const found = await invoiceOfExternalId(call, call.params.id ?? '', context);
        return found.ok ? replied(invoiceAnswer(found.value, context)) : found;
      },
    },
    { method: 'POST', path: `${invoices}/:id/cancel`, handle: cancel },
    { method: 'GET', path: currencies, answer: choose },
    {
      method: 'GET',
      path: `${currencies}/status`,
      answer: async ({ params }, context) => {
        const found = await context.application.queries.invoiceByExternalId(params.id ?? '');
        if (found === null) return err(notFound('invoice'));
        if (found.price === null) return err(fault('currency', 'is not chosen yet'));
        return replied(paymentStatus(found, context));
      },
    },
    {
      method: 'GET',
      path: `${version}/currencies`,
      answer: async ({ query }, context) => {
        const wanted = query.get('q')?.toUpperCase();
        const all = [...offered(context).map(currency), ...FIAT_CURRENCIES.map(fiatCurrency)];
        return replied(
          wanted === undefined ? all : all.filter(({ symbol }) => symbol.toUpperCase() === wanted),
        );
      },
    },
    {
      method: 'GET',
      path: `${version}/currencies/:currency`,
      answer: async ({ params }, context) => {
        const id = params.currency ?? '';
        const fiat = fiatOfCoinpaymentsV2(FIAT_CURRENCIES, id);
        if (fiat !== null) return replied(fiatCurrency(fiat));
        const asset = assetOfCoinpaymentsV2(context.application.catalog, id);
        const isOffered = asset !== null && context.application.isOffered(asset, false);
        return isOffered ? replied(currency(asset)) : err(notFound('currency'));
      },
    },
    {
      method: 'GET',
      path: `${version}/currencies/required-confirmations`,
      answer: async (_, context) =>
        replied(
          offered(context).map((asset) => ({
            currencyId: coinpaymentsV2CurrencyId(asset),
            confirmationsCount: chainNamed(asset.chain).confirmations,
          })),
        ),
    },
    {
      method: 'GET',
      path: `${version}/rates`,
      answer: async ({ query }, context) => ratesAnswer(query, context),
    },
  ];
}

/**
 * The client id is the merchant id or the API key. The API key is the secret. The signature covers
 * the URL that the client called.
 */
function findKey(
  { method, headers, url, publicUrl, body, now }: RawRequest,
  application: Parameters<Surface['findKey']>[1],
  admits: () => boolean,
): ReturnType<Surface['findKey']> {
  const client = headers.get('x-coinpayments-client');
  const timestamp = headers.get('x-coinpayments-timestamp') ?? '';
  const given = headers.get('x-coinpayments-signature');
  if (client === null || given === null) return null;
  const at = Date.parse(timestamp.endsWith('Z') ? timestamp : `${timestamp}Z`);
  if (!(Math.abs(at - now.getTime()) <= SKEW_MS)) return null;
  const fits = (key: string) =>
    [publicUrl, url].some((each) =>
      isSameText(coinpaymentsV2Sign({ method, url: each, client, timestamp, body }, key), given),
    );
  const merchantId = asId(client);
  if (merchantId === null) return fits(client) ? client : null;
  return application.keyThatFits(merchantId, fits, admits);
}

async function create(call: CompatCall, context: ApiContext): CompatResult {
  const body = objectOf(call.body);
  const asked = body.ok ? invoiceAsked(body.value, context) : body;
  const made = asked.ok ? await createInvoice(call, asked.value, context) : asked;
  return made.ok ? replied({ invoices: [createdInvoice(made.value, context)] }, 201) : made;
}

async function list({ caller, query }: CompatCall, context: ApiContext): CompatResult {
  const [page, limit] = [
    query.get('page') ?? '1',
    query.get('pageSize') ?? query.get('limit') ?? String(PER_PAGE.usual),
  ];
  if (!/^[1-9]\d{0,7}$/.test(page) || !/^[1-9]\d{0,2}$/.test(limit))
    return err(fault('page', 'and pageSize must be whole numbers above zero'));
  const perPage = Math.min(Number(limit), PER_PAGE.most);
  const { rows, total } = await context.application.queries.invoices(
    caller.scope,
    { status: null, asset: null, ids: null, from: null, to: null },
    { by: 'created_at', order: 'desc' },
    { page: Number(page), perPage },
  );
  const items = rows.map((invoice) => invoiceAnswer(invoice, context));
  return replied({ paging: { page: Number(page), pageSize: perPage, total }, items });
}

async function cancel(call: CompatCall, context: ApiContext): CompatResult {
  const found = await invoiceOfExternalId(call, call.params.id ?? '', context);
  const ended = found.ok ? await context.application.cancelInvoice(call.caller, found.value.id) : found;
  return ended.ok ? replied(invoiceAnswer(ended.value, context)) : ended;
}

/**
 * Chooses the currency of an invoice, as the same request does at CoinPayments. It needs no key:
 * customers with the public id of an invoice have the same choice on its checkout.
 */
async function choose(
  { params }: Parameters<OpenCompatRoute['answer']>[0],
  context: ApiContext,
): CompatResult {
  const asset = currencyAsked(params.currency ?? '', 'currency', context);
  if (!asset.ok) return asset;
  const chosen = await context.application.chooseCurrency(params.id ?? '', asset.value);
  return chosen.ok ? replied(paymentOf(chosen.value, context)) : chosen;
}

function offered({ application }: ApiContext) {
  return application.catalog.all.filter((asset) => application.isOffered(asset, false));
}

/** `from`: coins. `to`: fiat currencies. Both are ids separated by commas, and default to all. */
function ratesAnswer(query: URLSearchParams, context: ApiContext): Awaited<CompatResult> {
  const usable = context.application.rates.usable({ sandbox: false });
  if (usable === null) return err(ratesUnavailable());
  const among = (name: string) => {
    const ids = query.get(name)?.toLowerCase().split(',');
    const wanted = new Set(ids);
    return (id: string) => ids === undefined || wanted.has(id.toLowerCase());
  };
  const isFrom = among('from');
  const assets = offered(context).filter((asset) => isFrom(coinpaymentsV2CurrencyId(asset)));
  return replied({ items: rates(usable, assets, among('to')) });
}
