/**
 * Reconciliation's checks of payouts, refunds and outgoing money in memory: those of
 * src/adapters/postgres/treasury/sending-checks.ts, under the same names.
 */
import type {
  outgoingTransfers,
  signedTransactions,
} from '../../../../src/adapters/postgres/schema/outgoing.ts';
import type { payouts } from '../../../../src/adapters/postgres/schema/payouts.ts';
import { TAKES_BACK } from '../../../../src/adapters/postgres/treasury/sending-checks.ts';
import { UTXO_FAMILIES } from '../../../../src/domain/catalog/family.ts';
import type { Account, EntryKind } from '../../../../src/domain/ledger.ts';
import { MERCHANTS_DOING, OPERATORS_DOING } from '../../../../src/domain/sending/wasted-fee.ts';
import {
  absolute,
  addTo,
  type BooksRead,
  type Checks,
  type Entry,
  type Fault,
  type Posted,
  sumsByReference,
  textOf,
} from './posted.ts';

type PayoutRow = typeof payouts.$inferSelect;
type TransferRow = typeof outgoingTransfers.$inferSelect;
type SignedRow = typeof signedTransactions.$inferSelect;

const kinds = (...of: EntryKind[]): ReadonlySet<EntryKind> => new Set(of);
const RESERVES = kinds('payout_reserved', 'payout_retaken', 'refund');
const RELEASES = kinds('payout_released', 'refund_reversed');
const SETTLES = kinds('payout_settled', 'refund_settled');
const UNSETTLES = kinds('payout_unsettled', 'refund_unsettled');
const NETWORK_FEES = kinds('network_fee', 'network_fee_reversed');
const FORWARDS = kinds('forward', 'forward_reversed');
const CHARGES = kinds(
  'payout_fee_charged',
  'payout_fee_returned',
  'refund_fee_charged',
  'refund_fee_returned',
);
const IS_OF_UTXOS: ReadonlySet<string> = new Set(UTXO_FAMILIES);
const TAKEN_BY = new Map(TAKES_BACK);
const TAKEN = new Set(TAKES_BACK.flatMap(([, taken]) => taken));

const isOf =
  (of: ReadonlySet<EntryKind>, account: Account) =>
  ({ entry, posting }: Posted): boolean =>
    posting.account === account && of.has(entry.kind);
const isOfPayout = ({ kind }: Entry): boolean => kind.startsWith('payout');
const isOfRefund = ({ kind }: Entry): boolean => kind.startsWith('refund');

