/** NOWPayments' API (/v1): payments, invoices, prices, balance and payouts. */

import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { appError } from '../../../../domain/errors.ts';
import { availableMicroUsd } from '../../../../domain/ledger.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import type { JsonObject } from '../../../../domain/money/json.ts';
import { err } from '../../../../domain/result.ts';
import { nowpaymentsCodes } from '../../../shared/providers/nowpayments.ts';
import type { ApiContext } from '../../kit/call.ts';
import { notFound } from '../../kit/errors.ts';
import { asId } from '../../kit/input/query.ts';
import { type CompatCall, type CompatResult, type RawRequest, replied, type Surface } from '../surface.ts';
import { createInvoice, fault, objectOf, posted, textOf } from '../use-cases.ts';
import { currency, invoiceAnswer, paymentAnswer, refused, withdrawal } from './answers.ts';
import { createPayouts, payout, verifyPayout } from './payouts.ts';
import { estimate, minAmount } from './prices.ts';
import { coinAsked, paymentAsked, sentElsewhere } from './requests.ts';
import { issueToken } from './token.ts';

const PREFIX = '/compat/nowpayments/v1';
const AUTH = '/auth';
/**
 * The most characters of a body with an e-mail address and a password. A longer one is not parsed,
 * since anyone may send it.
 */
const AUTH_LENGTH_MAX = 4_096;
const PER_PAGE = { fewest: 1, usual: 10, most: 100 };

type GetHandler = (call: CompatCall, context: ApiContext) => CompatResult;

const get = (path: string, handle: GetHandler) => ({ method: 'GET' as const, path, handle });

export const NOWPAYMENTS: Surface = {
  prefix: PREFIX,
  findKey,
  refused,
  routes: [
    { method: 'GET', path: '/status', answer: async () => replied({ message: 'OK' }) },
    posted(AUTH, async (body, { caller: { merchant }, now }) =>
      replied({ token: issueToken(String(body.password), merchant.id, now) }),
    ),
    get('/currencies', async (call, context) =>
      replied({ currencies: offered(call, context).map(nowpaymentsCodes.codeOf) }),
    ),
    get('/full-currencies', async (call, context) =>
      replied({ currencies: offered(call, context).map(currency) }),
    ),
    // The documentation has the first field. The provider's first clients read the second.
    get('/merchant/coins', async (call, context) => {
      const currencies = offered(call, context).map(nowpaymentsCodes.codeOf);
      return replied({ currencies, selectedCurrencies: currencies.map((code) => code.toUpperCase()) });
    }),
    get('/estimate', estimate),
    get('/min-amount', minAmount),
    get('/balance', async ({ caller: { scope } }, { application: { queries } }) => {
      const amount = exactNumber(availableMicroUsd(await queries.balance(scope)), FIAT_DECIMALS);
      return replied({ usd: { amount, pendingAmount: 0 } });
    }),
    posted('/payment', async (body, call, context) => {
      const asked = paymentAsked(body, 'payment', context);
      const made = asked.ok ? await createInvoice(call, asked.value, context) : asked;
      return made.ok ? replied(paymentAnswer(made.value, context), 201) : made;
    }),
    get('/payment', payments),
    get('/payment/:id', async ({ caller, params }, context) => {
      const id = asId(params.id ?? '');
      const found = id === null ? null : await context.application.queries.invoice(caller.scope, id);
      return found === null ? err(notFound('payment')) : replied(paymentAnswer(found, context));
    }),
    posted('/invoice', async (body, call, context) => {
      const asked = paymentAsked(body, 'invoice', context);
      const made = asked.ok ? await createInvoice(call, asked.value, context) : asked;
      return made.ok ? replied(invoiceAnswer(made.value, context)) : made;
    }),
    posted('/invoice-payment', invoicePayment),
    posted('/payout', createPayouts),
    get('/payout', payouts),
    get('/payout/:id', payout),
    posted('/payout/:id/verify', (_, call, context) => verifyPayout(call, context)),
  ],
};

/** `x-api-key`. In POST /auth the password is the API key. */
function findKey({ headers, url, body }: RawRequest): string | null {
  if (!new URL(url).pathname.startsWith(PREFIX + AUTH)) return headers.get('x-api-key');
  if (body.length > AUTH_LENGTH_MAX) return null;
  const given = objectOf(body);
  return given.ok ? textOf(given.value.password) : null;
}

function offered({ caller: { scope } }: CompatCall, { application }: ApiContext) {
  return application.catalog.all.filter((asset) => application.isOffered(asset, scope.sandbox));
}

/** Chooses the coin of an invoice without one. */
async function invoicePayment(body: JsonObject, { caller }: CompatCall, context: ApiContext): CompatResult {
  const { application } = context;
  const id = asId(textOf(body.iid) ?? '');
  const found = id === null ? null : await application.queries.invoice(caller.scope, id);
  if (found === null) return err(notFound('invoice'));
  const elsewhere = sentElsewhere(body);
  if (elsewhere !== null) return err(elsewhere);
  const code = textOf(body.pay_currency);
  const coin =
    code === null ? err(fault('pay_currency', 'is required')) : coinAsked(code, 'pay_currency', context);
  if (!coin.ok) return coin;
  const chosen = await application.chooseCurrency(found.externalId, coin.value);
  return chosen.ok ? replied(paymentAnswer(chosen.value, context), 201) : chosen;
}

/** Pages count from 0. */
function pageOf({ query }: CompatCall): { page: number; perPage: number } | null {
  const [limit, page] = [query.get('limit') ?? String(PER_PAGE.usual), query.get('page') ?? '0'];
  if (!/^\d{1,3}$/.test(limit) || !/^\d{1,8}$/.test(page)) return null;
  const perPage = Math.min(Math.max(Number(limit), PER_PAGE.fewest), PER_PAGE.most);
  return { page: Number(page) + 1, perPage };
}

const WRONG_PAGE = appError('VALIDATION_ERROR', 'limit and page must be whole numbers.', []);

async function payments(call: CompatCall, context: ApiContext): CompatResult {
  const asked = pageOf(call);
  if (asked === null) return err(WRONG_PAGE);
  const { rows, total } = await context.application.queries.invoices(
    call.caller.scope,
    { status: null, asset: null, ids: null, from: null, to: null },
    { by: 'created_at', order: call.query.get('orderBy') === 'asc' ? 'asc' : 'desc' },
    asked,
  );
  return replied({
    data: rows.map((invoice) => paymentAnswer(invoice, context)),
    limit: asked.perPage,
    page: asked.page - 1,
    pagesCount: Math.ceil(total / asked.perPage),
    total,
  });
}

async function payouts(call: CompatCall, context: ApiContext): CompatResult {
  const asked = pageOf(call);
  if (asked === null) return err(WRONG_PAGE);
  const { rows } = await context.application.queries.payouts(
    call.caller.scope,
    { asset: null, ids: null, from: null, to: null },
    { by: 'created_at', order: 'desc' },
    asked,
  );
  return replied({ payouts: rows.map((each) => withdrawal(each, context)) });
}
