/**
 * Reconciliation's checks of the ledger in memory, internally and against incoming money: those of
 * src/adapters/postgres/treasury/ledger-checks.ts, under the same names.
 */
import { type InvoiceRow, invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { STANDING_KINDS } from '../../../../src/adapters/postgres/treasury/ledger-checks.ts';
import type { DepositStatus } from '../../../../src/domain/deposits/deposit.ts';
import { covers, type InvoiceFunds } from '../../../../src/domain/invoices/invoice.ts';
import type { EntryKind } from '../../../../src/domain/ledger.ts';
import {
  absolute,
  addTo,
  type BooksRead,
  type Checks,
  type Fault,
  HOUSE,
  sumsByEntry,
  sumsByReference,
  textOf,
} from './posted.ts';

const OURS: ReadonlySet<DepositStatus> = new Set(['arrived', 'stray', 'credited', 'held', 'rejected']);
const STANDING: ReadonlySet<EntryKind> = new Set(['deposit_arrived', 'income', 'hold']);

const needs = (status: DepositStatus, kind: EntryKind): boolean =>
  STANDING_KINDS.some((pair) => pair[0] === status && pair[1] === kind);

/** Simulated invoices have no deposits, so only live ones are compared. */
export const LEDGER_CHECKS: Checks = {
  *'ledger entry balances'({ tables }) {
    for (const [entryId, byCurrency] of sumsByEntry(tables))
      for (const [currency, sum] of byCurrency)
        if (sum !== 0n) yield { reference: `${entryId} ${currency}`, expected: '0', found: String(sum) };
  },

  *'ledger entry has postings'({ tables }) {
    for (const { id } of tables.ledgerEntries.all())
      if (tables.ledgerPostings.by('entryId', id).length === 0)
        yield { reference: id, expected: 'postings', found: 'none' };
  },

  'balance equals the postings to the merchant': wrongBalances,

  *'invoice funds equal its deposits'({ tables }) {
    const funded = fundsOfDeposits(tables);
    for (const { id, sandbox, asset, pendingUnits, creditedUnits, heldUnits } of tables.invoices.all()) {
      if (sandbox) continue;
      const expected = fundsText(funded.get(`${id} ${asset}`) ?? NO_FUNDS);
      const found = fundsText({ pendingUnits, creditedUnits, heldUnits });
      if (expected !== found) yield { reference: id, expected, found };
    }
  },

  *'invoice status follows its funds'({ tables }) {
    for (const row of tables.invoices.all()) {
      if (row.sandbox || isSupported(row)) continue;
      const { id: reference, status: expected, creditedUnits, heldUnits, dueUnits } = row;
      const found = `${creditedUnits} credited and ${heldUnits} held of ${textOf(dueUnits)} due`;
      yield { reference, expected, found };
    }
  },

  *'deposit has its entries'({ tables }) {
    for (const { id, status } of tables.deposits.all()) {
      if (!OURS.has(status)) continue;
      const entries = tables.ledgerEntries.by('depositId', id);
      for (const [of, kind] of STANDING_KINDS)
        if (of === status && !entries.some((entry) => entry.kind === kind && entry.reversedBy === null))
          yield { reference: id, expected: kind, found: 'none' };
    }
  },

  *'entry has its deposit'({ tables }) {
    for (const { id, kind, sandbox, depositId, reversedBy } of tables.ledgerEntries.all()) {
      if (reversedBy !== null || !STANDING.has(kind)) continue;
      const deposit = depositId === null ? undefined : tables.deposits.find(depositId);
      if (deposit === undefined ? sandbox : needs(deposit.status, kind)) continue;
      yield { reference: id, expected: `${kind} of a deposit`, found: deposit?.status ?? 'no deposit' };
    }
  },

  *'entry posts the units of its deposit'({ tables, posted }) {
    for (const { entry, posting } of posted) {
      if (posting.account !== 'suspense' || entry.reversedBy !== null || !STANDING.has(entry.kind)) continue;
      const deposit = entry.depositId === null ? undefined : tables.deposits.find(entry.depositId);
      if (deposit === undefined) continue;
      const { units, asset } = deposit;
      if (absolute(posting.amount) !== units || posting.currency !== asset)
        yield { reference: entry.id, expected: String(units), found: String(posting.amount) };
    }
  },

  // Fees, the operator's own money and forwards of it have separate checks.
  *'treasury holds what arrived and was not paid out'({ tables, posted }) {
    const held = new Map<string, bigint>();
    for (const { entry, posting } of posted)
      if (posting.account === 'treasury' && !entry.sandbox && !HOUSE.has(entry.kind))
        addTo(held, `${entry.depositId ?? entry.referenceId} ${posting.currency}`, posting.amount);
    const moved = new Map<string, bigint>();
    for (const { id, asset, units, sandbox, status } of tables.deposits.all())
      if (!sandbox && OURS.has(status)) addTo(moved, `${id} ${asset}`, units);
    for (const { id, asset, sentUnits, sandbox, status } of tables.payouts.all())
      if (!sandbox && status === 'success') addTo(moved, `${id} ${asset}`, -sentUnits);
    for (const reference of new Set([...held.keys(), ...moved.keys()])) {
      const [expected, found] = [moved.get(reference) ?? 0n, held.get(reference) ?? 0n];
      if (expected !== found) yield { reference, expected: String(expected), found: String(found) };
    }
  },

  *'capital is what was booked'({ tables, posted }) {
    const sums = sumsByReference(
      posted,
      ({ entry, posting }) => entry.kind === 'capital' && posting.account === 'treasury',
    );
    for (const { id, asset, units } of tables.capitalBookings.all()) {
      const found = sums.get(id)?.get(asset) ?? 0n;
      if (units !== found) yield { reference: id, expected: String(units), found: String(found) };
    }
    for (const [reference, byAsset] of sums)
      for (const [asset, units] of byAsset)
        if (units !== 0n && tables.capitalBookings.find(reference)?.asset !== asset)
          yield { reference, expected: '0', found: String(units) };
  },
};

interface Summary {
  readonly merchantId: string | null;
  readonly sandbox: boolean;
  income: bigint;
  payouts: bigint;
  refunds: bigint;
  available: bigint;
}

function* wrongBalances({ tables, posted }: BooksRead): Iterable<Fault> {
  const summaries = new Map<string, Summary>();
  const of = (merchantId: string | null, sandbox: boolean): Summary => {
    const key = `${merchantId} ${sandbox ? 'sandbox' : 'live'}`;
    const none = { income: 0n, payouts: 0n, refunds: 0n, available: 0n };
    const summary = summaries.get(key) ?? { merchantId, sandbox, ...none };
    summaries.set(key, summary);
    return summary;
  };
  for (const { merchantId, sandbox } of tables.balances.all()) of(merchantId, sandbox);
  for (const { entry, posting } of posted) {
    if (posting.account !== 'merchant') continue;
    const summary = of(entry.merchantId, entry.sandbox);
    summary.available -= posting.amount;
    if (entry.kind === 'income' || entry.kind === 'income_reversed') summary.income -= posting.amount;
    else if (entry.kind.startsWith('payout')) summary.payouts += posting.amount;
    else if (entry.kind.startsWith('refund')) summary.refunds += posting.amount;
  }
  for (const [reference, { merchantId, sandbox, income, payouts, refunds, available }] of summaries) {
    const balance = merchantId === null ? undefined : tables.balances.find(merchantId, sandbox);
    const { incomeMicroUsd, payoutsMicroUsd, refundsMicroUsd } = balance ?? {};
    const expected = `${income} - ${payouts} - ${refunds}`;
    const found = `${textOf(incomeMicroUsd)} - ${textOf(payoutsMicroUsd)} - ${textOf(refundsMicroUsd)}`;
    const left = (incomeMicroUsd ?? 0n) - (payoutsMicroUsd ?? 0n) - (refundsMicroUsd ?? 0n);
    if (expected !== found || available !== left) yield { reference, expected, found };
  }
}

const NO_FUNDS: InvoiceFunds = { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n };
const FUNDS: Readonly<Record<DepositStatus, keyof InvoiceFunds | null>> = {
  confirming: 'pendingUnits',
  arrived: 'pendingUnits',
  stray: 'pendingUnits',
  credited: 'creditedUnits',
  held: 'heldUnits',
  rejected: 'heldUnits',
  dropped: null,
  reversed: null,
};

/** By the invoice and the asset. */
function fundsOfDeposits(tables: BooksRead['tables']): ReadonlyMap<string, InvoiceFunds> {
  const funded = new Map<string, InvoiceFunds>();
  for (const { invoiceId, asset, status, units } of tables.deposits.all()) {
    const part = FUNDS[status];
    if (invoiceId === null || part === null) continue;
    const key = `${invoiceId} ${asset}`;
    const funds = funded.get(key) ?? NO_FUNDS;
    funded.set(key, { ...funds, [part]: funds[part] + units });
  }
  return funded;
}

const fundsText = ({ pendingUnits, creditedUnits, heldUnits }: InvoiceFunds): string =>
  `${pendingUnits} / ${creditedUnits} / ${heldUnits}`;

/** Without a price, as far as that can be said. */
function isSupported(row: InvoiceRow): boolean {
  const { status, billingType, creditedUnits, heldUnits, dueUnits, acceptedUnits } = row;
  const isCovered = (): boolean => covers(invoiceFromRow(row), creditedUnits);
  switch (status) {
    case 'success':
      if (heldUnits !== 0n || dueUnits === null) return heldUnits === 0n;
      return isCovered() && (billingType === 'VARY' || creditedUnits <= dueUnits);
    case 'paid_over':
      return heldUnits === 0n && (dueUnits === null || creditedUnits > dueUnits) && billingType === 'STATIC';
    case 'partially_paid':
      if (heldUnits !== 0n || creditedUnits <= 0n) return false;
      return dueUnits === null ? acceptedUnits === null || creditedUnits < acceptedUnits : !isCovered();
    default:
      return true;
  }
}
