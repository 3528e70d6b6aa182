/** GET /events: what a receiver that was away reads, beside the webhooks that carry the same. */
import { describe, expect, test } from 'bun:test';
import { changeMerchant } from '../../../../src/app/merchants/manage-merchants.ts';
import { settleSandboxPayouts } from '../../../../src/app/sandbox/settle-sandbox-payouts.ts';
import { webhookDispatcher } from '../../../../src/app/webhooks/deliver-webhooks.ts';
import { replayEvents } from '../../../../src/app/webhooks/replay-events.ts';
import type { WebhookRequest } from '../../../../src/ports/webhooks/webhook-transport.ts';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const HOOK = 'https://shop.example/hook';

/** A harness and what its merchant's receiver was sent. */
async function receiving(callbackUrl: string | null = HOOK): Promise<Harness & { sent: WebhookRequest[] }> {
  const sent: WebhookRequest[] = [];
  const webhookTransport = {
    async post(request: WebhookRequest) {
      sent.push(request);
      return { kind: 'answered', status: 200, body: 'ok' } as const;
    },
  };
  return { ...(await openHarness({ ports: { webhookTransport }, merchant: { callbackUrl } })), sent };
}

async function invoice({ call, sandboxKey: key }: Harness, body: object = {}): Promise<string> {
  const asked = { amount: 25.1, asset: 'usdt_tron', metadata: { of: '{"a' }, ...body };
  return (await call('POST', '/api/v2/invoices', { key, body: asked })).json.result.order_id;
}

const simulate = ({ call, sandboxKey: key }: Harness, id: string, status: string, body: object = {}) =>
  call('POST', `/api/v2/invoices/${id}/simulate`, { key, body: { status, ...body } });

const events = ({ call, sandboxKey }: Harness, query = '', key = sandboxKey) =>
  call('GET', `/api/v2/events${query}`, { key });

const bodyOf = (request?: WebhookRequest) => new TextDecoder().decode(request?.body);

describe('events', () => {
  test('are what webhooks carried, byte for byte, with the number in the body, the header and the log', async () => {
    const harness = await receiving();
    const id = await invoice(harness);
    for (const status of ['partially_paid', 'success']) await simulate(harness, id, status);
    const answer = await events(harness);
    expect(answer.json.result).toMatchObject([
      {
        seq: 1,
        type: 'invoice.partially_paid',
        data: { order_id: id, status: 'partially_paid', event_seq: 1 },
      },
      { seq: 2, type: 'invoice.success', data: { order_id: id, sandbox: true, event_seq: 2 } },
    ]);
    expect(answer.json.pagination).toEqual({ next_after: 2, has_more: false });
    expect(harness.sent).toHaveLength(2);
    for (const request of harness.sent) expect(answer.text).toContain(`"data":${bodyOf(request)}}`);
    expect(harness.sent.map(({ headers }) => headers['X-Service-Event-Seq'])).toEqual(['1', '2']);
    const log = await harness.call('GET', '/api/v2/notifications', { key: harness.sandboxKey });
    expect(log.json.result).toMatchObject([
      { invoice_id: id, payout_id: null, event_seq: 2 },
      { invoice_id: id, payout_id: null, event_seq: 1 },
    ]);
  });

  test('are there for a merchant who names no URL at all', async () => {
    const harness = await receiving(null);
    await simulate(harness, await invoice(harness), 'success');
    expect((await events(harness)).json.result).toMatchObject([{ seq: 1, type: 'invoice.success' }]);
    expect(harness.sent).toEqual([]);
  });

  test('are no states that are never pushed, and nothing that the simulator was to keep to itself', async () => {
    const harness = await receiving();
    const id = await invoice(harness);
    for (const status of ['expired', 'success', 'refunded'])
      await simulate(harness, id, status, { send_webhook: status !== 'success' });
    expect((await events(harness)).json).toMatchObject({
      ...{ result: [], pagination: { next_after: 0, has_more: false } },
    });
  });

  test('are read on from a number, and a number past the last one is led back to it', async () => {
    const harness = await receiving();
    for (const status of ['paid_over', 'success', 'failed'])
      await simulate(harness, await invoice(harness), status);
    const read = async (query: string) => {
      const { result, pagination } = (await events(harness, query)).json;
      return [result.map(({ seq }: { seq: number }) => seq), pagination.next_after, pagination.has_more];
    };
    expect(await read('?limit=2')).toEqual([[1, 2], 2, true]);
    expect(await read('?after=2&limit=1')).toEqual([[3], 3, false]);
    expect(await read('?after=3')).toEqual([[], 3, false]);
    expect(await read('?after=900')).toEqual([[], 3, false]);
    for (const wrong of ['after=-1', 'after=x', 'limit=0', 'limit=101'])
      expect((await events(harness, `?${wrong}`)).status, wrong).toBe(422);
  });

  test('of many calls at once are numbered without a hole, each as its webhook is', async () => {
    const harness = await receiving();
    const other = { ...harness, ...(await harness.addMerchant({ callbackUrl: HOOK })) };
    const made = [harness, other, harness, other, harness].map(async (of) => ({ of, id: await invoice(of) }));
    const invoices = await Promise.all(made);
    for (const status of ['partially_paid', 'success'])
      await Promise.all(invoices.map(({ of, id }) => simulate(of, id, status)));
    const bodies = harness.sent.map(bodyOf);
    for (const [of, count] of [
      [harness, 6],
      [other, 4],
    ] as const) {
      const { json, text } = await events(of, '', of.sandboxKey);
      const seqs = json.result.map(({ seq }: { seq: number }) => seq);
      expect(seqs).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect(bodies.filter((body) => text.includes(`"data":${body}}`))).toHaveLength(count);
    }
  });

  test('of another environment or merchant are not told', async () => {
    const harness = await receiving();
    await simulate(harness, await invoice(harness), 'success');
    const stranger = await harness.addMerchant();
    for (const key of [harness.liveKey, stranger.liveKey, stranger.sandboxKey])
      expect((await events(harness, '', key)).json.result).toEqual([]);
  });

  test('are repeated by a replay: it has the number of the latest of its invoice, or null', async () => {
    const harness = await receiving();
    const id = await invoice(harness);
    const replayed = async () => {
      await harness.call('POST', `/api/v2/invoices/${id}/notify`, { key: harness.sandboxKey });
      await webhookDispatcher(harness.dependencies).run();
      const sent = harness.sent.at(-1);
      return [JSON.parse(bodyOf(sent)).event_seq, sent?.headers['X-Service-Event-Seq']];
    };
    expect(await replayed()).toEqual([null, undefined]);
    await simulate(harness, id, 'success');
    expect(await replayed()).toEqual([1, '1']);
    expect((await events(harness)).json.pagination.next_after).toBe(1);
  });
});

