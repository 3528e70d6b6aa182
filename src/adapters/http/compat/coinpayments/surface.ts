/** CoinPayments' old API: one path, a form, and a command in it. */
import { isPermanentFamily } from '../../../../domain/catalog/family.ts';
import { type AppError, ratesUnavailable } from '../../../../domain/errors.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { availableMicroUsd } from '../../../../domain/ledger.ts';
import { err, ok, type Result } from '../../../../domain/result.ts';
import { coinpaymentsSign } from '../../../shared/providers/coinpayments.ts';
import type { ApiContext } from '../../kit/call.ts';
import { notFound } from '../../kit/errors.ts';
import { isStorableText, UNSTORABLE_TEXT } from '../../kit/input/exact-json.ts';
import { webhookUrl } from '../../kit/input/fields.ts';
import { asId } from '../../kit/input/query.ts';
import { charactersIn } from '../../kit/input/schema.ts';
import { Faults } from '../../kit/input/validate.ts';
import { isSameText } from '../compat-pipeline.ts';
import {
  type CompatCall,
  type CompatResult,
  notSupported,
  type RawRequest,
  refusalOf,
  replied,
  type Surface,
} from '../surface.ts';
import { createInvoice, createPayout, fault } from '../use-cases.ts';
import {
  balancesResult,
  basicInfo,
  ratesResult,
  refused,
  result,
  transactionInfo,
  transactionResult,
  withdrawalInfo,
  withdrawalResult,
} from './answers.ts';
import { coinAsked, type Form, formOf, massOf, transactionAsked, withdrawalAsked } from './requests.ts';

/** The most ids of one request, as in the provider's API. */
const TRANSACTIONS_MOST = 25;
const WITHDRAWALS_MOST = 100;
const LIST = { usual: 25, most: 100 };
const LABEL_LENGTH_MAX = 128;
/** NUL as a form encodes it. */
const NUL = '%00';

export const COINPAYMENTS: Surface = {
  prefix: '/compat/coinpayments/v1',
  findKey,
  refused,
  routes: [
    {
      method: 'POST',
      path: '/api.php',
      async handle(call, context) {
        if (call.body.includes(NUL) || !isStorableText(call.body)) return err(fault('body', UNSTORABLE_TEXT));
        const form = formOf(call.body);
        const command = COMMANDS.get(form.cmd ?? '');
        if (command !== undefined) return command(form, call, context);
        return err(form.cmd === undefined ? fault('cmd', 'is required') : notSupported(form.cmd));
      },
    },
  ],
};

type CoinpaymentsCommand = (form: Form, call: CompatCall, context: ApiContext) => CompatResult;

const COMMANDS: ReadonlyMap<string, CoinpaymentsCommand> = new Map<string, CoinpaymentsCommand>([
  [
    'create_transaction',
    async (form, call, context) => {
      const asked = transactionAsked(form, context);
      const made = asked.ok ? await createInvoice(call, asked.value, context) : asked;
      return made.ok ? replied(result(transactionResult(made.value, context))) : made;
    },
  ],
  [
    'get_tx_info',
    async (form, call, context) => {
      const found = await transaction(form.txid, call, context);
      return found.ok ? replied(result(transactionInfo(found.value, context))) : found;
    },
  ],
  ['get_tx_info_multi', transactions],
  ['get_tx_ids', transactionIds],
  ['get_callback_address', callbackAddress],
  [
    'rates',
    async (_, { caller: { scope } }, context) => {
      const rates = context.application.rates.usable(scope);
      const told = rates === null ? null : ratesResult(rates, scope.sandbox, context);
      if (told !== null) return replied(result(told));
      return err(ratesUnavailable());
    },
  ],
  [
    'balances',
    async (_, { caller: { scope } }, { application: { queries } }) =>
      replied(result(balancesResult(availableMicroUsd(await queries.balance(scope))))),
  ],
  ['get_basic_info', async (_, { caller }) => replied(result(basicInfo(caller.merchant)))],
  [
    'create_withdrawal',
    async (form, call, context) => {
      const asked = withdrawalAsked(form, requestOf(call, ''), context);
      const made = asked.ok ? await createPayout(call, asked.value, context) : asked;
      return made.ok ? replied(result(withdrawalResult(made.value, context))) : made;
    },
  ],
  ['create_mass_withdrawal', massWithdrawal],
  [
    'get_withdrawal_info',
    async ({ id: given }, { caller: { scope } }, context) => {
      const id = asId(given ?? '');
      const found = id === null ? null : await context.application.queries.payout(scope, id);
      return found === null ? err(notFound('withdrawal')) : replied(result(withdrawalInfo(found, context)));
    },
  ],
]);

/**
 * `key` is the API key, which is also the private key of `HMAC`. The form is not parsed yet:
 * parsing a large form is expensive, and anyone may send one.
 */
