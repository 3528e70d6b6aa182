/**
 * The contract of OperatorQueries. The adapters' own tests cover broken books, which no port can
 * create.
 */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import type {
  OperatorPayout,
  OperatorPayoutFilter,
  OperatorQueries,
} from '../../../src/ports/operator-queries.ts';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import {
  aDelivery,
  aDeposit,
  aKey,
  anId,
  anInvoice,
  aPayout,
  aWaiting,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { booked, simulatedPayment } from '../../support/ledger/booked.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { openedFor } from '../opened.ts';
import type { OpenedFeeds } from './feed-lists.ts';

export interface OpenedOperator extends OpenedFeeds {
  readonly operatorQueries: OperatorQueries;
}

const NO_OLD_KEYS = { oldLiveKeyUntil: null, oldSandboxKeyUntil: null };

export function describeOperatorQueries(name: string, open: () => Promise<OpenedOperator>): void {
  describe(`${name}: operator queries`, () => {
    const storage = openedFor(open);
    const operator = (): OperatorQueries => storage.ports().operatorQueries;

    test('books that were kept by the rules have no faults', async () => {
      const { id: merchantId } = await storage.merchant();
      await storage.run((r) => booked(r, merchantId));
      await storage.run((r) => simulatedPayment(r, merchantId));
      expect(await operator().reconciliationFaults()).toEqual([]);
    });

    test('names of merchants are those of the ids that exist', async () => {
      const { id, name: called } = await storage.merchant();
      expect(await operator().merchantNames([id, id, anId(), 'no id'])).toEqual(new Map([[id, called]]));
      expect(await operator().merchantNames([])).toEqual(new Map());
    });

    test('merchants come with the environments they have a key for, and the end of an older one', async () => {
      const early = await storage.merchant({ createdAt: secondsAfter(-900) });
      const late = await storage.merchant({ createdAt: secondsAfter(-800) });
      for (let nth = 0; nth < 2; nth += 1)
        await storage.run((r) =>
          r.merchants.putKey(aKey({ merchantId: late.id, environment: 'sandbox' }), secondsAfter(60)),
        );
      const merchants = await operator().merchants();
      expect(merchants.slice(0, 2)).toEqual([
        { ...early, ...NO_OLD_KEYS, hasLiveKey: false, hasSandboxKey: false },
        {
          ...{ ...late, ...NO_OLD_KEYS, hasLiveKey: false, hasSandboxKey: true },
          oldSandboxKeyUntil: secondsAfter(60),
        },
      ]);
    });

    test('merchants come in pages, newest first, by id or a part of the name; and one by its id', async () => {
      const made = [];
      for (const name of ['Tea 1', 'Coffee', 'TEA 2', '50% tea']) made.push(await storage.merchant({ name }));
      const ids = made.map(({ id }) => id);
      const page = async (text: string | null, limit: number, before: string | null = null) =>
        (await operator().merchantPage(text, { before, limit })).map(({ id }) => ids.indexOf(id));
      expect(await page(null, 2)).toEqual([3, 2]);
      expect(await page(null, 2, ids[2])).toEqual([1, 0]);
      expect(await page('tea', 9)).toEqual([3, 2, 0]);
      expect(await page('tea', 9, ids[2])).toEqual([0]);
      expect(await page('%', 9)).toEqual([3]);
      expect(await page(ids[1]?.toUpperCase() ?? '', 9)).toEqual([1]);
      expect(await page('nobody', 9)).toEqual([]);
      const found = await operator().merchant(ids[0] ?? '');
      expect(found).toEqual((await operator().merchants()).find(({ id }) => id === ids[0]) ?? null);
      expect(await operator().merchant(anId())).toBeNull();
    });

    test('deposits are listed by status and environment, oldest first', async () => {
      const { id: merchantId } = await storage.merchant();
      const seen = (seconds: number) => secondsAfter(seconds - 10_000);
      const young = aDeposit({ merchantId, status: 'stray', firstSeenAt: seen(2) });
      const old = aDeposit({ merchantId, status: 'held', firstSeenAt: seen(1) });
      const sandbox = aDeposit({ merchantId, status: 'stray', sandbox: true, firstSeenAt: seen(3) });
      const credited = aDeposit({ merchantId, status: 'credited', firstSeenAt: seen(0) });
      for (const deposit of [young, old, sandbox, credited])
        await storage.run((r) => r.deposits.insertAll([deposit]));
      const listed = (sandboxed: boolean | null, limit: number) =>
        operator().deposits({ statuses: ['stray', 'held'], sandbox: sandboxed, limit });
      expect(await listed(null, 3)).toEqual([old, young, sandbox]);
      expect(await listed(false, 2)).toEqual([old, young]);
      expect(await listed(true, 1)).toEqual([sandbox]);
    });

    test('payouts are listed youngest first, by status, holding and merchant, with their newest transfer', async () => {
      const { id: merchantId } = await storage.merchant();
      const other = await storage.merchant();
      const sent = aPayout({ merchantId, waiting: aWaiting() });
      const held = aPayout({ merchantId, held: heldFor('operator') });
      const sandbox = aPayout({ merchantId, sandbox: true });
      const over = aPayout({ merchantId, status: 'cancelled', processedAt: NOW });
      const foreign = aPayout({ merchantId: other.id });
      const given = anOutgoing({ referenceId: sent.id, voided: true, failure: failureOf('operator') });
      const left = {
        status: 'failed',
        voided: true,
        takenOut: true,
        failure: failureOf('operator'),
      } as const;
      const taken = anOutgoing({ referenceId: sent.id, nonce: 2n, ...left });
      const newest = anOutgoing({ referenceId: sent.id, status: 'signed', nonce: 1n });
      const signed = [1, 2].map((ordinal) => aSigned({ transferBatchId: newest.id, ordinal }));
      await storage.run(async (r) => {
        for (const payout of [sent, held, sandbox, over, foreign]) await r.payouts.insert(payout);
        for (const transfer of [given, newest, taken]) await r.outgoing.insert(transfer);
        for (const each of signed) await r.outgoing.insertSigned(each);
      });
      const all = { statuses: ['pending'] as const, held: false, waiting: false, merchantId, limit: 9 };
      const transfer = {
        id: newest.id,
        status: 'signed',
        chain: newest.chain,
        wallet: newest.wallet,
        nonce: 1n,
        voided: false,
        failure: null,
        txids: signed.map(({ txid }) => txid),
      };
      const list = async (filter: Partial<OperatorPayoutFilter>) =>
        (await operator().payouts({ ...all, ...filter })).map(({ payout }) => payout.id);
      expect(await operator().payouts(all)).toEqual([
        { payout: sandbox, transfer: null },
        { payout: held, transfer: null },
        { payout: sent, transfer: transfer as OperatorPayout['transfer'] },
      ]);
      expect(await list({ held: true })).toEqual([held.id]);
      expect(await list({ waiting: true })).toEqual([sent.id]);
      expect(await list({ limit: 1 })).toEqual([sandbox.id]);
      expect(await list({ id: held.id })).toEqual([held.id]);
      expect(await list({ id: anId() })).toEqual([]);
      expect(await list({ statuses: ['cancelled', 'failed'] })).toEqual([over.id]);
      expect((await list({ merchantId: null })).slice(0, 2)).toEqual([foreign.id, sandbox.id]);
      const { payoutsHeld, payoutsWaiting } = await operator().metrics(NOW);
      expect([payoutsHeld >= 1, (payoutsWaiting.liquidity ?? 0) >= 1]).toEqual([true, true]);
    });

    test('a stop of signing is told with its note until it ends', async () => {
      const set = (stop: { at: Date; note: string } | null) =>
        storage.run((r) => r.outgoing.setSigningStopped(stop));
      await set({ at: NOW, note: 'a drill' });
      expect(await operator().signingStopped()).toEqual({ at: NOW, note: 'a drill' });
      expect((await operator().metrics(NOW)).signingStopped).toBe(true);
      await set(null);
      expect(await operator().signingStopped()).toBeNull();
      expect((await operator().metrics(NOW)).signingStopped).toBe(false);
    });

    /** Tries these deliveries once, a second apart: their receiver refuses them for good. */
    async function giveUp(deliveries: readonly NewDelivery[]): Promise<void> {
      const { webhookQueue } = storage.ports();
      for (const [at, { id }] of deliveries.entries()) {
        const claimed = await webhookQueue.claimOne(id, { now: NOW, leaseSeconds: 60 });
        if (!claimed) throw new Error('not claimed');
        await webhookQueue.record([
          {
            attemptId: anId(),
            delivery: claimed,
            statusCode: 404,
            responseBody: '',
            sentAt: secondsAfter(at),
            next: { state: 'dead' },
          },
        ]);
      }
    }
    type Wanted = Partial<Parameters<OperatorQueries['deadDeliveries']>[0]>;
    const dead = async (wanted: Wanted = {}): Promise<readonly string[]> => {
      const all = { since: null, after: null, limit: 9 };
      return (await operator().deadDeliveries({ ...all, ...wanted })).map(({ id }) => id);
    };

    test('dead deliveries are listed by the time of their death, since one, and page by page', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoices = [0, 1, 2].map(() => anInvoice({ merchantId }));
      const deliveries = invoices.map(({ id }) => aDelivery({ merchantId, invoiceId: id }));
      await storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert(invoice);
        for (const delivery of deliveries) await r.webhooks.enqueue(delivery);
      });
      await giveUp(deliveries);
      const [first = '', second = '', third = ''] = deliveries.map(({ id }) => id);
      expect(await dead()).toEqual([first, second, third]);
      expect(await dead({ limit: 1 })).toEqual([first]);
      expect(await dead({ since: secondsAfter(1) })).toEqual([second, third]);
      expect(await dead({ after: { id: first, deadAt: NOW } })).toEqual([second, third]);
      expect(await dead({ after: { id: 'f'.repeat(24), deadAt: secondsAfter(1) } })).toEqual([third]);
      for (const [since, count] of [
        [NOW, 3],
        [secondsAfter(1), 2],
        [secondsAfter(3), 0],
      ] as const)
        expect(await operator().countDeadDeliveries(since)).toBe(count);
    });

    test('of an invoice only its latest delivery with a URL is listed, and only while it is dead', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const given = { merchantId, invoiceId: invoice.id };
      const own: string[] = [];
      const ownDead = async () => (await dead({ limit: 99 })).filter((id) => own.includes(id));
      const enqueue = async (more: Partial<NewDelivery>): Promise<NewDelivery> => {
        const delivery = aDelivery({ ...given, ...more });
        own.push(delivery.id);
        await storage.run((r) => r.webhooks.enqueue(delivery));
        return delivery;
      };
      await storage.run((r) => r.invoices.insert(invoice));
      const first = await enqueue({ invoiceVersion: 2 });
      await giveUp([first]);
      expect(await ownDead()).toEqual([first.id]);
      // Read by its merchant only.
      await enqueue({ invoiceVersion: 3, url: null });
      expect(await ownDead()).toEqual([first.id]);
      // It has the number of version 3.
      const replayed = await enqueue({ invoiceVersion: null, eventAt: null });
      expect(await ownDead()).toEqual([]);
      await giveUp([replayed]);
      expect(await ownDead()).toEqual([replayed.id]);
      const again = await enqueue({ invoiceVersion: null, eventAt: null });
      expect(await ownDead()).toEqual([]);
      await giveUp([again]);
      expect(await ownDead()).toEqual([again.id]);
      const next = await enqueue({ invoiceVersion: 4 });
      expect(await ownDead()).toEqual([]);
      await giveUp([next]);
      expect(await ownDead()).toEqual([next.id]);
    });

    test('the gauges count what is open', async () => {
      const before = await operator().metrics(NOW);
      const { id: merchantId } = await storage.merchant();
      const statuses = ['created', 'confirming', 'partially_paid', 'high_risk', 'success'] as const;
      const invoices = statuses.map((status) => anInvoice({ merchantId, ...inStatus(status) }));
      const chain = `chain ${anId()}`;
      await storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert(invoice);
        await r.deposits.insertAll([aDeposit({ merchantId, status: 'stray' })]);
        await r.deposits.insertAll([
          aDeposit({ merchantId, status: 'arrived', invoiceId: invoices[1]?.id ?? '' }),
        ]);
        await r.payouts.insert(aPayout({ merchantId }));
        await r.webhooks.enqueue(
          aDelivery({ merchantId, invoiceId: invoices[1]?.id ?? '', dueAt: secondsAfter(-9_000) }),
        );
        const cursor = { height: 7, hash: '0x7', coveredUntil: NOW, finalizedHeight: -1 };
        await r.chains.moveCursor(chain, null, cursor);
      });
      const after = await operator().metrics(NOW);
      const grown = (status: string) =>
        (after.invoicesByStatus[status] ?? 0) - (before.invoicesByStatus[status] ?? 0);
      expect(statuses.map(grown)).toEqual([1, 1, 1, 1, 0]);
      expect(after.payoutsByStatus.pending).toBe((before.payoutsByStatus.pending ?? 0) + 1);
      expect(after.straysOpen).toBe(before.straysOpen + 1);
      expect(after.depositsToScreen).toBe(before.depositsToScreen + 1);
      expect(after.heldOpen).toBe(before.heldOpen);
      expect(after.webhooksPending).toBe(before.webhooksPending + 1);
      expect(after.webhooksHeldBack).toBe(before.webhooksHeldBack);
      expect(after.oldestDueWebhookSeconds).toBe(9_000);
      expect(after.cursors).toContainEqual({ chain, height: 7, seenUntil: NOW });
      expect((await operator().metrics(secondsAfter(-99_999))).oldestDueWebhookSeconds).toBe(0);
    });
  });
}
