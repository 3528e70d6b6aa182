/**
 * Webhooks that are sent again on demand: by the merchant, by an operator after an outage, and as a
 * test.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { replayDead, replayInvoice } from '../../../../src/app/invoices/replay-webhooks.ts';
import type { DeadDelivery } from '../../../../src/ports/operator-queries.ts';
import { StorageUnavailable, type UnitOfWork } from '../../../../src/ports/repositories.ts';
import type { NewDelivery } from '../../../../src/ports/webhooks/webhook-outbox.ts';
import type { WebhookOutcome, WebhookRequest } from '../../../../src/ports/webhooks/webhook-transport.ts';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/hook';
const NO_SUCH_ID = 'f'.repeat(24);

class Late extends StorageUnavailable {
  override readonly isLate = true;
}

/** A harness whose test webhooks get this answer, and what was sent. */
async function answering(outcome: WebhookOutcome): Promise<Harness & { sent: WebhookRequest[] }> {
  const sent: WebhookRequest[] = [];
  const webhookTransport = {
    async post(request: WebhookRequest) {
      sent.push(request);
      return outcome;
    },
  };
  return { ...(await openHarness({ ports: { webhookTransport }, merchant: { callbackUrl: HOOK } })), sent };
}

describe('a test webhook', () => {
  test('that the receiver refuses is told with its status, and logged', async () => {
    const { call, sent } = await answering({ kind: 'answered', status: 500, body: 'broken' });
    const { result } = (await call('POST', '/api/v2/notifications/test', { body: {} })).json;
    expect(result).toEqual({
      ...{ url: HOOK, delivered: false, status_code: 500, error: 'the receiver answered 500' },
    });
    expect(JSON.parse(new TextDecoder().decode(sent[0]?.body))).not.toHaveProperty('sandbox');
    const [logged] = (await call('GET', '/api/v2/notifications')).json.result;
    expect(logged).toMatchObject({ invoice_id: null, status_code: 500, response_body: 'broken', attempt: 1 });
  });

  test('that reaches nobody is told with the reason', async () => {
    const { call } = await answering({ kind: 'failed', reason: 'connection refused' });
    const { result } = (await call('POST', '/api/v2/notifications/test', { body: {} })).json;
    expect(result).toEqual({ url: HOOK, delivered: false, status_code: null, error: 'connection refused' });
  });

  test('goes to the URL that was asked for, and says that it is of the sandbox', async () => {
    const { call, sandboxKey, sent } = await answering({ kind: 'answered', status: 204, body: '' });
    const url = 'https://other.example/';
    const answer = await call('POST', '/api/v2/notifications/test', { key: sandboxKey, body: { url } });
    expect(answer.json.result).toEqual({ url, delivered: true, status_code: 204, error: null });
    expect(sent.map((request) => request.url)).toEqual([url]);
    expect(JSON.parse(new TextDecoder().decode(sent[0]?.body))).toMatchObject({ sandbox: true });
    expect(sent[0]?.headers['X-Service-Sandbox']).toBe('true');
  });
});

describe('a sample', () => {
  const sampled = async (body: object, key?: string) => {
    const { call, sandboxKey, sent } = await answering({ kind: 'answered', status: 200, body: '' });
    await call('POST', '/api/v2/notifications/test', {
      body,
      ...(key === 'sandbox' ? { key: sandboxKey } : {}),
    });
    return JSON.parse(new TextDecoder().decode(sent[0]?.body));
  };

  test('is of a payment that succeeded where no status is named, and in our format where none is', async () => {
    expect(await sampled({ format: 'nowpayments' })).toMatchObject({ payment_status: 'finished' });
    const failed = await sampled({ status: 'failed' }, 'sandbox');
    expect(failed).toMatchObject({ status: 'failed', sandbox: true, received_amount: 0, txid: null });
    expect(failed.processed_at).toBe(failed.created_at);
  });

  test('has the money that its status says', async () => {
    const told = { confirming: 25, partially_paid: 12.5, paid_over: 31.25, high_risk: 25, created: 0 };
    for (const [status, fiat] of Object.entries(told)) {
      const { fiat_amount, txid } = await sampled({ status });
      expect([fiat_amount, txid === null], status).toEqual([fiat, fiat === 0]);
    }
  });

  test('is of a status and a format that there are', async () => {
    const { call } = await answering({ kind: 'answered', status: 200, body: '' });
    for (const body of [{ status: 'paid' }, { format: 'native' }])
      expect((await call('POST', '/api/v2/notifications/test', { body })).status).toBe(422);
  });
});

