/**
 * A small, consistent world in any storage: one credited, one held and one stray deposit, a payout
 * of each outcome, a refund, and payouts that left in one transaction.
 */
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  depositArrived,
  hold,
  income,
  networkFee,
  paidOut,
  payoutReserved,
  refund,
  reversed,
} from '../../../src/domain/ledger.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { aDeposit, aHash, anEntry, anId, anInvoice, aPayout, inStatus, NOW } from '../builders.ts';
import { anOutgoing, aSigned } from '../payouts/outgoing-builders.ts';
import { type BookedBatch, bookedBatch, settleShare } from './booked-batch.ts';

export interface Booked {
  readonly merchantId: string;
  readonly invoice: Invoice;
  readonly credited: Deposit;
  readonly held: Deposit;
  readonly stray: Deposit;
  readonly settled: Payout;
  readonly failed: Payout;
  /** Paid the invoice of `refund` back. */
  readonly refund: Payout;
  /** Paid `settled`, and took a fee. */
  readonly transfer: OutgoingTransfer;
  /** All three are settled, and the second one bears the fee. */
  readonly batch: BookedBatch;
}

export async function booked(repositories: Repositories, merchantId: string): Promise<Booked> {
  const { invoices, deposits, ledger, payouts } = repositories;
  const invoice = anInvoice({ merchantId, ...inStatus('success') });
  const risky = anInvoice({ merchantId, ...inStatus('high_risk') });
  const credited = aDeposit({ merchantId, invoiceId: invoice.id, status: 'credited' });
  const held = aDeposit({ merchantId, invoiceId: risky.id, status: 'held' });
  const stray = aDeposit({ merchantId, status: 'stray' });
  await invoices.insert(invoice);
  await invoices.insert(risky);
  for (const deposit of [credited, held, stray]) {
    await deposits.insertAll([deposit]);
    await ledger.post(
      anEntry({ merchantId, depositId: deposit.id, referenceId: deposit.invoiceId ?? deposit.id }),
    );
  }
  const asset = 'usdt_ethereum';
  const value = { asset, creditedUnits: 10_000_000n, feeUnits: 100_000n };
  const line = { type: 'income', asset, currency: 'USD', referenceId: invoice.id } as const;
  await ledger.post(
    anEntry({
      merchantId,
      depositId: credited.id,
      referenceId: invoice.id,
      kind: 'income',
      postings: income({ ...value, receivedMicroUsd: 10_100_000n, creditedMicroUsd: 10_000_000n }),
      feed: { ...line, amountUnits: 10_000_000n, feeUnits: 100_000n, microUsd: 10_000_000n },
    }),
  );
  await ledger.post(
    anEntry({
      merchantId,
      depositId: held.id,
      referenceId: risky.id,
      kind: 'hold',
      postings: hold({ asset, units: 10_100_000n, microUsd: 10_100_000n }),
    }),
  );
  const txid = aHash();
  const settled = aPayout({ merchantId, status: 'success', txid, txHashes: [txid], processedAt: NOW });
  const failed = aPayout({
    merchantId,
    reservedMicroUsd: 2_000_000n,
    status: 'failed',
    failure: 'reverted',
    processedAt: NOW,
  });
  const pending = aPayout({ merchantId, reservedMicroUsd: 1n });
  for (const payout of [settled, failed, pending]) {
    await payouts.insert(payout);
    const postings = payoutReserved(payout.reservedMicroUsd);
    await ledger.post(anEntry({ merchantId, kind: 'payout_reserved', referenceId: payout.id, postings }));
    if (payout === failed) {
      await ledger.post(
        anEntry({
          merchantId,
          kind: 'payout_released',
          referenceId: payout.id,
          postings: reversed(postings),
        }),
      );
    }
    if (payout === settled) {
      const postings = paidOut({
        reserve: 'payouts_in_flight',
        asset,
        units: 5_000_000n,
        reservedMicroUsd: payout.reservedMicroUsd,
        feeMicroUsd: payout.feeMicroUsd,
      });
      await ledger.post(anEntry({ merchantId, kind: 'payout_settled', referenceId: payout.id, postings }));
    }
  }
  const transfer = await sent(repositories, settled);
  const refunded = await refundedInvoice(repositories, merchantId);
  const batch = await bookedBatch(repositories, merchantId);
  const fee = batch.latest.maxFeeUnits;
  for (const [place, feeUnits] of [0n, fee, 0n].entries())
    await settleShare(repositories, batch, { place, feeUnits });
  return { merchantId, invoice, credited, held, stray, settled, failed, refund: refunded, transfer, batch };
}

