/** Damages to payouts, refunds and transfers. */
import { invoices } from '../../../src/adapters/postgres/schema/invoices.ts';
import { ledgerEntries, ledgerPostings } from '../../../src/adapters/postgres/schema/ledger.ts';
import { outgoingTransfers, signedTransactions } from '../../../src/adapters/postgres/schema/outgoing.ts';
import { payouts } from '../../../src/adapters/postgres/schema/payouts.ts';
import type { FailureCode } from '../../../src/domain/sending/outgoing-failure.ts';
import type { Booked } from './booked.ts';
import { type Damage, entryIds, entryOf, is, type RawRows, SUMS, withoutPostings } from './raw-rows.ts';

async function feeForNothing(raw: RawRows, { transfer, settled }: Booked, code: FailureCode): Promise<void> {
  await raw.change(outgoingTransfers, is(transfer), {
    ...{ status: 'failed', failure: 'x', failureCode: code },
  });
  await raw.change(payouts, is(settled), { wastedFeeMicroUsd: 84n });
}

export const PAYOUT_DAMAGES: readonly Damage[] = [
  [
    'a payout that ended without its entry',
    (raw, { failed }) =>
      raw.change(payouts, is(failed), { status: 'pending', failure: null, processedAt: null }),
    ['payout has its entries'],
  ],
  [
    'a payout that was called paid',
    (raw, { failed }) =>
      raw.change(payouts, is(failed), {
        ...{ status: 'success', failure: null, txid: 'x', txHashes: ['x'] },
      }),
    ['payout has its entries', 'treasury holds what arrived and was not paid out'],
  ],
  [
    'a payout that was paid and called failed',
    (raw, { settled }) => raw.change(payouts, is(settled), { status: 'failed', failure: 'x' }),
    [
      'payout has its entries',
      'transfer does what its payout says',
      'treasury holds what arrived and was not paid out',
    ],
  ],
  [
    'entries of a payout that is gone',
    (raw, { failed }) => raw.remove(payouts, is(failed)),
    ['entry has its payout', 'payouts are numbered without gaps'],
  ],
  [
    'a refund whose entry is of another kind',
    (raw, { refund }) =>
      raw.change(ledgerEntries, entryOf(refund, 'refund_settled'), { kind: 'payout_settled' }),
    ['entry has its payout', SUMS],
  ],
  [
    'a payout that sent another amount',
    (raw, { refund }) => raw.change(payouts, is(refund), ({ sentUnits }) => ({ sentUnits: sentUnits - 1n })),
    ['payment posts what its payout sent', 'treasury holds what arrived and was not paid out'],
  ],
  [
    'a payment that was booked in another asset',
    async (raw, { refund }) => {
      const ids = await entryIds(raw, entryOf(refund));
      await raw.change(ledgerPostings, ({ entryId, currency }) => currency !== 'USD' && ids.has(entryId), {
        currency: 'usdc_ethereum',
      });
    },
    ['payment posts what its payout sent', 'treasury holds what arrived and was not paid out'],
  ],
  [
    'a released reserve that is not marked',
    (raw, { failed }) => raw.change(ledgerEntries, entryOf(failed), { reversedBy: null }),
    ['what was taken back is marked so, and nothing else'],
  ],
  [
    'a reserve that is marked as taken back and was not',
    async (raw, { settled, failed }) => {
      const [reversedBy = null] = await entryIds(raw, entryOf(failed, 'payout_released'));
      await raw.change(ledgerEntries, entryOf(settled, 'payout_reserved'), { reversedBy });
    },
    ['what was taken back is marked so, and nothing else'],
  ],
  [
    'a refunded invoice that is not',
    (raw, { refund }) =>
      raw.change(invoices, ({ id }) => id === refund.invoiceId, {
        status: 'success',
        creditedUnits: 10_100_000n,
      }),
    ['refunded invoice has its refund'],
  ],
  [
    'an invoice that was called refunded',
    (raw, { invoice }) => raw.change(invoices, is(invoice), { status: 'refunded' }),
    ['refunded invoice has its refund'],
  ],
  [
    'a refund that was taken back from the merchant and whose payout stands',
    async (raw, { refund }) => {
      await withoutPostings(raw, entryOf(refund, 'refund'));
      await raw.remove(ledgerEntries, entryOf(refund, 'refund'));
    },
    ['balance equals the postings to the merchant', 'payout has its entries', SUMS],
  ],
  [
    'a payout whose reserve is another amount',
    (raw, { settled }) => raw.change(payouts, is(settled), { reservedMicroUsd: 1n }),
    ['reserve equals what the payout took'],
  ],
];

