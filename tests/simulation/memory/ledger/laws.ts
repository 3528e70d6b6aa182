/**
 * The laws of tests/support/ledger/ledger-laws.ts, asked of the tables in memory: the same names
 * and the same answers. They are asked often, so each is one pass. Sums of days are not kept in
 * memory but computed when they are read (console/merchant-figures.ts): their laws have nothing to
 * hold here.
 */
import type { deposits as depositSchema } from '../../../../src/adapters/postgres/schema/addresses.ts';
import { isDelivered } from '../../../../src/domain/invoices/invoice.ts';
import { availableMicroUsd } from '../../../../src/domain/ledger.ts';
import { addTo, type BooksRead, type Entry, sumsByEntry } from './posted.ts';

export type Law = (books: BooksRead) => Iterable<object>;

const isIncome = ({ kind, reversedBy }: Entry): boolean => kind === 'income' && reversedBy === null;
const isGone = ({ status }: Pick<typeof depositSchema.$inferSelect, 'status'>): boolean =>
  status === 'dropped' || status === 'reversed';

export const MEMORY_LAWS: Readonly<Record<string, Law>> = {
  *'the postings of an entry sum to zero in every currency'({ tables }) {
    for (const [entry_id, byCurrency] of sumsByEntry(tables))
      for (const [currency, sum] of byCurrency)
        if (sum !== 0n) yield { entry_id, currency, sum: String(sum) };
  },

  *'credited + fee = received, for every deposit'({ tables }) {
    for (const entry of tables.ledgerEntries.all()) {
      const { depositId, feedAmountUnits: credited, feedFeeUnits: fee } = entry;
      if (depositId === null || credited === null || fee === null || !isIncome(entry)) continue;
      const deposit = tables.deposits.find(depositId);
      if (deposit !== undefined && credited + fee !== deposit.units)
        yield { id: deposit.id, units: String(deposit.units), credited: String(credited), fee: String(fee) };
    }
  },

  *'no deposit is credited twice'({ tables }) {
    const standing = new Map<string | null, number>();
    const credits = new Map<string, number>();
    for (const { kind, depositId, reversedBy } of tables.ledgerEntries.all()) {
      if ((kind === 'income' || kind === 'hold') && reversedBy === null)
        standing.set(depositId, (standing.get(depositId) ?? 0) + 1);
      if (depositId === null) continue;
      if (kind === 'income') credits.set(depositId, (credits.get(depositId) ?? 0) + 1);
      else if (kind === 'income_reversed') credits.set(depositId, (credits.get(depositId) ?? 0) - 1);
    }
    for (const [deposit_id, times] of standing) if (times > 1) yield { deposit_id };
    for (const [deposit_id, times] of credits) if (times !== 0 && times !== 1) yield { deposit_id };
  },

  *'a deposit is credited exactly when an income entry stands for it'({ tables }) {
    const credited = new Set<string | null>();
    for (const entry of tables.ledgerEntries.all()) if (isIncome(entry)) credited.add(entry.depositId);
    for (const { id, status } of tables.deposits.all())
      if ((status === 'credited') !== credited.has(id)) yield { id, status };
  },

  'balance = income - payouts - refunds, by the postings and by the feed': wrongBalances,

  *'an invoice received what its deposits say'({ tables }) {
    const paid = new Map<string | null, bigint>();
    for (const deposit of tables.deposits.all())
      if (deposit.invoiceId !== null && !isGone(deposit)) addTo(paid, deposit.invoiceId, deposit.units);
    for (const { id, status, pendingUnits, creditedUnits, heldUnits } of tables.invoices.all())
      if (pendingUnits + creditedUnits + heldUnits !== (paid.get(id) ?? 0n)) yield { id, status };
  },

  *'what an invoice was paid is in its asset'({ tables }) {
    for (const { id, status, asset, invoiceId } of tables.deposits.all()) {
      if (invoiceId === null || status === 'dropped') continue;
      const invoice = tables.invoices.find(invoiceId);
      if (invoice !== undefined && invoice.asset !== asset)
        yield { id, status, asset, of_invoice: invoice.asset };
    }
  },

  *'the suspense account owes what waits for its credit'({ tables }) {
    const owed = new Map<string, bigint>();
    for (const { account, currency, amount } of tables.ledgerPostings.all())
      if (account === 'suspense') addTo(owed, currency, -amount);
    const waiting = new Map<string, bigint>();
    for (const { status, asset, units } of tables.deposits.all())
      if (status === 'arrived' || status === 'stray') addTo(waiting, asset, units);
    for (const asset of new Set([...owed.keys(), ...waiting.keys()])) {
      const [owes, waits] = [owed.get(asset) ?? 0n, waiting.get(asset) ?? 0n];
      if (owes !== waits) yield { asset, owed: String(owes), waiting: String(waits) };
    }
  },

  *'at most one webhook for each version of an invoice, and none for a version it never had'({ tables }) {
    const told = new Map<string, number>();
    for (const { invoiceId, invoiceVersion } of tables.webhookDeliveries.all()) {
      if (invoiceId === null || invoiceVersion === null) continue;
      const invoice = tables.invoices.find(invoiceId);
      if (invoice === undefined) continue;
      const key = `${invoiceId} ${invoiceVersion}`;
      const times = (told.get(key) ?? 0) + 1;
      told.set(key, times);
      if (times === 2 || (times === 1 && invoiceVersion > invoice.version))
        yield { invoice_id: invoiceId, invoice_version: invoiceVersion };
    }
  },

  *'the last status that merchants are told of was told'({ tables }) {
    const told = new Set<string>();
    for (const { invoiceId, invoiceVersion } of tables.webhookDeliveries.all())
      told.add(`${invoiceId} ${invoiceVersion}`);
    for (const { id, status, sandbox, version } of tables.invoices.all())
      if (!sandbox && isDelivered(status) && !told.has(`${id} ${version}`)) yield { id, status };
  },

  *'a delivery leaves the queue only when its receiver took it'({ tables }) {
    const taken = new Set<string | null>();
    for (const { deliveryId, statusCode } of tables.webhookAttempts.all())
      if (statusCode !== null && statusCode >= 200 && statusCode <= 299) taken.add(deliveryId);
    for (const { id, url } of tables.webhookDeliveries.all())
      if (url !== null && !taken.has(id) && tables.webhookQueue.find(id) === undefined) yield { id };
  },

  'the sums of days equal the postings': () => [],
  'the sums of days equal the invoices': () => [],
};

interface Sums {
  owed: bigint;
  readonly feed: Record<NonNullable<Entry['feedType']>, bigint>;
}

function* wrongBalances({ tables, posted }: BooksRead): Iterable<object> {
  const sums = new Map<string, Sums>();
  const of = ({ merchantId, sandbox }: { merchantId: string | null; sandbox: boolean }): Sums => {
    const key = `${merchantId} ${sandbox}`;
    const found = sums.get(key) ?? { owed: 0n, feed: { income: 0n, payout: 0n, refund: 0n } };
    sums.set(key, found);
    return found;
  };
  for (const { entry, posting } of posted)
    if (posting.account === 'merchant') of(entry).owed -= posting.amount;
  for (const entry of tables.ledgerEntries.all())
    if (entry.feedType !== null) of(entry).feed[entry.feedType] += entry.feedMicroUsd ?? 0n;
  for (const balance of tables.balances.all()) {
    const { owed, feed } = of(balance);
    if (
      owed !== availableMicroUsd(balance) ||
      feed.income !== balance.incomeMicroUsd ||
      feed.payout !== balance.payoutsMicroUsd ||
      feed.refund !== balance.refundsMicroUsd
    )
      yield { merchant_id: balance.merchantId, sandbox: balance.sandbox };
  }
}
