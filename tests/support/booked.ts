/** A small, consistent world in any storage: one credited, one held and one stray deposit, and a payout of each outcome. */
import type { Deposit } from '../../src/domain/deposit.ts';
import type { Invoice } from '../../src/domain/invoice-record.ts';
import { hold, income, payoutReserved, payoutSettled, refund, reversed } from '../../src/domain/ledger.ts';
import type { Payout } from '../../src/domain/payout-record.ts';
import type { Repositories } from '../../src/ports/repositories.ts';
import { aDeposit, aHash, anEntry, anId, anInvoice, aPayout, inStatus, NOW } from './builders.ts';

export interface Booked {
  readonly merchantId: string;
  readonly invoice: Invoice;
  readonly credited: Deposit;
  readonly held: Deposit;
  readonly stray: Deposit;
  readonly settled: Payout;
  readonly failed: Payout;
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
    await deposits.insertOrLock(deposit);
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
  await ledger.post(
    anEntry({ merchantId, kind: 'refund', referenceId: invoice.id, postings: refund(1_000_000n) }),
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
      const postings = payoutSettled({ asset, units: 5_000_000n, microUsd: payout.reservedMicroUsd });
      await ledger.post(anEntry({ merchantId, kind: 'payout_settled', referenceId: payout.id, postings }));
    }
  }
  return { merchantId, invoice, credited, held, stray, settled, failed };
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
