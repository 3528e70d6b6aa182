/** What needs attention, compared with a naive list over the same random records. */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  ATTENTION_CODES,
  ATTENTION_OF_STRAY,
  type AttentionCode,
} from '../../../src/domain/console/attention.ts';
import { STRAY_REASON_CODES } from '../../../src/domain/deposits/stray-reason.ts';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import type { AttentionCase, AttentionQueries } from '../../../src/ports/console/attention-queries.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import type { WebhookQueue } from '../../../src/ports/webhooks/webhook-queue.ts';
import {
  aDelivery,
  aDeposit,
  anId,
  anInvoice,
  aPayout,
  inStatus,
  secondsAfter,
} from '../../support/builders.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedAttention extends Opened {
  readonly webhookQueue: WebhookQueue;
  readonly consoleQueries: AttentionQueries;
}

type Placed = AttentionCase & Scope & { readonly id: string };
const NOTHING = {
  ...{ invoiceId: null, depositId: null, payoutId: null, claimId: null, deliveryId: null },
  ...{ strayReason: null, asset: null, units: null },
};
const FROM = secondsAfter(50);

function aClaim(given: Partial<RefundClaim> & Scope): RefundClaim {
  return {
    ...{ id: anId(), subject: 'invoice', invoiceId: null, depositId: null, asset: 'usdt_ethereum' },
    ...{ units: 1_000n, feeBearer: 'merchant', onCheckout: true, orderedBy: null, status: 'open' },
    ...{ address: null, payoutId: null, expiresAt: secondsAfter(99_999) },
    ...{ createdAt: secondsAfter(0), updatedAt: secondsAfter(0) },
    ...given,
  };
}