function findKey({ headers, body }: RawRequest): string | null {
  const [, key] = /(?:^|&)key=([^&]*)/.exec(body) ?? [];
  const given = headers.get('hmac');
  if (key === undefined || given === null) return null;
  return isSameText(coinpaymentsSign(body, key), given.toLowerCase()) ? key : null;
}

async function transaction(
  txid: string | undefined,
  { caller: { scope } }: CompatCall,
  { application: { queries } }: ApiContext,
): Promise<Result<Invoice, AppError>> {
  const id = asId(txid ?? '');
  const found = id === null ? null : await queries.invoice(scope, id);
  return found === null ? err(notFound('transaction')) : ok(found);
}

async function transactions({ txid = '' }: Form, call: CompatCall, context: ApiContext): CompatResult {
  const ids = txid.split('|');
  if (ids.length > TRANSACTIONS_MOST) return err(fault('txid', `must be at most ${TRANSACTIONS_MOST} ids`));
  const found = await Promise.all(ids.map((id) => transaction(id, call, context)));
  const told = found.map((each) =>
    each.ok ? { error: 'ok', ...transactionInfo(each.value, context) } : { error: each.error.message },
  );
  return replied(result(Object.fromEntries(ids.map((id, index) => [id, told[index]]))));
}

/**
 * Newest first, created at the Unix second `newer` or later. `start` counts in whole pages of
 * `limit`.
 */
async function transactionIds(form: Form, { caller }: CompatCall, { application }: ApiContext): CompatResult {
  const { limit = String(LIST.usual), start = '0', newer } = form;
  if (
    !/^\d{1,6}$/.test(limit) ||
    !/^\d{1,8}$/.test(start) ||
    limit === '0' ||
    !/^\d{1,10}$/.test(newer ?? '0')
  )
    return err(fault('limit', 'start and newer must be whole numbers'));
  const perPage = Math.min(Number(limit), LIST.most);
  const from = newer === undefined ? null : new Date(Number(newer) * 1000);
  const { rows } = await application.queries.invoices(
    caller.scope,
    { status: null, asset: null, ids: null, from, to: null },
    { by: 'created_at', order: 'desc' },
    { page: Math.floor(Number(start) / perPage) + 1, perPage },
  );
  return replied(result(rows.map(({ id }) => id)));
}

/** The permanent address of the label. Without a label each request gets a new address. */
async function callbackAddress(form: Form, call: CompatCall, context: ApiContext): CompatResult {
  const { application } = context;
  const asset = coinAsked(form.currency, 'currency', context);
  if (!asset.ok) return asset;
  const { family } = asset.value;
  if (!isPermanentFamily(family)) return err(fault('currency', 'has no callback addresses'));
  const faults = new Faults();
  const notifyUrl = webhookUrl(form.ipn_url, 'ipn_url', faults);
  const [first] = faults.list();
  if (first !== undefined) return err(fault(first.field, first.message));
  const userId = form.label ?? `callback-${call.uuid}`;
  // A label that is cut could be that of another user.
  if (charactersIn(userId) > LABEL_LENGTH_MAX)
    return err(fault('label', `must have at most ${LABEL_LENGTH_MAX} characters`));
  const input = { userId, family, notifyUrl, webhookFormat: 'coinpayments' as const, metadata: null };
  const made = await application.getPermanentAddress(call.caller, input);
  if (!made.ok) return made;
  const parts = application.partsOf(family, made.value.address);
  return replied(
    result({
      address: parts?.account ?? made.value.address,
      ...(parts === null || parts.tag === null ? {} : { dest_tag: String(parts.tag) }),
    }),
  );
}

/** Makes a payout of each withdrawal, and reports each under its name. */
async function massWithdrawal(form: Form, call: CompatCall, context: ApiContext): CompatResult {
  const closed = call.payoutGate();
  if (closed !== null) return err(closed);
  const mass = massOf(form);
  if (!mass.ok) return mass;
  const all = mass.value;
  if (all.size === 0 || all.size > WITHDRAWALS_MOST)
    return err(fault('wd', `must hold 1 to ${WITHDRAWALS_MOST} withdrawals`));
  const told: [string, unknown][] = [];
  for (const [name, each] of all) {
    const asked = withdrawalAsked(each, requestOf(call, name), context);
    const made = asked.ok ? await createPayout(call, asked.value, context) : asked;
    told.push([
      name,
      made.ok
        ? { error: 'ok', ...withdrawalResult(made.value, context) }
        : { error: refusalOf(made.error).message },
    ]);
  }
  return replied(result(Object.fromEntries(told)));
}

/** Identifies a withdrawal, which has no id, by its whole request and its name in it. */
function requestOf({ body }: CompatCall, name: string): string {
  return coinpaymentsSign(body, name);
}
