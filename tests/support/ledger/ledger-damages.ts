/** Damages to the ledger, to what came in, and to the numbers of lists. */
import { deposits } from '../../../src/adapters/postgres/schema/addresses.ts';
import { invoices } from '../../../src/adapters/postgres/schema/invoices.ts';
import { ledgerEntries } from '../../../src/adapters/postgres/schema/ledger.ts';
import { balances, counters } from '../../../src/adapters/postgres/schema/merchants.ts';
import { payouts } from '../../../src/adapters/postgres/schema/payouts.ts';
import { type Damage, entryOf, feesChangedBy, is, type RawRows, SUMS, withoutPostings } from './raw-rows.ts';

const raiseCounter = (raw: RawRows, stream: string): Promise<void> =>
  raw.change(
    counters,
    (row) => row.stream === stream && !row.sandbox,
    ({ value }) => ({ value: value + 1n }),
  );

export const LEDGER_DAMAGES: readonly Damage[] = [
  ['a posting that was changed', feesChangedBy(1n), ['ledger entry balances', SUMS]],
  ['a posting that was lowered', feesChangedBy(-1n), ['ledger entry balances', SUMS]],
  [
    'an entry whose postings are gone',
    (raw, { failed }) => withoutPostings(raw, entryOf(failed, 'payout_released')),
    ['ledger entry has postings', 'balance equals the postings to the merchant', SUMS],
  ],
  [
    'a balance that was raised',
    (raw) =>
      raw.change(
        balances,
        ({ sandbox }) => !sandbox,
        ({ incomeMicroUsd }) => ({ incomeMicroUsd: incomeMicroUsd + 1n }),
      ),
    ['balance equals the postings to the merchant'],
  ],
  [
    'an invoice with more money than its deposits',
    (raw, { invoice }) =>
      raw.change(invoices, is(invoice), ({ creditedUnits }) => ({ creditedUnits: creditedUnits - 1n })),
    ['invoice funds equal its deposits', 'invoice status follows its funds'],
  ],
  [
    'an invoice that was accepted with more than it has',
    (raw, { invoice }) =>
      raw.change(invoices, is(invoice), ({ dueUnits, baseUnits, creditedUnits }) => ({
        dueUnits: (dueUnits ?? 0n) * 2n,
        baseUnits: (baseUnits ?? 0n) * 2n,
        acceptedUnits: creditedUnits + 1n,
      })),
    ['invoice status follows its funds'],
  ],
  [
    'an invoice whose status its money does not support',
    (raw, { invoice }) => raw.change(invoices, is(invoice), { status: 'paid_over' }),
    ['invoice status follows its funds'],
  ],
  [
    'a deposit that was called credited without its entry',
    (raw, { stray }) => raw.change(deposits, is(stray), { status: 'credited' }),
    ['deposit has its entries'],
  ],
  [
    'a deposit that left and whose entries still stand',
    (raw, { stray }) =>
      raw.change(deposits, is(stray), { status: 'reversed', blockHeight: null, blockHash: null }),
    ['entry has its deposit', 'treasury holds what arrived and was not paid out'],
  ],
  [
    'a credit without any deposit',
    (raw, { credited }) =>
      raw.change(ledgerEntries, ({ depositId, kind }) => depositId === credited.id && kind === 'income', {
        depositId: null,
      }),
    ['deposit has its entries', 'entry has its deposit'],
  ],
  [
    'a deposit whose amount was changed',
    (raw, { stray }) => raw.change(deposits, is(stray), ({ units }) => ({ units: units + 1n })),
    ['entry posts the units of its deposit', 'treasury holds what arrived and was not paid out'],
  ],
  [
    'money of the treasury that is called capital',
    (raw, { stray }) =>
      raw.change(ledgerEntries, ({ depositId }) => depositId === stray.id, {
        kind: 'capital',
        merchantId: null,
      }),
    [
      'capital is what was booked',
      'deposit has its entries',
      'treasury holds what arrived and was not paid out',
    ],
  ],
];

export const NUMBERING_DAMAGES: readonly Damage[] = [
  [
    'a hole in a list',
    (raw) => raw.change(invoices, ({ seq }) => seq === 2n, { seq: 7n }),
    ['invoices are numbered without gaps'],
  ],
  [
    'a list whose times run backwards',
    (raw) =>
      raw.change(
        payouts,
        ({ seq }) => seq === 2n,
        ({ createdAt }) => ({ createdAt: new Date(createdAt.getTime() - 86_400_000) }),
      ),
    ['payouts are numbered without gaps'],
  ],
  [
    'a feed that lost an entry',
    (raw) => raiseCounter(raw, 'ledger'),
    ['the ledger feed is numbered without gaps'],
  ],
  ['an event that is gone', (raw) => raiseCounter(raw, 'events'), ['events are numbered without gaps']],
  [
    'an attempt that is gone',
    (raw) => raiseCounter(raw, 'notifications'),
    ['attempts are numbered without gaps'],
  ],
];
