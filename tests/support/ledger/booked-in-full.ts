/**
 * The world of `booked` where every law of the books holds (ledger-laws.ts), and with one of each
 * further thing that is booked: the operator's money, a forward, a fee for nothing, a surplus that
 * is given back, and what merchants were told.
 */
import { summaryChange } from '../../../src/adapters/postgres/ledger/ledger-summary.ts';
import { isDelivered } from '../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  capital,
  feeChargedPostings,
  networkFee,
  payoutReserved,
  refund,
  reversed,
} from '../../../src/domain/ledger.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import type { NewEntry } from '../../../src/ports/ledger-repository.ts';
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { aDelivery, aHash, aMerchant, anEntry, anId, aPayout, NOW, secondsAfter } from '../builders.ts';
import { anOutgoing, aSigned } from '../payouts/outgoing-builders.ts';
import { type Booked, booked } from './booked.ts';

/** Of a merchant of its own. */
export function bookedInFull(unitOfWork: UnitOfWork): Promise<Booked> {
  return unitOfWork.run(async (repositories) => {
    const merchant = aMerchant();
    await repositories.merchants.insert(merchant);
    return bookAll(repositories, merchant.id);
  });
}

async function bookAll(given: Repositories, merchantId: string): Promise<Booked> {
  const invoices: Invoice[] = [];
  const repositories: Repositories = {
    ...given,
    invoices: {
      ...given.invoices,
      async insert(invoice) {
        invoices.push(invoice);
        await given.invoices.insert(invoice);
      },
    },
    ledger: { ...given.ledger, post: (entry) => given.ledger.post(withFeed(entry)) },
  };
  const world = await booked(repositories, merchantId);
  await operatorsMoney(repositories);
  await feeForNothing(repositories, merchantId);
  await surplus(repositories, world);
  for (const invoice of invoices.filter(({ status }) => isDelivered(status)))
    for (const invoiceVersion of [invoice.version - 1, invoice.version])
      await repositories.webhooks.enqueue(aDelivery({ invoiceId: invoice.id, merchantId, invoiceVersion }));
  return world;
}

/** What moves a balance is a line of the feed. */
function withFeed(entry: NewEntry): NewEntry {
  const { column, change } = summaryChange(entry);
  if (entry.feed !== null || column === null || column === 'income' || change === 0n) return entry;
  const { referenceId } = entry;
  const asset = 'usdt_ethereum';
  const type = column === 'payouts' ? 'payout' : 'refund';
  const currency = type === 'refund' ? 'USD' : null;
  return {
    ...entry,
    feed: { type, asset, amountUnits: change, feeUnits: null, currency, microUsd: change, referenceId },
  };
}

const HOUSE = { merchantId: null, sandbox: false, depositId: null } as const;

async function operatorsMoney(repositories: Repositories): Promise<void> {
  const { ledger } = repositories;
  const booking = {
    ...{ id: anId(), chain: 'ethereum', asset: 'eth_ethereum', units: 900_000n, note: '', at: NOW },
    ...{ block: { height: 90, hash: aHash() }, coin: null, address: null },
  };
  await repositories.capital.insert(booking);
  const { asset, units } = booking;
  await ledger.post(
    anEntry({ ...HOUSE, kind: 'capital', referenceId: booking.id, postings: capital(asset, units) }),
  );
  const forward = await mined(repositories, anOutgoing({ purpose: 'forward', asset, units: 1_000n }));
  await ledger.post(
    anEntry({ ...HOUSE, kind: 'forward', referenceId: forward.id, postings: capital(asset, -forward.units) }),
  );
}

/** Signed and in a block, with its network fee. */
async function mined(
  { outgoing, ledger }: Repositories,
  transfer: OutgoingTransfer,
  failure: OutgoingTransfer['failure'] = null,
): Promise<OutgoingTransfer> {
  const txid = aHash();
  await outgoing.insert({ ...transfer, status: 'signed' });
  await outgoing.insertSigned(aSigned({ transferBatchId: transfer.id, txid }));
  const saved: OutgoingTransfer = {
    ...transfer,
    ...{ status: failure === null ? 'confirmed' : 'failed', txid, failure, feeUnits: 42_000n },
    block: { height: 121, hash: aHash() },
  };
  await outgoing.save(saved);
  const postings = networkFee({ asset: 'eth_ethereum', units: 42_000n, microUsd: 84n });
  await ledger.post(anEntry({ ...HOUSE, kind: 'network_fee', referenceId: transfer.id, postings }));
  return saved;
}

async function feeForNothing(repositories: Repositories, merchantId: string): Promise<void> {
  const { ledger } = repositories;
  const payout = aPayout({
    ...{ merchantId, reservedMicroUsd: 3n, status: 'failed', failure: 'reverted', processedAt: NOW },
    wastedFeeMicroUsd: 84n,
  });
  await repositories.payouts.insert(payout);
  const about = { merchantId, referenceId: payout.id };
  const postings = payoutReserved(payout.reservedMicroUsd);
  await ledger.post(anEntry({ ...about, kind: 'payout_reserved', postings }));
  const { asset, address: to, sentUnits: units } = payout;
  await mined(repositories, anOutgoing({ referenceId: payout.id, asset, to, units, nonce: 1n }), {
    code: 'reverted',
    text: 'reverted',
  });
  await ledger.post(anEntry({ ...about, kind: 'payout_released', postings: reversed(postings) }));
  await ledger.post(anEntry({ ...about, kind: 'payout_fee_charged', postings: feeChargedPostings(84n) }));
}

/** The invoice stays paid. */
async function surplus(repositories: Repositories, { merchantId, invoice }: Booked): Promise<void> {
  const claim: RefundClaim = {
    ...{ id: anId(), merchantId, sandbox: false, invoiceId: invoice.id, depositId: null },
    ...{ subject: 'surplus', status: 'open', feeBearer: 'client' },
    ...{ asset: 'usdt_ethereum', units: 5n, onCheckout: false, orderedBy: null },
    ...{ address: null, payoutId: null, expiresAt: secondsAfter(60), createdAt: NOW, updatedAt: NOW },
  };
  await repositories.refundClaims.insert(claim);
  const payout = aPayout({
    ...{ merchantId, kind: 'refund', invoiceId: invoice.id, refundClaimId: claim.id, reservedMicroUsd: 5n },
  });
  await repositories.payouts.insert(payout);
  const postings = refund(payout.reservedMicroUsd);
  await repositories.ledger.post(anEntry({ merchantId, kind: 'refund', referenceId: payout.id, postings }));
}