describe('an operator', () => {
  async function invoice({ call, sandboxKey: key }: Harness, body: object = {}): Promise<string> {
    const asked = { amount: 25, asset: 'usdt_tron', notify_url: HOOK, ...body };
    return (await call('POST', '/api/v2/invoices', { key, body: asked })).json.result.order_id;
  }
  const simulate = ({ call, sandboxKey: key }: Harness, id: string, status: string) =>
    call('POST', `/api/v2/invoices/${id}/simulate`, { key, body: { status, send_webhook: false } });

  test('replays one invoice in whatever state it is', async () => {
    const harness = await openHarness();
    const id = await invoice(harness);
    expect(await replayInvoice(harness.dependencies)(id)).toMatchObject({ ok: true, value: { url: HOOK } });
    const silent = await invoice(harness, { notify_url: null });
    expect(await replayInvoice(harness.dependencies)(silent)).toMatchObject({
      ...{ ok: false, error: { code: 'NO_DESTINATION' } },
    });
    expect(await replayInvoice(harness.dependencies)(NO_SUCH_ID)).toMatchObject({
      ...{ ok: false, error: { code: 'NOT_FOUND' } },
    });
  });

  /** `count` invoices in this status, each with a delivery that was given up, in this order. */
  async function givenUp(harness: Harness, count: number, status = 'success'): Promise<string[]> {
    const ids: string[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const id = await invoice(harness);
      ids.push(id);
      await simulate(harness, id, status);
      const queued = await replayInvoice(harness.dependencies)(id);
      if (!queued.ok) throw new Error('it was not queued');
      await answer(harness, queued.value.deliveryId, 'dead');
    }
    return ids;
  }

  async function answer({ dependencies }: Harness, deliveryId: string, state: 'dead' | 'delivered') {
    const { webhookQueue, clock, ids } = dependencies;
    const now = clock.now();
    const delivery = await webhookQueue.claimOne(deliveryId, { now, leaseSeconds: 60 });
    if (delivery === null) throw new Error('it is not in the queue');
    const outcome = { statusCode: 404, responseBody: '', sentAt: now, next: { state } } as const;
    await webhookQueue.record([{ attemptId: ids.id(), delivery, ...outcome }]);
  }

  /**
   * A replay of what the test gave up. `hinders` is asked of each set before it is locked, and
   * `loses` once it is committed.
   */
  function replaying(
    { dependencies }: Harness,
    {
      hinders,
      loses,
    }: { hinders?: (set: readonly string[]) => boolean; loses?: (nth: number) => boolean } = {},
  ) {
    const sets: (readonly string[])[] = [];
    const queued: NewDelivery[] = [];
    const unitOfWork: UnitOfWork = {
      async run(work, limits) {
        let own: NewDelivery[] = [];
        const done = await dependencies.unitOfWork.run((repositories) => {
          const { invoices, webhooks } = repositories;
          own = [];
          const lockAll = async (ids: readonly string[]) => {
            sets.push(ids);
            if (hinders?.(ids)) throw new Error('planted');
            return invoices.lockAll(ids);
          };
          const enqueue = async (delivery: NewDelivery) => {
            own.push(delivery);
            return webhooks.enqueue(delivery);
          };
          return work({
            ...repositories,
            invoices: { ...invoices, lockAll },
            webhooks: { ...webhooks, enqueue },
          });
        }, limits);
        queued.push(...own);
        if (loses?.(sets.length)) throw new Late('the commit was not answered');
        return done;
      },
    };
    const replay = replayDead({ ...dependencies, unitOfWork });
    return {
      sets,
      queued,
      replay: (progress?: (looked: number) => void) => replay({ since: harnessClock.now() }, progress),
    };
  }
  const invoicesOf = (queued: readonly NewDelivery[]) => queued.map(({ invoiceId }) => invoiceId ?? '');

  // What other tests gave up was before.
  beforeEach(() => harnessClock.advance(3_600));

  test('replays what was given up in one transaction, and leaves out states that are never pushed', async () => {
    const harness = await openHarness();
    const [paid, expired] = [await givenUp(harness, 3), await givenUp(harness, 1, 'expired')];
    const { sets, queued, replay } = replaying(harness);
    const told: number[] = [];
    expect(await replay((looked) => told.push(looked))).toEqual({ queued: 3, skipped: 1, more: false });
    expect(sets).toEqual([[...paid, ...expired]]);
    expect(told).toEqual([4]);
    expect(invoicesOf(queued)).toEqual(paid);
    expect(queued[0]).toMatchObject({ url: HOOK, invoiceVersion: null, eventAt: null });
    expect(JSON.parse(queued[0]?.body ?? '')).toMatchObject({ status: 'success', sandbox: true });
  });

  test('that repeats a replay sends nothing again while it waits, and once it was delivered', async () => {
    const harness = await openHarness();
    const ids = await givenUp(harness, 2);
    const { queued, replay } = replaying(harness);
    expect((await replay()).queued).toBe(2);
    expect(await replay()).toEqual({ queued: 0, skipped: 0, more: false });
    const [first, second] = queued.map(({ id }) => id);
    await answer(harness, first ?? '', 'delivered');
    await answer(harness, second ?? '', 'dead');
    expect((await replay()).queued).toBe(1);
    expect(invoicesOf(queued)).toEqual([...ids, ids[1] ?? '']);
  });

  test('queues the others where one cannot be queued, and fails last', async () => {
    const harness = await openHarness();
    const ids = await givenUp(harness, 4);
    const hindered = replaying(harness, { hinders: (set) => set.includes(ids[1] ?? '') });
    await expect(hindered.replay()).rejects.toThrow('planted');
    expect(invoicesOf(hindered.queued)).toEqual([ids[0] ?? '', ids[2] ?? '', ids[3] ?? '']);
    expect((await replaying(harness).replay()).queued).toBe(1);
  });

  /** As many as a page has, but one, of invoices that were removed since. */
  const removedSince = (like: DeadDelivery): readonly DeadDelivery[] =>
    Array.from({ length: 499 }, (_, nth) => {
      const id = nth.toString(16).padStart(24, '0');
      return { ...like, id, invoiceId: id };
    });

  test('goes on after a full page, behind the last that it read', async () => {
    const harness = await openHarness();
    const ids = await givenUp(harness, 2);
    const { operatorQueries } = harness.dependencies;
    const all = await operatorQueries.deadDeliveries({ since: harnessClock.now(), after: null, limit: 9 });
    const removed = removedSince(all[0]!);
    const asked: unknown[] = [];
    const deadDeliveries: typeof operatorQueries.deadDeliveries = async ({ after }) => {
      asked.push(after?.id ?? null);
      return after === null ? [...removed, all[0]!] : [all[1]!];
    };
    const dependencies = { ...harness.dependencies, operatorQueries: { ...operatorQueries, deadDeliveries } };
    const { sets, queued, replay } = replaying({ ...harness, dependencies });
    const told: number[] = [];
    const done = await replay((looked) => told.push(looked));
    expect(done).toEqual({ queued: 2, skipped: 499, more: false });
    expect(asked).toEqual([null, all[0]?.id ?? '']);
    expect(sets.map((set) => set.length)).toEqual([500, 1]);
    expect(told).toEqual([500, 501]);
    expect(invoicesOf(queued)).toEqual(ids);
  });

  test('ends where a page is read again and again: its rows are behind the time of its last', async () => {
    const harness = await openHarness();
    await givenUp(harness, 1);
    const { operatorQueries } = harness.dependencies;
    const [dead] = await operatorQueries.deadDeliveries({ since: harnessClock.now(), after: null, limit: 9 });
    // Microseconds of a time are not read. A replay with a smaller id follows none of these rows.
    const page = [...removedSince(dead!), dead!];
    let asked = 0;
    const deadDeliveries: typeof operatorQueries.deadDeliveries = async () => {
      asked += 1;
      if (asked > 2) throw new Error('the same page was asked for again');
      return page;
    };
    const dependencies = { ...harness.dependencies, operatorQueries: { ...operatorQueries, deadDeliveries } };
    const { replay } = replaying({ ...harness, dependencies });
    expect(await replay()).toMatchObject({ queued: 1, more: false });
    expect(asked).toBe(2);
  });

  test('queues a set once where the answer to its commit is late', async () => {
    const harness = await openHarness();
    const ids = await givenUp(harness, 3);
    const { queued, replay } = replaying(harness, { loses: (nth) => nth === 1 });
    await replay();
    expect(invoicesOf(queued)).toEqual(ids);
  });
});
