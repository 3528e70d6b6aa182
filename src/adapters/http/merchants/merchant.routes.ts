/** /api/v2/balance and /api/v2/ledger. */
import { Type } from '@sinclair/typebox';
import { unixSeconds } from '../../../app/invoices/present-invoice.ts';
import type { AssetCatalog } from '../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { availableMicroUsd } from '../../../domain/ledger.ts';
import { exactNumber } from '../../../domain/money/exact-number.ts';
import { ok } from '../../../domain/result.ts';
import type { LedgerLine } from '../../../ports/list-queries.ts';
import { answer, listed } from '../kit/answer.ts';
import { CSV, shown } from '../kit/documents/csv.ts';
import { DATES, PAGE, pageOf, rangeOf } from '../kit/input/list-query.ts';
import { choice } from '../kit/input/query.ts';
import { boolean, id, nullable, number, oneOf, string, unixTime, view } from '../kit/input/views.ts';
import { route } from '../kit/route.ts';

const tag = 'Merchant';

const BalanceSchema = view('Balance', {
  available: number('total_income - total_payouts - refunds, in USD'),
  total_income: number('USD'),
  total_payouts: number('USD. Includes pending payouts, and excludes failed ones'),
});

const WASTED_FEE = Type.Optional(
  boolean('True if the amount is the network fee of a transaction without effect. Absent otherwise'),
);

const LedgerEntrySchema = {
  ...Type.Union([
    view('IncomeEntry', {
      type: oneOf(['income']),
      amount: number('Credited, in `asset`'),
      asset: string(),
      fee: nullable(number('Commission, in `asset`')),
      currency: nullable(string('Fiat currency of the invoice')),
      reference_id: id('Invoice id'),
      created_at: unixTime(),
    }),
    view('PayoutEntry', {
      type: oneOf(['payout']),
      amount: number('In `asset`'),
      asset: string(),
      status: nullable(string()),
      reference_id: id('Payout id'),
      created_at: unixTime(),
      network_fee: WASTED_FEE,
    }),
    view('RefundEntry', {
      type: oneOf(['refund']),
      amount: number('In `asset`'),
      asset: string(),
      status: nullable(string()),
      reference_id: id('Invoice id'),
      ordered_by: nullable(string('The operator who ordered the refund. Null in the sandbox')),
      created_at: unixTime(),
      network_fee: WASTED_FEE,
    }),
  ]),
  $id: 'LedgerEntry',
};

/**
 * Specification, "Ledger entry": each type has its own fields. Decision 0007 has those of refunds.
 */
function presentLine(line: LedgerLine, catalog: AssetCatalog) {
  const { decimals } = catalog.require(line.asset);
  const common = {
    type: line.type,
    amount: exactNumber(line.amountUnits, decimals),
    asset: line.asset,
    reference_id: line.referenceId,
    created_at: unixSeconds(line.createdAt),
  };
  const wasted = line.isWastedFee ? { network_fee: true } : {};
  if (line.type === 'payout') return { ...common, status: line.status, ...wasted };
  if (line.type === 'refund')
    return { ...common, status: line.status, ordered_by: line.orderedBy, ...wasted };
  const fee = line.feeUnits === null ? null : exactNumber(line.feeUnits, decimals);
  return { ...common, currency: line.currency, fee };
}

/** The columns of all types. Each type has some of them. */
const LEDGER_COLUMNS = [
  ...['type', 'amount', 'asset', 'fee', 'currency', 'status', 'reference_id', 'ordered_by', 'network_fee'],
  'created_at',
];

const balance = route({
  operationId: 'getBalance',
  method: 'GET',
  path: '/api/v2/balance',
  tag,
  summary: 'Read the balance',
  description:
    'Returns the balance in USD. Deposits are valued when they are credited, payouts when they are accepted.',
  success: {
    status: 200,
    description: 'The balance',
    result: BalanceSchema,
    examples: { Balance: { available: 1180.5, total_income: 1500, total_payouts: 319.5 } },
  },
  async handle({ caller }, { application }) {
    const summary = await application.queries.balance(caller.scope);
    const usd = (micros: bigint) => exactNumber(micros, FIAT_DECIMALS);
    return ok(
      answer({
        available: usd(availableMicroUsd(summary)),
        total_income: usd(summary.incomeMicroUsd),
        total_payouts: usd(summary.payoutsMicroUsd),
      }),
    );
  },
});

const ledger = route({
  operationId: 'listLedger',
  method: 'GET',
  path: '/api/v2/ledger',
  tag,
  summary: 'Read the ledger',
  description: 'Returns income, payouts and refunds, newest first. A reversed entry has a negative amount.',
  query: {
    ...PAGE,
    ...DATES,
    ...CSV,
    type: choice('Only entries of this type.', ['income', 'payout', 'refund']),
  },
  success: {
    status: 200,
    description: 'A page of entries',
    result: Type.Array(LedgerEntrySchema),
    list: 'pages',
    examples: {
      'Income and payout': [
        {
          type: 'payout',
          amount: 12.5,
          asset: 'usdt_ethereum',
          status: 'pending',
          reference_id: '0190f3a1b2c30a1b2c3d4e60',
          created_at: 1_767_229_200,
        },
        {
          type: 'income',
          amount: 25,
          asset: 'usdt_tron',
          fee: 0.25,
          currency: 'USD',
          reference_id: '0190f3a1b2c30a1b2c3d4e5f',
          created_at: 1_767_225_600,
        },
      ],
    },
  },
  csv: {
    name: 'ledger',
    columns: LEDGER_COLUMNS,
    rows({ caller, query }, { application: { queries, catalog } }) {
      const lines = queries.every.ledger(caller.scope, { ...rangeOf(query), type: query.type });
      return ok(shown(lines, (line) => presentLine(line, catalog)));
    },
  },
  async handle({ caller, query }, { application }) {
    const page = pageOf(query);
    const filter = { ...rangeOf(query), type: query.type };
    const { rows, total } = await application.queries.ledger(caller.scope, filter, page);
    return ok(
      listed(
        rows.map((line) => presentLine(line, application.catalog)),
        page,
        total,
      ),
    );
  },
});

export const MERCHANT_ROUTES = [balance, ledger];
