/**
 * The records about one invoice or payout: each list oldest first, of what belongs to it and of
 * nothing else, and only in its scope. The storage sends e-mails.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { income, payoutReserved } from '../../../src/domain/ledger.ts';
import type { CustomerMail } from '../../../src/domain/mails/customer-mail.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import { FACTS_MAX, type TimelineQueries } from '../../../src/ports/console/timeline-queries.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import type { WebhookQueue } from '../../../src/ports/webhooks/webhook-queue.ts';
import {
  aDelivery,
  aDeposit,
  aHash,
  anAddress,
  anEntry,
  anId,
  anInvoice,
  anIssuedAddress,
  aPayout,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedTimelines extends Opened {
  readonly webhookQueue: WebhookQueue;
  readonly consoleQueries: TimelineQueries;
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const FACTS = { url: 'https://shop.example/hook', statusCode: 503 };

export function describeTimelineQueries(name: string, open: () => Promise<OpenedTimelines>): void {
  describe(`${name}: time lines`, () => {
    const storage = openedFor(open);
    const queries = () => storage.ports().consoleQueries;
    let scope: Scope;
    beforeAll(async () => {
      scope = { merchantId: (await storage.merchant()).id, sandbox: false };
    });

    /** Tries a delivery once; it then waits for the next try, or is given up. */
    async function tried(id: string, seconds: number, next: 'dead' | 'pending' = 'pending') {
      const { webhookQueue } = storage.ports();
      const delivery = await webhookQueue.claimOne(id, { now: secondsAfter(seconds), leaseSeconds: 1 });
      if (delivery === null) throw new Error('it cannot be claimed');
      const sentAt = secondsAfter(seconds);
      const outcome = { attemptId: anId(), delivery, statusCode: 503, responseBody: `${seconds}`, sentAt };
      const after = next === 'dead' ? { state: next } : { state: next, dueAt: secondsAfter(seconds + 60) };
      await webhookQueue.record([{ ...outcome, next: after }]);
      return { ...FACTS, responseBody: `${seconds}`, sentAt };
    }
    async function enqueued(given: Partial<NewDelivery>): Promise<NewDelivery> {
      const delivery = aDelivery({ ...scope, ...given });
      await storage.run((r) => r.webhooks.enqueue(delivery));
      return delivery;
    }
    function aClaim(given: Partial<RefundClaim>): RefundClaim {
      return {
        ...{ ...scope, id: anId(), subject: 'surplus', invoiceId: null, depositId: null },
        ...{ asset: 'usdt_ethereum', units: 7n, feeBearer: 'client', onCheckout: false, orderedBy: 'ann' },
        ...{ status: 'open', address: null, payoutId: null, expiresAt: secondsAfter(999) },
        ...{ createdAt: NOW, updatedAt: NOW },
        ...given,
      };
    }
    function anIncome(referenceId: string, seconds: number, depositId: string | null) {
      const value = { asset: 'usdt_ethereum', creditedUnits: 10n, feeUnits: 1n, receivedMicroUsd: 11n };
      return anEntry({
        ...{ ...scope, referenceId, depositId, kind: 'income', at: secondsAfter(seconds) },
        postings: income({ ...value, creditedMicroUsd: 9n }),
      });
    }

    describe('of an invoice', () => {
      let invoice: Invoice;
      let other: Invoice;
      let deposits: readonly Deposit[];
      let unmatched: readonly Deposit[];
      let claims: readonly RefundClaim[];
      let refunds: readonly Payout[];
      let mails: readonly CustomerMail[];

      beforeAll(async () => {
        invoice = anInvoice({ ...scope, ...inStatus('paid_over'), metadata: { n: 1 } });
        other = anInvoice({ ...scope });
        const [first, second] = [anAddress(), anAddress()];
        const paidAt = (seconds: number, given: Partial<Deposit>) =>
          aDeposit({ ...scope, address: first, firstSeenAt: secondsAfter(seconds), ...given });
        deposits = [
          paidAt(5, { invoiceId: invoice.id, status: 'credited' }),
          paidAt(9, { invoiceId: invoice.id, status: 'dropped', block: null }),
        ];
        unmatched = [
          paidAt(6, { status: 'stray' }),
          paidAt(8, { address: second, status: 'stray', strayReason: 'other_asset' }),
        ];
        claims = [aClaim({ invoiceId: invoice.id, status: 'withdrawn' }), aClaim({ invoiceId: invoice.id })];
        const refundOf = { kind: 'refund', status: 'failed', failure: 'x', processedAt: NOW } as const;
        refunds = [
          aPayout({ ...scope, ...refundOf, invoiceId: null, refundClaimId: claims[0]!.id }),
          aPayout({ ...scope, ...refundOf, invoiceId: invoice.id, refundClaimId: claims[1]!.id }),
        ];
        const mailed = { ...scope, invoiceId: invoice.id, recipient: 'ann@shop.example', language: 'en' };
        const waits = { status: 'queued', tries: 0, dueAt: NOW, failure: null } as const;
        mails = [
          { ...mailed, ...waits, id: anId(), kind: 'refund', refundClaimId: claims[1]!.id, createdAt: NOW },
          { ...mailed, ...waits, id: anId(), kind: 'receipt', refundClaimId: null, createdAt: NOW },
        ];
        await storage.run(async (r) => {
          await r.invoices.insert(invoice);
          await r.invoices.insert(other);
          const issued = (given: Partial<Parameters<typeof r.addresses.insert>[0]>) =>
            r.addresses.insert(anIssuedAddress({ ...scope, invoiceId: invoice.id, ...given }));
          await issued({ address: second, family: 'tron' });
          await issued({ address: first });
          await r.addresses.insert(anIssuedAddress({ ...scope, invoiceId: other.id }));
          for (const deposit of [deposits[1]!, unmatched[1]!, unmatched[0]!, deposits[0]!])
            await r.deposits.insertAll([deposit]);
          await r.deposits.insertAll([paidAt(7, { invoiceId: other.id })]);
          for (const claim of claims.toReversed()) await r.refundClaims.insert(claim);
          for (const refund of refunds.toReversed()) await r.payouts.insert(refund);
          for (const mail of mails.toReversed()) await r.customerMails.queue(mail);
          await r.ledger.post(anIncome(invoice.id, 20, deposits[0]!.id));
          await r.ledger.post(
            anEntry({
              ...scope,
              referenceId: unmatched[0]!.id,
              depositId: unmatched[0]!.id,
              at: secondsAfter(21),
            }),
          );
          await r.ledger.post(anIncome(invoice.id, 20, null));
          await r.ledger.post(anIncome(other.id, 20, null));
        });
      });

      test('its money is there, and what it refers to', async () => {
        const facts = await queries().invoiceFacts(scope, invoice.id);
        expect(facts).toMatchObject({ invoice, deposits, unmatched, claims, refunds, mails });
        expect(facts?.issued.map(({ family }) => family)).toEqual(['evm', 'tron']);
        const entry = { kind: 'income', referenceId: invoice.id, at: secondsAfter(20), microUsd: 9n };
        expect(facts?.entries).toEqual([
          { ...entry, kind: 'income', depositId: deposits[0]!.id },
          { ...entry, kind: 'income', depositId: null },
          {
            ...{ kind: 'deposit_arrived', referenceId: unmatched[0]!.id, depositId: unmatched[0]!.id },
            ...{ at: secondsAfter(21), microUsd: 0n },
          },
        ]);
      });

      test('its webhooks are there without replays, with what the queue still has of them', async () => {
        const ofInvoice = (given: Partial<NewDelivery>) => enqueued({ invoiceId: invoice.id, ...given });
        const third = await ofInvoice({ invoiceVersion: 3, url: null });
        const first = await ofInvoice({ invoiceVersion: 1, body: '{"event":"invoice.named","status":"x"}' });
        const second = await ofInvoice({ invoiceVersion: 2 });
        const replay = await ofInvoice({ invoiceVersion: null });
        await enqueued({ invoiceId: other.id });
        const attempts = [
          await tried(second.id, 30),
          await tried(first.id, 31, 'dead'),
          await tried(replay.id, 32),
        ];
        const facts = await queries().invoiceFacts(scope, invoice.id);
        const { url } = FACTS;
        expect(facts?.deliveries).toEqual([
          {
            ...{ id: first.id, url, eventAt: NOW, type: 'invoice.named' },
            queued: { dueAt: expect.any(Date), attempts: 1, deadAt: secondsAfter(31) },
          },
          {
            ...{ id: second.id, url, eventAt: NOW, type: 'invoice.success' },
            queued: { dueAt: secondsAfter(90), attempts: 1, deadAt: null },
          },
          { id: third.id, url: null, eventAt: NOW, type: 'invoice.success', queued: null },
        ]);
        expect(facts?.attempts).toEqual(attempts.map((attempt) => ({ ...attempt, attempt: 1 })));
      });

      test('of many records the newest are there, oldest first', async () => {
        const many = Array.from({ length: FACTS_MAX + 3 }, (_, n) =>
          aDeposit({ ...scope, invoiceId: other.id, firstSeenAt: secondsAfter(100 + n) }),
        );
        await storage.run(async (r) => {
          for (const deposit of many.toReversed()) await r.deposits.insertAll([deposit]);
        });
        expect(ids((await queries().invoiceFacts(scope, other.id))?.deposits ?? [])).toEqual(
          ids(many.slice(3)),
        );
      });

      test('operators have the same, and another merchant or environment has none', async () => {
        expect(await queries().invoiceFacts(null, invoice.id)).toEqual(
          await queries().invoiceFacts(scope, invoice.id),
        );
        const elsewhere = { merchantId: (await storage.merchant()).id, sandbox: false };
        for (const of of [elsewhere, { ...scope, sandbox: true }])
          expect(await queries().invoiceFacts(of, invoice.id)).toBeNull();
        expect(await queries().invoiceFacts(null, anId())).toBeNull();
      });
    });

    describe('of a payout', () => {
      test('what was signed, posted and told is there', async () => {
        const hash = aHash();
        const sent = { status: 'processing', txid: hash, txHashes: [hash] } as const;
        const payout = aPayout({ ...scope, ...sent, ref: 'salary' });
        const wallet = anAddress();
        const transfer = (nonce: bigint, given: Parameters<typeof anOutgoing>[0]) =>
          anOutgoing({
            wallet,
            nonce,
            referenceId: payout.id,
            createdAt: secondsAfter(Number(nonce)),
            ...given,
          });
        const transfers = [
          transfer(0n, { status: 'failed', failure: { code: 'reverted', text: 'it was reverted' } }),
          transfer(1n, { status: 'signed' }),
        ];
        const signed = [
          { transferBatchId: transfers[0]!.id, ordinal: 1, signedAt: secondsAfter(2) },
          { transferBatchId: transfers[1]!.id, ordinal: 1, signedAt: secondsAfter(3) },
          { transferBatchId: transfers[1]!.id, ordinal: 2, signedAt: secondsAfter(3), voids: true },
        ].map(aSigned);
        await storage.run(async (r) => {
          await r.payouts.insert(payout);
          for (const each of transfers) {
            await r.outgoing.takeNonce({ chain: each.chain, address: wallet, atLeast: 0n });
            await r.outgoing.insert({ ...each, status: 'allocated', failure: null });
            await r.outgoing.save(each);
          }
          for (const each of signed.toReversed()) await r.outgoing.insertSigned(each);
          await r.ledger.post(
            anEntry({
              ...scope,
              referenceId: payout.id,
              kind: 'payout_reserved',
              postings: payoutReserved(5n),
            }),
          );
        });
        const about = { invoiceId: null, payoutId: payout.id, invoiceVersion: null, eventAt: NOW };
        const [first, second] = [
          await enqueued({ ...about, body: '{"status":"processing"}' }),
          await enqueued({ ...about, body: '{"status":"success"}' }),
        ];
        const attempts = [await tried(second.id, 40), await tried(first.id, 41)];
        const facts = await queries().payoutFacts(scope, payout.id);
        expect(facts?.payout).toEqual(payout);
        expect(facts?.allocatedAt).toEqual([secondsAfter(0), secondsAfter(1)]);
        expect(facts?.signed).toEqual(
          signed.map(({ txid, ordinal, voids, signedAt }) => ({
            ...{ txid, ordinal, voids, signedAt, broadcastAt: null },
          })),
        );
        expect(facts?.entries).toEqual([
          { kind: 'payout_reserved', referenceId: payout.id, depositId: null, at: NOW, microUsd: -5n },
        ]);
        expect(facts?.deliveries.map(({ id, type }) => [id, type])).toEqual([
          [first.id, 'payout.processing'],
          [second.id, 'payout.success'],
        ]);
        expect(facts?.attempts).toEqual(attempts.map((attempt) => ({ ...attempt, attempt: 1 })));
        expect(await queries().payoutFacts(null, payout.id)).toEqual(facts);
        for (const of of [
          { merchantId: anId(), sandbox: false },
          { ...scope, sandbox: true },
        ])
          expect(await queries().payoutFacts(of, payout.id)).toBeNull();
      });

      test('a refund is there for operators alone', async () => {
        const invoice = anInvoice({ ...scope });
        const refund = aPayout({ ...scope, kind: 'refund', invoiceId: invoice.id });
        await storage.run(async (r) => {
          await r.invoices.insert(invoice);
          await r.payouts.insert(refund);
        });
        expect(await queries().payoutFacts(scope, refund.id)).toBeNull();
        expect(await queries().payoutFacts(null, refund.id)).toEqual({
          ...{ payout: refund, entries: [], allocatedAt: [], signed: [], deliveries: [], attempts: [] },
        });
      });
    });
  });
}