export function describeAttentionQueries(name: string, open: () => Promise<OpenedAttention>): void {
  describe(`${name}: attention`, () => {
    const storage = openedFor(open);
    let scopes: readonly [Scope, ...Scope[]];
    const cases: Placed[] = [];

    beforeAll(async () => {
      const random = seeded(21);
      const [one, two] = [await storage.merchant(), await storage.merchant()];
      scopes = [
        { merchantId: one.id, sandbox: false },
        { merchantId: one.id, sandbox: true },
        { merchantId: two.id, sandbox: false },
      ];
      const note = (
        scope: Scope,
        id: string,
        made: Partial<AttentionCase> & { code: AttentionCode; since: Date },
      ) => cases.push({ ...NOTHING, ...scope, id, ...made });
      const ended: { id: string; at: Date; state: 'dead' | 'delivered' }[] = [];
      await storage.run(async (r) => {
        for (let n = 0; n < 300; n += 1) {
          const scope = random.pick(scopes);
          const at = secondsAfter(Math.floor(n / 3));
          const asset = 'usdt_ethereum';
          const claim = async (given: Partial<RefundClaim>) => {
            const status = random.pick(['open', 'expired', 'withdrawn', 'paid', null]);
            if (status === null) return false;
            const made = aClaim({
              ...{ ...scope, ...given, status, createdAt: at },
              ...(status === 'paid' ? { address: '0xab', payoutId: anId() } : {}),
            });
            await r.refundClaims.insert(made);
            const { id: claimId, invoiceId, depositId, units } = made;
            if (status === 'open')
              note(scope, claimId, {
                code: 'refund_open',
                since: at,
                claimId,
                invoiceId,
                depositId,
                asset,
                units,
              });
            return status === 'open' || status === 'paid';
          };
          switch (n % 5) {
            case 0: {
              const status = random.pick([
                'partially_paid',
                'cancelled',
                'paid_over',
                'success',
                'created',
                'high_risk',
              ]);
              const invoice = anInvoice({ ...scope, ...inStatus(status, at), createdAt: at, updatedAt: at });
              await r.invoices.insert(invoice);
              const settled = await claim({ subject: 'surplus', invoiceId: invoice.id });
              if (settled || at < FROM) break;
              const about = { since: at, invoiceId: invoice.id, asset };
              if (status === 'paid_over')
                note(scope, invoice.id, { ...about, code: 'over', units: 1_900_000n });
              if (status === 'partially_paid' || status === 'cancelled')
                note(scope, invoice.id, { ...about, code: 'partial', units: 5_100_000n });
              break;
            }
            case 1: {
              const strayReason = random.pick([...STRAY_REASON_CODES] as ['no_invoice']);
              const deposit = aDeposit({ ...scope, status: 'stray', strayReason, firstSeenAt: at });
              await r.deposits.insertAll([deposit]);
              if (await claim({ subject: 'deposit', depositId: deposit.id })) break;
              const about = { since: at, depositId: deposit.id, asset, units: deposit.units, strayReason };
              note(scope, deposit.id, { ...about, code: ATTENTION_OF_STRAY[strayReason] });
              break;
            }
            case 2: {
              const status = random.pick(['held', 'credited', 'rejected']);
              const invoice = anInvoice({ ...scope });
              await r.invoices.insert(invoice);
              const deposit = aDeposit({ ...scope, status, invoiceId: invoice.id, firstSeenAt: at });
              await r.deposits.insertAll([deposit]);
              const about = { since: at, depositId: deposit.id, invoiceId: invoice.id, asset };
              if (status === 'held')
                note(scope, deposit.id, { ...about, code: 'high_risk', units: deposit.units });
              break;
            }
            case 3: {
              const state = random.pick(['dead', 'delivered', 'waiting']);
              const about = random.pick(['invoice', 'payout']);
              const [invoice, payout] = [anInvoice({ ...scope }), aPayout({ ...scope })];
              await (about === 'invoice' ? r.invoices.insert(invoice) : r.payouts.insert(payout));
              const subject =
                about === 'invoice'
                  ? { invoiceId: invoice.id, payoutId: null }
                  : { invoiceId: null, payoutId: payout.id };
              const made = { ...scope, ...subject, ...(about === 'invoice' ? {} : { invoiceVersion: null }) };
              const delivery = aDelivery({ ...made, eventAt: at });
              await r.webhooks.enqueue(delivery);
              const { id: deliveryId } = delivery;
              if (state === 'waiting') break;
              ended.push({ id: deliveryId, at, state });
              if (state === 'dead' && at >= FROM)
                note(scope, deliveryId, { ...subject, code: 'webhook_given_up', since: at, deliveryId });
              break;
            }
            default: {
              const kind = random.pick(['payout', 'refund']);
              const state = random.pick(['held', 'failed', 'pending']);
              const refunded = anInvoice({ ...scope });
              if (kind === 'refund') await r.invoices.insert(refunded);
              const payout = aPayout({
                ...{ ...scope, kind, createdAt: at, invoiceId: kind === 'refund' ? refunded.id : null },
                ...(state === 'held' ? { held: { code: 'limit' as const, text: 'too much' } } : {}),
                ...(state === 'failed'
                  ? { status: 'failed' as const, failure: 'reverted', processedAt: at }
                  : {}),
              });
              await r.payouts.insert(payout);
              const about = { since: at, payoutId: payout.id, asset, units: payout.amountUnits };
              if (kind === 'refund') break;
              if (state === 'held') note(scope, payout.id, { ...about, code: 'held_payout' });
              if (state === 'failed' && at >= FROM)
                note(scope, payout.id, { ...about, code: 'failed_payout' });
            }
          }
        }
      });
      const { webhookQueue } = storage.ports();
      for (const { id, at, state } of ended) {
        const delivery = await webhookQueue.claimOne(id, { now: secondsAfter(9_999), leaseSeconds: 60 });
        if (delivery === null) throw new Error('it cannot be claimed');
        const outcome = { attemptId: anId(), delivery, statusCode: 500, responseBody: '', sentAt: at };
        await webhookQueue.record([{ ...outcome, next: { state } }]);
      }
    });

    const naive = (scope: Scope, code: AttentionCode | null): readonly AttentionCase[] =>
      cases
        .filter((one) => one.merchantId === scope.merchantId && one.sandbox === scope.sandbox)
        .filter((one) => code === null || one.code === code)
        .sort((a, b) => b.since.getTime() - a.since.getTime() || (a.id < b.id ? 1 : -1))
        .map(({ merchantId: _merchant, sandbox: _sandbox, id: _id, ...one }) => one);

    test('pages are the newest cases of a code or of all, with exact totals', async () => {
      const queries = storage.ports().consoleQueries;
      for (const scope of scopes)
        for (const code of [null, ...ATTENTION_CODES]) {
          const expected = naive(scope, code);
          for (const { page, perPage } of [
            ...[
              { page: 1, perPage: 100 },
              { page: 1, perPage: 3 },
              { page: 3, perPage: 2 },
            ],
            { page: 9_999_999, perPage: 100 },
          ]) {
            const found = await queries.attention(scope, { from: FROM, code }, { page, perPage });
            const rows = expected.slice((page - 1) * perPage, page * perPage);
            expect({ code, page, ...found }).toEqual({ code, page, rows, total: expected.length });
          }
        }
    });

    test('each code of the test has a case, and its count', async () => {
      for (const scope of scopes) {
        const counts = await storage.ports().consoleQueries.attentionCounts(scope, FROM);
        for (const code of ATTENTION_CODES)
          expect([code, counts[code]]).toEqual([code, naive(scope, code).length]);
      }
      for (const code of ATTENTION_CODES)
        expect([code, cases.some((one) => one.code === code)]).toEqual([code, true]);
    });
  });
}