export const SENDING_CHECKS: Checks = {
  *'payout has its entries'({ tables }) {
    const posted = new Map<string, { reserved: number; settled: number }>();
    for (const entry of tables.ledgerEntries.all()) {
      if (!isOfPayout(entry) && !isOfRefund(entry)) continue;
      const counts = posted.get(entry.referenceId) ?? { reserved: 0, settled: 0 };
      posted.set(entry.referenceId, counts);
      if (RESERVES.has(entry.kind)) counts.reserved += 1;
      else if (RELEASES.has(entry.kind)) counts.reserved -= 1;
      else if (SETTLES.has(entry.kind)) counts.settled += 1;
      else if (UNSETTLES.has(entry.kind)) counts.settled -= 1;
    }
    for (const { id, kind, status } of tables.payouts.all()) {
      const { reserved, settled } = posted.get(id) ?? { reserved: 0, settled: 0 };
      const isOpen = status === 'pending' || status === 'processing';
      const wanted = isOpen ? [1, 0] : status === 'success' ? [1, 1] : [0, 0];
      if (reserved !== wanted[0] || settled !== wanted[1])
        yield {
          reference: id,
          expected: `${kind} ${status}`,
          found: `${reserved} reserved, ${settled} settled`,
        };
    }
  },

  // Refunds from before refunds were sent, and the simulator's, refer to the invoice itself.
  *'entry has its payout'({ tables }) {
    for (const entry of tables.ledgerEntries.all()) {
      const { id, kind, referenceId } = entry;
      const wanted = isOfPayout(entry) ? 'payout' : isOfRefund(entry) ? 'refund' : null;
      if (wanted === null) continue;
      const found = tables.payouts.find(referenceId)?.kind;
      if (found === wanted) continue;
      const ofInvoice = kind === 'refund' || kind === 'refund_reversed';
      if (found === undefined && ofInvoice && tables.invoices.find(referenceId) !== undefined) continue;
      yield { reference: id, expected: kind, found: found ?? 'no payout' };
    }
  },

  *'reserve equals what the payout took'({ tables, posted }) {
    for (const one of posted) {
      if (!isOf(RESERVES, 'merchant')(one)) continue;
      const payout = tables.payouts.find(one.entry.referenceId);
      const { amount } = one.posting;
      if (payout !== undefined && amount !== payout.reservedMicroUsd)
        yield { reference: payout.id, expected: String(payout.reservedMicroUsd), found: String(amount) };
    }
  },

  *'payment posts what its payout sent'({ tables, posted }) {
    for (const { entry, posting } of posted) {
      if (posting.account !== 'treasury') continue;
      if (!SETTLES.has(entry.kind) && !UNSETTLES.has(entry.kind)) continue;
      const payout = tables.payouts.find(entry.referenceId);
      if (payout === undefined) continue;
      const expected = `${payout.sentUnits} ${payout.asset}`;
      const found = `${absolute(posting.amount)} ${posting.currency}`;
      if (expected !== found) yield { reference: payout.id, expected, found };
    }
  },

  'what was taken back is marked so, and nothing else': wronglyMarked,
  'refunded invoice has its refund': wrongRefunds,

  *'transfer does what its payout says'({ tables }) {
    for (const transfer of tables.outgoingTransfers.all()) {
      if (transfer.purpose !== 'payout') continue;
      const payout = tables.payouts.find(transfer.referenceId);
      const { id, asset, toAddress, units, status, txid } = transfer;
      const isSame = payout?.asset === asset && payout.address === toAddress && payout.sentUnits === units;
      const isPaid = status !== 'confirmed' || (payout?.status === 'success' && payout.txid === txid);
      if (isSame && isPaid) continue;
      yield {
        reference: id,
        expected: `${payout?.status ?? 'no payout'} of ${textOf(payout?.sentUnits)} ${textOf(payout?.asset)} to ${textOf(payout?.address)}`,
        found: `${status} of ${units} ${asset} to ${toAddress}`,
      };
    }
  },

  *'transfer status follows what was signed'({ tables }) {
    for (const { id, status, txid, transferBatchId } of tables.outgoingTransfers.all()) {
      const signed = tables.signedTransactions.by('transferBatchId', transferBatchId);
      const isWrong =
        (status === 'allocated' && signed.length > 0) ||
        ((status === 'signed' || status === 'confirmed') && signed.length === 0) ||
        (txid !== null && !signed.some((one) => one.txid === txid));
      if (isWrong) yield { reference: id, expected: status, found: `${signed.length} signed` };
    }
  },

  'network fee has its entry': wrongNetworkFees,
  'network fee of a batch is borne once': wrongBatchFees,

  *'forward has its entry'({ tables, posted }) {
    const sums = sumsByReference(posted, isOf(FORWARDS, 'treasury'));
    const expectedOf = (transfer: TransferRow) => `${transfer.units} ${transfer.asset}`;
    const gone = new Set<string>();
    for (const transfer of tables.outgoingTransfers.all()) {
      if (transfer.purpose !== 'forward' || transfer.status !== 'confirmed') continue;
      gone.add(transfer.id);
      const expected = expectedOf(transfer);
      const found = takenTexts(sums.get(transfer.id));
      if (found.length === 0) yield { reference: transfer.id, expected, found: 'none' };
      for (const text of found)
        if (text !== expected) yield { reference: transfer.id, expected, found: text };
    }
    for (const [reference, byCurrency] of sums)
      if (!gone.has(reference))
        for (const found of takenTexts(byCurrency)) yield { reference, expected: 'no forward', found };
  },

  *'wasted fee of a payout is what was charged for it'({ tables, posted }) {
    const charged = new Map<string, bigint>();
    for (const one of posted)
      if (isOf(CHARGES, 'merchant')(one)) addTo(charged, one.entry.referenceId, one.posting.amount);
    for (const { id, wastedFeeMicroUsd } of tables.payouts.all()) {
      const found = charged.get(id) ?? 0n;
      if (wastedFeeMicroUsd !== found)
        yield { reference: id, expected: String(wastedFeeMicroUsd), found: String(found) };
    }
  },

  // Payouts that failed before their fee was charged have none.
  *'wasted fee of a payout is what the network took'(books) {
    const wasted = wastedFees(books);
    for (const { id, wastedFeeMicroUsd } of books.tables.payouts.all())
      for (const microUsd of wasted.get(id) ?? [0n])
        if (wastedFeeMicroUsd !== 0n && wastedFeeMicroUsd !== microUsd)
          yield { reference: id, expected: String(microUsd), found: String(wastedFeeMicroUsd) };
  },
};

function* wronglyMarked({ tables }: BooksRead): Iterable<Fault> {
  const takers = new Map<string, Entry>();
  for (const entry of tables.ledgerEntries.all()) if (TAKEN_BY.has(entry.kind)) takers.set(entry.id, entry);
  const marking = new Set<string>();
  for (const { id, kind, referenceId, reversedBy } of tables.ledgerEntries.all()) {
    if (reversedBy === null || !TAKEN.has(kind)) continue;
    const taker = takers.get(reversedBy);
    if (taker === undefined) {
      yield { reference: id, expected: 'an entry that took it back', found: kind };
      continue;
    }
    marking.add(taker.id);
    if (!TAKEN_BY.get(taker.kind)!.includes(kind) || referenceId !== taker.referenceId)
      yield { reference: id, expected: taker.kind, found: kind };
  }
  for (const { id, kind } of takers.values())
    if (!marking.has(id)) yield { reference: id, expected: kind, found: 'nothing marked' };
}