export const TRANSFER_DAMAGES: readonly Damage[] = [
  [
    'a transfer to another address',
    (raw, { transfer }) => raw.change(outgoingTransfers, is(transfer), { toAddress: 'elsewhere' }),
    ['transfer does what its payout says'],
  ],
  [
    'a confirmed transfer that nobody signed',
    (raw, { transfer }) =>
      raw.remove(signedTransactions, ({ transferBatchId }) => transferBatchId === transfer.id),
    ['transfer status follows what was signed'],
  ],
  [
    'a transfer that was settled by a transaction of somebody else',
    (raw, { transfer }) =>
      raw.change(signedTransactions, ({ transferBatchId }) => transferBatchId === transfer.id, {
        txid: 'another',
      }),
    ['transfer status follows what was signed'],
  ],
  [
    'a forward that was not booked',
    (raw, { transfer }) => raw.change(outgoingTransfers, is(transfer), { purpose: 'forward' }),
    ['forward has its entry'],
  ],
  [
    'a payout that says that its fee was charged for nothing, which it was not',
    (raw, { failed }) => raw.change(payouts, is(failed), { wastedFeeMicroUsd: 84n }),
    ['wasted fee of a payout is what the network took', 'wasted fee of a payout is what was charged for it'],
  ],
  [
    'a fee for nothing that the merchant bears, though our own wallet could not pay',
    (raw, world) => feeForNothing(raw, world, 'unfunded'),
    ['wasted fee of a payout is what the network took', 'wasted fee of a payout is what was charged for it'],
  ],
  [
    'a fee for nothing that the merchant bears, without an entry',
    (raw, world) => feeForNothing(raw, world, 'reverted'),
    ['wasted fee of a payout is what was charged for it'],
  ],
  [
    'a network fee that was changed',
    (raw, { transfer }) => raw.change(outgoingTransfers, is(transfer), { feeUnits: 1n }),
    ['network fee has its entry'],
  ],
  [
    'a network fee that nobody paid',
    (raw, { transfer }) => raw.change(ledgerEntries, entryOf(transfer), { referenceId: 'nothing' }),
    ['network fee has its entry'],
  ],
  [
    'a network fee in the coin of another chain',
    (raw) =>
      raw.change(ledgerPostings, ({ currency }) => currency === 'eth_ethereum', { currency: 'eth_base' }),
    ['network fee has its entry'],
  ],
  [
    'a network fee of a batch that nobody bears',
    async (raw, { batch }) => {
      const [, bearer] = batch.transfers;
      await withoutPostings(raw, entryOf(bearer!, 'network_fee'));
      await raw.remove(ledgerEntries, entryOf(bearer!, 'network_fee'));
      await raw.change(outgoingTransfers, is(bearer!), { feeUnits: 0n });
    },
    ['network fee of a batch is borne once'],
  ],
  [
    'a network fee of a batch that was booked twice as high',
    async (raw, { batch }) => {
      const [, bearer] = batch.transfers;
      const ids = await entryIds(raw, entryOf(bearer!, 'network_fee'));
      await raw.change(
        ledgerPostings,
        ({ entryId, currency }) => currency !== 'USD' && ids.has(entryId),
        ({ amount }) => ({ amount: 2n * amount }),
      );
      await raw.change(outgoingTransfers, is(bearer!), ({ feeUnits }) => ({
        feeUnits: 2n * (feeUnits ?? 0n),
      }));
    },
    ['network fee of a batch is borne once'],
  ],
];
