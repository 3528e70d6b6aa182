/**
 * The promises to those who use the gateway, held against what a witness saw stored: who is told
 * what, who bears which cost, that nothing ends early, and that no address is given to two.
 */
import type { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { isDelivered } from '../../../../src/domain/invoices/invoice.ts';
import type { Broken } from '../laws.ts';
import type { World } from '../processes.ts';
import type { Witness } from './witness.ts';
import type { SeenRow, Tables } from './witnessed-rows.ts';

const PPM = 1_000_000n;
const MICRO = 1_000_000n;

type Promising = Pick<World, 'catalog' | 'funded'>;

export function brokenPromises(witness: Witness, { catalog, funded }: Promising): readonly Broken[] {
  const { tables } = witness;
  if (witness.isBlind) return witness.broken;
  return [
    ...witness.broken,
    ...untold(witness),
    ...early(tables),
    ...unpaid(tables),
    ...sharedAddresses(tables),
    ...repeatedInvoices(tables),
    ...wrongShares(tables),
    ...wrongPayouts(tables, catalog),
    ...wrongCapital(tables, funded),
    ...repeatedFees(tables),
    ...ofNobody(witness),
  ];
}

/** A payment to the address of a removed invoice is its merchant's, and names the invoice. */
function ofNobody({ tables, removed }: Witness): readonly Broken[] {
  const ofAddress = new Map(tables('addresses').map(({ address, invoiceId }) => [address, invoiceId]));
  return tables('deposits').flatMap(({ txid, address, strayReason, merchantId, note }) => {
    if (strayReason !== 'invoice_removed') return [];
    const invoiceId = ofAddress.get(address) ?? '';
    if (removed.get(invoiceId) === merchantId && note === `invoice ${invoiceId}`) return [];
    const law = 'a late payment is booked for the merchant of its removed invoice';
    return [{ law, what: { txid, merchantId, note } }];
  });
}

/** The network takes one fee for a transaction, however many payments are in it. */
function repeatedFees(tables: Tables): readonly Broken[] {
  const charged = tables('outgoing_transfers').filter(
    ({ txid, feeUnits }) => txid !== null && (feeUnits ?? 0n) !== 0n,
  );
  return [...Map.groupBy(charged, ({ txid }) => txid)]
    .filter(([, transfers]) => transfers.length > 1)
    .map(([txid]) => ({ law: 'the fee of a transaction is booked once', what: { txid } }));
}

/** What is booked as capital is what the operator put in. */
function wrongCapital(tables: Tables, funded: Promising['funded']): readonly Broken[] {
  const entries = new Set(
    tables('ledger_entries').flatMap(({ id, kind }) => (kind === 'capital' ? [id] : [])),
  );
  const booked = new Map<string, bigint>();
  for (const { entryId, account, currency, amount } of tables('ledger_postings'))
    if (account === 'treasury' && entries.has(entryId))
      booked.set(currency, (booked.get(currency) ?? 0n) + amount);
  return [...booked]
    .filter(([asset, units]) => units !== (funded.get(asset) ?? 0n))
    .map((what) => ({ law: 'capital is what the operator put in', what }));
}

/** Each transition that merchants are told of has one event, with the status of then. */
function untold({ transitions, tables }: Witness): readonly Broken[] {
  const told = new Map<string, string[]>();
  for (const { invoiceId, invoiceVersion, toldStatus } of tables('webhook_deliveries')) {
    if (invoiceId === null || invoiceVersion === null) continue;
    const key = `${invoiceId} ${invoiceVersion}`;
    told.set(key, [...(told.get(key) ?? []), String(toldStatus)]);
  }
  return transitions
    .filter(({ status, invoiceId, version }) => {
      const events = told.get(`${invoiceId} ${version}`) ?? [];
      return isDelivered(status) ? events.length !== 1 || events[0] !== status : events.length > 0;
    })
    .map((what) => ({ law: 'one event for each transition', what }));
}

/**
 * A payment in time is never too late because the gateway read its block late. A clock that tells
 * it before its invoice was there is wrong, and proves nothing.
 */
function early(tables: Tables): readonly Broken[] {
  const invoices = byId(tables('invoices'));
  const ofAddress = new Map(tables('addresses').map(({ address, invoiceId }) => [address, invoiceId]));
  return tables('deposits').flatMap(({ txid, address, strayReason, status, firstSeenAt }) => {
    if (status !== 'stray' || strayReason !== 'invoice_closed') return [];
    const invoice = invoices.get(ofAddress.get(address) ?? '');
    if (invoice?.status !== 'expired') return [];
    if (firstSeenAt >= invoice.expiresAt || firstSeenAt < invoice.createdAt) return [];
    return [{ law: 'nothing expires early', what: { txid, firstSeenAt, expiresAt: invoice.expiresAt } }];
  });
}

/** What covers an invoice pays it, and nothing else does. */
function unpaid(tables: Tables): readonly Broken[] {
  return tables('invoices').flatMap((invoice) => {
    const { id, status, dueUnits, creditedUnits, heldUnits, pendingUnits, tolerancePpm, acceptedUnits } =
      invoice;
    if (dueUnits === null || heldUnits + pendingUnits > 0n || acceptedUnits !== null) return [];
    const covers = creditedUnits * PPM >= dueUnits * (PPM - BigInt(tolerancePpm));
    const isWrong = covers ? status === 'partially_paid' : status === 'success' || status === 'paid_over';
    return isWrong ? [{ law: 'an invoice is paid exactly when its amount is covered', what: id }] : [];
  });
}

function sharedAddresses(tables: Tables): readonly Broken[] {
  const own = tables('invoices').filter(
    ({ addressTo, permanentAddressId }) => addressTo !== null && permanentAddressId === null,
  );
  return [...Map.groupBy(own, ({ addressTo }) => addressTo)]
    .filter(([, invoices]) => invoices.length > 1)
    .map(([address]) => ({ law: 'no address twice', what: address }));
}

function repeatedInvoices(tables: Tables): readonly Broken[] {
  const ordered = tables('invoices').filter(({ metadata }) => metadata?.order !== undefined);
  return [...Map.groupBy(ordered, ({ metadata }) => metadata?.order)]
    .filter(([, invoices]) => invoices.length > 1)
    .map(([order, invoices]) => ({
      law: 'one invoice for each Idempotency-Key',
      what: { order, invoices: invoices.map(({ id }) => id) },
    }));
}

/** A merchant is credited what the terms of the invoice leave of all payments together. */
function wrongShares(tables: Tables): readonly Broken[] {
  const invoices = byId(tables('invoices'));
  const deposits = byId(tables('deposits'));
  const standing = tables('ledger_entries').filter(
    ({ kind, reversedBy, depositId }) => kind === 'income' && reversedBy === null && depositId !== null,
  );
  // What an operator credited apart from its invoice is rounded on its own.
  const together = standing.filter(({ depositId }) => deposits.get(depositId!)?.strayReason === null);
  return [...Map.groupBy(together, ({ depositId }) => deposits.get(depositId!)?.invoiceId ?? null)].flatMap(
    ([invoiceId, entries]) => {
      const invoice = invoiceId === null ? undefined : invoices.get(invoiceId);
      if (invoice === undefined) return [];
      const received = entries.reduce((sum, { depositId }) => sum + deposits.get(depositId!)!.units, 0n);
      const credited = entries.reduce((sum, { feedAmountUnits }) => sum + (feedAmountUnits ?? 0n), 0n);
      const owed = shareOf(invoice, received);
      const what = { invoiceId, received, credited, owed };
      return credited === owed ? [] : [{ law: 'a merchant is credited exactly the agreed share', what }];
    },
  );
}

function shareOf(invoice: SeenRow<'invoices'>, received: bigint): bigint {
  const { feeBearer, commissionPpm, baseUnits, dueUnits } = invoice;
  return feeBearer === 'merchant'
    ? (received * (PPM - BigInt(commissionPpm))) / PPM
    : (received * (baseUnits ?? 0n)) / (dueUnits ?? 1n);
}

/** The recipient gets what was ordered; the merchant pays what was promised for it, or nothing. */
function wrongPayouts(tables: Tables, catalog: AssetCatalog): readonly Broken[] {
  const merchants = byId(tables('ledger_entries'));
  const charged = new Map<string, bigint>();
  for (const { entryId, account, amount } of tables('ledger_postings')) {
    const reference = merchants.get(entryId)?.referenceId;
    if (account !== 'merchant' || reference === undefined) continue;
    charged.set(reference, (charged.get(reference) ?? 0n) + amount);
  }
  const paying = new Set(tables('signed_transactions').flatMap(({ txid, voids }) => (voids ? [] : [txid])));
  return tables('payouts').flatMap((payout) => {
    const { id, kind, asset, status, feeBearer, amountUnits, sentUnits, amountMicroUsd } = payout;
    const what = { id, kind, status, charged: charged.get(id) ?? 0n };
    const broken: Broken[] = [];
    if (feeBearer === 'merchant' && sentUnits !== amountUnits)
      broken.push({ law: 'a recipient gets what was ordered', what: { ...what, sentUnits, amountUnits } });
    if (kind === 'payout' && amountMicroUsd !== worthOf(catalog, asset, amountUnits))
      broken.push({ law: 'a payout costs what it is worth', what: { ...what, amountMicroUsd } });
    const promised = promisedCharge(payout, { tried: payout.txid !== null && paying.has(payout.txid) });
    if (what.charged !== promised)
      broken.push({ law: 'a merchant is charged exactly what was promised', what: { ...what, promised } });
    return broken;
  });
}

/** `tried`: a block took the payment itself, without its effect. */
function promisedCharge(payout: SeenRow<'payouts'>, { tried }: { readonly tried: boolean }): bigint {
  const { status, feeBearer, feeMicroUsd, amountMicroUsd, wastedFeeMicroUsd } = payout;
  // What an operator cancels is the operator's cost.
  if (status === 'cancelled') return tried ? wastedFeeMicroUsd : 0n;
  if (status === 'failed') return wastedFeeMicroUsd;
  return amountMicroUsd + (feeBearer === 'merchant' ? feeMicroUsd : 0n);
}

/** At the prices of the test, rounded up. */
function worthOf(catalog: AssetCatalog, key: string, units: bigint): bigint {
  const { symbol, decimals } = catalog.require(key);
  const one = 10n ** BigInt(decimals);
  return (units * (symbol.startsWith('USD') ? 1n : 2_000n) * MICRO + one - 1n) / one;
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