describe('a replay in bulk', () => {
  const replay = ({ call, sandboxKey }: Harness, body: object, key = sandboxKey) =>
    call('POST', '/api/v2/notifications/replay', { key, body });

  test('sends what nobody took once there is a URL, as it is among the events, and nothing twice', async () => {
    const harness = await receiving(null);
    const [first, second] = [await invoice(harness), await invoice(harness)];
    await simulate(harness, first, 'partially_paid');
    await simulate(harness, second, 'failed');
    await simulate(harness, first, 'success');
    expect((await replay(harness, {})).json.result).toEqual({ queued: 0, next_after: 3, has_more: false });
    await changeMerchant(harness.dependencies)(harness.merchant.id, { callbackUrl: HOOK });
    const asked = { from: harnessClock.now().getTime() / 1_000, undelivered: true };
    const stranger = await harness.addMerchant({ callbackUrl: HOOK });
    for (const key of [harness.liveKey, stranger.sandboxKey])
      expect((await replay(harness, asked, key)).json.result.queued).toBe(0);
    for (const queued of [2, 0]) expect((await replay(harness, asked)).json.result.queued).toBe(queued);
    await webhookDispatcher(harness.dependencies).run();
    const { text } = await events(harness);
    // The part payment is old news.
    expect(new Set(harness.sent.map((request) => JSON.parse(bodyOf(request)).event_seq))).toEqual(
      new Set([2, 3]),
    );
    expect(harness.sent).toHaveLength(2);
    for (const request of harness.sent) expect(text).toContain(`"data":${bodyOf(request)}}`);
    expect((await replay(harness, asked)).json.result.queued).toBe(0);
    for (const [body, queued] of [
      [{ status: ['success', 'paid_over'] }, 1],
      [{ after: 2 }, 0],
      [{ status: ['failed'], to: '2020-01-01' }, 0],
      [{ status: ['failed'] }, 1],
    ] as const)
      expect((await replay(harness, body)).json.result.queued, JSON.stringify(body)).toBe(queued);
    // The tests of a file share the queue.
    await webhookDispatcher(harness.dependencies).run();
  });

  test('sends what was never sent in the format of its invoice', async () => {
    const harness = await receiving(null);
    await simulate(harness, await invoice(harness, { webhook_format: 'nowpayments' }), 'success');
    await changeMerchant(harness.dependencies)(harness.merchant.id, { callbackUrl: HOOK });
    await replay(harness, {});
    await webhookDispatcher(harness.dependencies).run();
    expect(JSON.parse(bodyOf(harness.sent[0]))).toMatchObject({ payment_status: 'finished' });
    expect(harness.sent[0]?.headers['X-Service-Event-Seq']).toBe('1');
    expect((await events(harness)).json.result).toMatchObject([
      { data: { status: 'success', event_seq: 1 } },
    ]);
  });

  test('goes on where it ended: a call looks at no more than 10,000', async () => {
    const { dependencies } = await openHarness();
    const asked: unknown[] = [];
    const webhooks = {
      async toTellAgain(_: unknown, { after }: { after: number }, most: number) {
        asked.push(after);
        const last = Math.min(after + most, 12_345);
        return { deliveries: [{ id: `${after}`, url: HOOK }], last, more: last < 12_345 };
      },
      tellAgain: async () => 1,
    };
    const unitOfWork = { run: (work: (r: unknown) => Promise<unknown>) => work({ webhooks }) };
    const run = replayEvents({ ...dependencies, unitOfWork } as unknown as typeof dependencies);
    const wanted = { from: null, to: null, statuses: null, undelivered: false };
    const caller = { scope: { merchantId: '', sandbox: true } } as Parameters<typeof run>[0];
    expect(await run(caller, { ...wanted, after: 0 })).toEqual({
      ...{ ok: true, value: { queued: 10, nextAfter: 10_000, hasMore: true } },
    });
    expect(asked).toHaveLength(10);
    expect(await run(caller, { ...wanted, after: 10_000 })).toEqual({
      ...{ ok: true, value: { queued: 3, nextAfter: 12_345, hasMore: false } },
    });
  });

  test('W2: is made for a merchant one at a time, so that its neighbours are served beside it', async () => {
    const { dependencies } = await openHarness();
    const gate = Promise.withResolvers<void>();
    const unitOfWork = {
      run: () => gate.promise.then(() => ({ queued: 1, nextAfter: 1, hasMore: false })),
    };
    const run = replayEvents({ ...dependencies, unitOfWork } as unknown as typeof dependencies);
    const wanted = { after: 0, from: null, to: null, statuses: null, undelivered: false };
    const of = (merchantId: string, sandbox = true) =>
      run({ scope: { merchantId, sandbox } } as Parameters<typeof run>[0], wanted);
    const [first, neighbour] = [of('a'), of('b')];
    for (const sandbox of [true, false])
      expect(await of('a', sandbox)).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
    gate.resolve();
    for (const each of [await first, await neighbour, await of('a')])
      expect(each).toEqual({ ok: true, value: { queued: 1, nextAfter: 1, hasMore: false } });
  });

  test('refuses what is no time, and states that are never told', async () => {
    const harness = await receiving();
    for (const [body, field] of [
      [{ from: 2026 }, 'from'],
      [{ to: 'yesterday' }, 'to'],
      [{ from: true }, 'from'],
      [{ status: ['expired'] }, 'status.0'],
      [{ status: [] }, 'status'],
      [{ after: -1 }, 'after'],
    ] as const) {
      const { status, json } = await replay(harness, body);
      expect([status, json.error.details[0].field], JSON.stringify(body)).toEqual([422, field]);
    }
  });
});

describe('payouts', () => {
  /** A sandbox payout that comes to its end; what is told of it. */
  async function paid(harness: Harness, key: string): Promise<unknown[]> {
    await harness.earn(50, key);
    const body = { address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', amount: 5, asset: 'usdt_tron' };
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    await harness.call('POST', '/api/v2/payouts', { key, headers, body });
    for (let step = 0; step < 2; step += 1) await settleSandboxPayouts(harness.dependencies)(10);
    return (await events(harness, '', key)).json.result;
  }

  test('are told to merchants who asked for it, and to nobody else', async () => {
    const harness = await receiving();
    const asked = await harness.addMerchant({ payoutWebhooks: true });
    expect(await paid(harness, harness.sandboxKey)).toEqual([]);
    expect(await paid(harness, asked.sandboxKey)).toMatchObject([
      {
        seq: 1,
        type: 'payout.processing',
        data: { event: 'payout.processing', sandbox: true, event_seq: 1 },
      },
      { seq: 2, type: 'payout.success', data: { event: 'payout.success', status: 'success', event_seq: 2 } },
    ]);
  });
});