function* wrongRefunds({ tables }: BooksRead): Iterable<Fault> {
  /** Standing refunds, but not those of a surplus: they leave the invoice paid. */
  const refunded: PayoutRow[] = [];
  for (const payout of tables.payouts.all()) {
    if (payout.invoiceId === null || payout.status === 'failed' || payout.status === 'cancelled') continue;
    const claim = payout.refundClaimId === null ? undefined : tables.refundClaims.find(payout.refundClaimId);
    if (claim?.subject !== 'surplus') refunded.push(payout);
  }
  const invoices = new Set(refunded.map(({ invoiceId }) => invoiceId));
  for (const { id, sandbox, status } of tables.invoices.all()) {
    if (sandbox || status !== 'refunded' || invoices.has(id)) continue;
    const entries = tables.ledgerEntries.by('referenceId', id);
    if (entries.some(({ kind }) => kind === 'refund')) continue;
    if (entries.some(({ kind, feedMicroUsd }) => kind === 'income' && (feedMicroUsd ?? 0n) > 0n))
      yield { reference: id, expected: status, found: 'no refund' };
  }
  for (const { invoiceId } of refunded) {
    const invoice = tables.invoices.find(invoiceId);
    if (invoice !== undefined && invoice.status !== 'refunded')
      yield { reference: invoice.id, expected: 'refunded', found: invoice.status };
  }
}

function* wrongNetworkFees({ tables, posted }: BooksRead): Iterable<Fault> {
  const sums = sumsByReference(posted, isOf(NETWORK_FEES, 'treasury'));
  const taken = new Set<string>();
  for (const { id, chain, feeUnits } of tables.outgoingTransfers.all()) {
    if (feeUnits === null || feeUnits === 0n) continue;
    taken.add(id);
    const expected = `${feeUnits} on ${chain}`;
    const found = takenTexts(sums.get(id));
    if (found.length === 0) yield { reference: id, expected, found: 'none' };
    for (const text of found)
      if (!text.startsWith(`${feeUnits} `) || !text.endsWith(`_${chain}`))
        yield { reference: id, expected, found: text };
  }
  for (const [reference, byCurrency] of sums)
    if (!taken.has(reference))
      for (const found of takenTexts(byCurrency)) yield { reference, expected: 'no fee', found };
}

function* wrongBatchFees({ tables }: BooksRead): Iterable<Fault> {
  const batches = Map.groupBy(tables.outgoingTransfers.all(), ({ transferBatchId }) => transferBatchId);
  for (const [batchId, batch] of batches) {
    if (!batch.some(({ chain }) => IS_OF_UTXOS.has(chain))) continue;
    const isOpen = batch.some(({ status }) => status === 'signed');
    for (const { txid, maxFeeUnits, feeCompared } of tables.signedTransactions.by(
      'transferBatchId',
      batchId,
    )) {
      const settled = batch.filter((transfer) => transfer.txid === txid);
      const units = settled.reduce((sum, { feeUnits }) => sum + (feeUnits ?? 0n), 0n);
      if (!feeCompared || settled.length === 0 || units === maxFeeUnits || (units === 0n && isOpen)) continue;
      yield { reference: `${batchId} ${txid}`, expected: String(maxFeeUnits), found: String(units) };
    }
  }
}

/** What left the treasury, by currency: `5 usdt_ethereum`. */
function takenTexts(byCurrency: ReadonlyMap<string, bigint> | undefined): readonly string[] {
  return [...(byCurrency ?? [])]
    .filter(([, units]) => units !== 0n)
    .map(([currency, units]) => `${-units} ${currency}`);
}

/** By the payout: what each of its fees was worth that a merchant bears. */
function wastedFees({ tables, posted }: BooksRead): ReadonlyMap<string, readonly bigint[]> {
  const wasted = new Map<string, bigint[]>();
  for (const { entry, posting } of posted) {
    if (posting.account !== 'network_fees' || entry.kind !== 'network_fee' || entry.reversedBy !== null)
      continue;
    const transfer = tables.outgoingTransfers.find(entry.referenceId);
    if (transfer === undefined) continue;
    const batch = tables.signedTransactions.by('transferBatchId', transfer.transferBatchId);
    if (!isBorneByMerchant(transfer, batch)) continue;
    const fees = wasted.get(transfer.referenceId) ?? [];
    wasted.set(transfer.referenceId, fees);
    fees.push(posting.amount);
  }
  return wasted;
}

function isBorneByMerchant(transfer: TransferRow, batch: readonly SignedRow[]): boolean {
  const { purpose, status, feeUnits, failureCode, txid } = transfer;
  if (purpose !== 'payout' || status !== 'failed' || failureCode === null) return false;
  const mined = batch.find((signed) => signed.txid === txid);
  if (mined === undefined || feeUnits === null || feeUnits <= 0n) return false;
  return mined.voids
    ? MERCHANTS_DOING.includes(failureCode) && batch.some(({ voids }) => !voids)
    : failureCode !== OPERATORS_DOING;
}