/** The transfer that paid a payout, at the first attempt, and what the network took for it. */
async function sent({ outgoing, ledger }: Repositories, payout: Payout): Promise<OutgoingTransfer> {
  const { asset, address: to, sentUnits: units, txid } = payout;
  const transfer = anOutgoing({ referenceId: payout.id, asset, to, units, status: 'signed' });
  await outgoing.insert(transfer);
  await outgoing.insertSigned(aSigned({ transferBatchId: transfer.id, txid: txid ?? '' }));
  const block = { height: 120, hash: aHash() };
  const confirmed: OutgoingTransfer = { ...transfer, status: 'confirmed', txid, block, feeUnits: 42_000n };
  await outgoing.save(confirmed);
  await ledger.post(
    anEntry({
      merchantId: null,
      kind: 'network_fee',
      referenceId: transfer.id,
      postings: networkFee({ asset: 'eth_ethereum', units: 42_000n, microUsd: 84n }),
    }),
  );
  return confirmed;
}

/** An invoice of 10.1 USDT that was credited and paid back, after a first try that failed. */
async function refundedInvoice(repositories: Repositories, merchantId: string): Promise<Payout> {
  const { invoices, deposits, ledger, payouts } = repositories;
  const asset = 'usdt_ethereum';
  const invoice = anInvoice({ merchantId, ...inStatus('refunded') });
  const deposit = aDeposit({ merchantId, invoiceId: invoice.id, status: 'credited' });
  await invoices.insert(invoice);
  await deposits.insertAll([deposit]);
  const about = { merchantId, depositId: deposit.id, referenceId: invoice.id };
  await ledger.post(anEntry({ ...about, postings: depositArrived(asset, 10_100_000n) }));
  const value = { asset, creditedUnits: 10_000_000n, feeUnits: 100_000n };
  await ledger.post(
    anEntry({
      ...about,
      kind: 'income',
      postings: income({ ...value, receivedMicroUsd: 10_100_000n, creditedMicroUsd: 10_000_000n }),
      feed: {
        type: 'income',
        asset,
        currency: 'USD',
        referenceId: invoice.id,
        amountUnits: 10_000_000n,
        feeUnits: 100_000n,
        microUsd: 10_000_000n,
      },
    }),
  );
  const txid = aHash();
  const given = { merchantId, kind: 'refund', invoiceId: invoice.id, processedAt: NOW } as const;
  const failed = aPayout({ ...given, status: 'failed', failure: 'reverted' });
  const paid = aPayout({ ...given, status: 'success', txid, txHashes: [txid] });
  const postings = refund(paid.reservedMicroUsd);
  for (const payout of [failed, paid]) {
    await payouts.insert(payout);
    await ledger.post(anEntry({ merchantId, kind: 'refund', referenceId: payout.id, postings }));
    if (payout === failed) {
      const back = anEntry({ merchantId, kind: 'refund_reversed', referenceId: payout.id });
      await ledger.post({ ...back, postings: reversed(postings) });
    }
  }
  await ledger.post(
    anEntry({
      merchantId,
      kind: 'refund_settled',
      referenceId: paid.id,
      postings: paidOut({
        reserve: 'refunds_in_flight',
        asset,
        units: paid.sentUnits,
        reservedMicroUsd: paid.reservedMicroUsd,
        feeMicroUsd: paid.feeMicroUsd,
      }),
    }),
  );
  return paid;
}

/** A sandbox invoice whose payment was simulated: funds, and a credit, without a deposit. */
export async function simulatedPayment(repositories: Repositories, merchantId: string): Promise<void> {
  const invoice = anInvoice({ merchantId, sandbox: true, ...inStatus('paid_over') });
  await repositories.invoices.insert(invoice);
  await repositories.ledger.post(
    anEntry({
      id: anId(),
      merchantId,
      sandbox: true,
      kind: 'income',
      referenceId: invoice.id,
      postings: income({
        asset: 'usdt_ethereum',
        creditedUnits: 12_000_000n,
        feeUnits: 0n,
        receivedMicroUsd: 12_000_000n,
        creditedMicroUsd: 12_000_000n,
      }),
      feed: {
        type: 'income',
        asset: 'usdt_ethereum',
        amountUnits: 12_000_000n,
        feeUnits: 0n,
        currency: 'USD',
        microUsd: 12_000_000n,
        referenceId: invoice.id,
      },
    }),
  );
}
