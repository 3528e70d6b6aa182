/** Ways to break the books of `bookedInFull`, one for each law of what is stored, and the law. */
import { deposits } from '../../../src/adapters/postgres/schema/addresses.ts';
import { invoices } from '../../../src/adapters/postgres/schema/invoices.ts';
import { ledgerEntries } from '../../../src/adapters/postgres/schema/ledger.ts';
import { balances } from '../../../src/adapters/postgres/schema/merchants.ts';
import { webhookDeliveries, webhookQueue } from '../../../src/adapters/postgres/schema/webhooks.ts';
import { type Damage, feesChangedBy, is } from './raw-rows.ts';

const ofDeposit =
  ({ id }: { readonly id: string }, wanted: string) =>
  ({ depositId, kind }: { readonly depositId: string | null; readonly kind: string }) =>
    depositId === id && kind === wanted;

export const LAW_DAMAGES: readonly Damage[] = [
  [
    'a posting that was changed',
    feesChangedBy(1n),
    ['the postings of an entry sum to zero in every currency'],
  ],
  [
    'a fee that is not the rest of what was received',
    (raw, { credited }) =>
      raw.change(ledgerEntries, ofDeposit(credited, 'income'), { feedFeeUnits: 100_001n }),
    ['credited + fee = received, for every deposit'],
  ],
  [
    'a credit that was taken back and was not given',
    (raw, { held }) => raw.change(ledgerEntries, ofDeposit(held, 'hold'), { kind: 'income_reversed' }),
    ['no deposit is credited twice'],
  ],
  [
    'a credit without its deposit',
    (raw, { credited }) => raw.change(ledgerEntries, ofDeposit(credited, 'income'), { depositId: null }),
    ['a deposit is credited exactly when an income entry stands for it'],
  ],
  [
    'a balance that was raised',
    (raw) =>
      raw.change(
        balances,
        ({ sandbox }) => sandbox,
        ({ incomeMicroUsd }) => ({ incomeMicroUsd: incomeMicroUsd + 1n }),
      ),
    ['balance = income - payouts - refunds, by the postings and by the feed'],
  ],
  [
    'a line of the feed that says another amount',
    (raw, { settled }) =>
      raw.change(ledgerEntries, ({ feedReferenceId }) => feedReferenceId === settled.id, {
        feedMicroUsd: 1n,
      }),
    ['balance = income - payouts - refunds, by the postings and by the feed'],
  ],
  [
    'an invoice with more money than its deposits',
    (raw, { invoice }) => raw.change(invoices, is(invoice), { creditedUnits: 10_100_001n }),
    ['an invoice received what its deposits say'],
  ],
  [
    'an invoice that was paid in another asset',
    (raw, { invoice }) => raw.change(invoices, is(invoice), { asset: 'usdc_ethereum' }),
    ['what an invoice was paid is in its asset'],
  ],
  [
    'money that nobody waits for',
    (raw, { stray }) => raw.change(deposits, is(stray), ({ units }) => ({ units: units + 1n })),
    ['the suspense account owes what waits for its credit'],
  ],
  [
    'a webhook of a version that never was',
    async (raw, { invoice }) => {
      const [first] = (await raw.rows(webhookDeliveries)).filter(({ invoiceId }) => invoiceId === invoice.id);
      await raw.change(webhookDeliveries, is(first!), { invoiceVersion: invoice.version + 1 });
    },
    ['at most one webhook for each version of an invoice, and none for a version it never had'],
  ],
  [
    'a last status that nobody was told of',
    (raw, { invoice }) => raw.change(invoices, is(invoice), ({ version }) => ({ version: version + 1 })),
    ['the last status that merchants are told of was told'],
  ],
  [
    'a delivery that left the queue and was not taken',
    (raw) => raw.remove(webhookQueue, () => true),
    ['a delivery leaves the queue only when its receiver took it'],
  ],
];
