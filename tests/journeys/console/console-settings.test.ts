/** What of a merchant's settings needs two people, and the entry of every action of the desk. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CreateInvoiceInput } from '../../../src/app/application.ts';
import { NO_DETAILS } from '../../../src/domain/invoices/invoice-record.ts';
import { NEW_LINK } from '../../../src/domain/links/payment-link.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';
import { anId } from '../../support/builders.ts';
import {
  type DeskStage,
  doneOf,
  faultOf,
  formId,
  micros,
  okOf,
  openDeskStage,
  waitingOf,
} from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('settings of the console', () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['merchantDesk'];

  beforeAll(async () => {
    on = await openDeskStage();
    desk = on.desks.merchantDesk;
  });
  afterAll(() => on.journey.close());
  const limitNow = async () => (await on.merchantNow()).approvalAboveMicroUsd;

  test('setting the limit and lowering it is done at once; raising and removing it needs a second person', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const change = (to: bigint | null) => desk.changeApprovalLimit(ann, to, formId());
    const [set, entries] = await on.audited(() => change(micros('100')));
    expect(doneOf(set)).toMatchObject({ approvalAboveMicroUsd: micros('100') });
    expect(entries).toMatchObject([
      {
        ...{ action: 'merchant.changed', subject: 'merchant', subjectId: on.merchant.id },
        ...{ before: { approval_above_micro_usd: null }, after: { approval_above_micro_usd: '100000000' } },
      },
    ]);
    doneOf(await change(micros('50')));
    const raise = waitingOf(await change(micros('51')));
    const remove = waitingOf(await change(null));
    expect(await limitNow()).toBe(micros('50'));
    expect(faultOf(await desk.approve(ann, raise.id))).toMatchObject({ details: { refusal: 'own' } });
    expect(okOf(await desk.approve(bob, raise.id)).approval.status).toBe('done');
    expect(await limitNow()).toBe(micros('51'));
    // The other request was about another limit than the present one.
    expect(okOf(await desk.approve(bob, remove.id)).approval).toMatchObject({
      ...{ status: 'failed', failure: { code: 'INVALID_TRANSITION' } },
    });
    expect(await limitNow()).toBe(micros('51'));
    okOf(await desk.approve(bob, waitingOf(await change(null)).id));
    expect(await limitNow()).toBeNull();
  });

  test('without a limit allowed addresses are changed at once; with one an addition needs a second person', async () => {
    const [ann, bob] = [await on.desk(), await on.desk()];
    const change = (to: readonly string[]) => desk.changeAllowedSubnets(ann, to, formId());
    const subnets = async () => (await on.merchantNow()).allowedSubnets;
    doneOf(await change(['10.0.0.0/8', '127.0.0.1/32']));
    doneOf(await desk.changeApprovalLimit(ann, micros('100'), formId()));
    doneOf(await change(['127.0.0.1/32']));
    const approval = waitingOf(await change(['127.0.0.1/32', '192.0.2.0/24']));
    expect(await subnets()).toEqual(['127.0.0.1/32']);
    const [, entries] = await on.audited(async () => okOf(await desk.approve(bob, approval.id)));
    expect(entries).toMatchObject([
      { action: 'approval.approved', actor: { userId: bob.userId } },
      { action: 'merchant.changed', after: { allowed_subnets: ['127.0.0.1/32', '192.0.2.0/24'] } },
    ]);
    expect(await subnets()).toEqual(['127.0.0.1/32', '192.0.2.0/24']);
    await on.change({ approvalAboveMicroUsd: null });
  });

  test('every action writes one entry with what it changed, and a refused one writes none', async () => {
    const owner = await on.desk('owner', { environment: 'sandbox' });
    const amount = parseDecimal('25') ?? { digits: 1n, scale: 0 };
    const asset = on.deps.catalog.require('usdt_ethereum');
    const input: CreateInvoiceInput = {
      fiatCurrency: 'USD',
      ...{ amount, asset, ttlSeconds: null, billingType: null, feeBearer: null },
      ...{ tolerancePpm: null, priceModifierPpm: null, acceptedCoins: null, excludedCoins: null },
      ...{ details: NO_DETAILS, webhookFormat: null, permanentAddress: false, userId: null },
    };
    const done = async (action: string, act: () => Promise<{ ok: boolean }>) => {
      const [made, entries] = await on.audited(act);
      expect(made).toMatchObject({ ok: true });
      expect(entries.map((entry) => entry.action)).toEqual([action]);
      expect(entries[0]).toMatchObject({ actor: owner.actor, merchantId: on.merchant.id });
      return { made: made as { ok: true; value: { id: string } }, entry: entries[0] };
    };
    const givenUp = async (id: string) => {
      const { webhookQueue } = on.deps;
      const sentAt = on.clock.now();
      const delivery = await webhookQueue.claimOne(id, { now: sentAt, leaseSeconds: 60 });
      if (delivery === null) throw new Error('it cannot be claimed');
      const outcome = { attemptId: anId(), delivery, statusCode: 410, responseBody: '', sentAt };
      await webhookQueue.record([{ ...outcome, next: { state: 'dead' } }]);
    };
    const refused = async (act: () => Promise<{ ok: boolean }>) => {
      const [made, entries] = await on.audited(act);
      expect([made.ok, entries]).toEqual([false, []]);
    };

    const { made } = await done('invoice.created', () => desk.createInvoice(owner, input));
    const invoiceId = made.value.id;
    await refused(() => desk.createInvoice(owner, { ...input, excludedCoins: [asset.key] }));
    const simulated = await done('invoice.simulated', () =>
      desk.simulateInvoice(owner, invoiceId, {
        ...{ status: 'success', paidAmount: null, sendWebhook: false, notifyUrl: null },
      }),
    );
    expect(simulated.entry).toMatchObject({ before: { status: 'created' }, after: { status: 'success' } });
    const queued = await done('delivery.queued_again', () => desk.replayWebhook(owner, invoiceId));
    const { deliveryId } = queued.made.value as unknown as { deliveryId: string };
    await refused(() => desk.sendAgain(owner, deliveryId));
    for (const of of [deliveryId, null]) {
      await givenUp(deliveryId);
      const again = await done('delivery.queued_again', () => desk.sendAgain(owner, of));
      expect(again.entry).toMatchObject({ subject: 'delivery', subjectId: of });
    }
    await refused(() => desk.sendAgain(owner, null));
    await refused(() => desk.cancelInvoice(owner, invoiceId));
    const open = await done('invoice.created', () => desk.createInvoice(owner, input));
    const cancelled = await done('invoice.cancelled', () => desk.cancelInvoice(owner, open.made.value.id));
    expect(cancelled.entry).toMatchObject({ before: { status: 'created' }, after: { status: 'expired' } });
    await refused(() => desk.replayWebhook(owner, '0'.repeat(24)));
    await done('delivery.tested', () =>
      desk.sendTestWebhook(owner, { url: on.journey.receiver.url, status: null, format: null }),
    );

    const link = { ...NEW_LINK, title: 'Tea', mode: 'payment', fiatCurrency: 'USD', slug: null } as const;
    const linked = await done('link.created', () => desk.createLink(owner, link));
    await refused(() => desk.createLink(owner, { ...link, slug: 'tea', leastMicros: 2n, mostMicros: 1n }));
    const changed = await done('link.changed', () =>
      desk.changeLink(owner, linked.made.value.id, { title: 'Green tea' }),
    );
    expect(changed.entry).toMatchObject({ before: { title: 'Tea' }, after: { title: 'Green tea' } });

    const permanent = {
      userId: 'u1',
      family: 'evm',
      notifyUrl: null,
      webhookFormat: null,
      metadata: null,
    } as const;
    const address = await done('permanent_address.created', () => desk.getPermanentAddress(owner, permanent));
    on.clock.advance(1);
    const [, none] = await on.audited(() => desk.getPermanentAddress(owner, permanent));
    expect(none).toEqual([]);
    await done('permanent_address.deactivated', () =>
      desk.deactivatePermanentAddress(owner, address.made.value.id),
    );

    const set = await done('merchant.changed', () => desk.changeSettings(owner, { payoutWebhooks: true }));
    expect(set.entry).toMatchObject({ before: { payout_webhooks: false }, after: { payout_webhooks: true } });
    await refused(() => desk.changeSettings(owner, { callbackUrl: 'ftp://example.com' }));
    const branded = await done('brand.changed', () =>
      desk.changeBrand(owner, { clears: false, name: 'Tea shop' }),
    );
    expect(branded.entry).toMatchObject({ after: { name: 'Tea shop' } });
    expect(okOf(await desk.brand(owner)).name).toBe('Tea shop');

    await done('api_key.rotated', () => desk.rotateKey(owner, 3_600));
    expect(await desk.keys(owner)).toMatchObject({
      olderKeyUntil: expect.any(Date),
      keySince: expect.any(Date),
    });
    await done('api_key.overlap_ended', () => desk.endKeyOverlap(owner, 0));
    expect((await desk.keys(owner)).olderKeyUntil).toBeNull();
    const shown = await done('webhook_secret.shown', () => desk.showWebhookSecret(owner));
    expect(JSON.stringify(shown.entry)).not.toContain('whsec_');
    await done('webhook_secret.rotated', () => desk.rotateWebhookSecret(owner, 3_600));
    await done('webhook_secret.overlap_ended', () => desk.endSecretOverlap(owner, 0));
  });

  test('a file of a statement leaves an entry before it is given away, and a month that is none leaves none', async () => {
    const owner = await on.desk();
    const month = { year: 2026, month: 6 };
    const [statement, entries] = await on.entriesOf(
      () => desk.exportStatement(owner, month, 'pdf'),
      'merchant.statement_exported',
    );
    expect(statement?.month).toEqual(month);
    expect(entries).toMatchObject([
      { subjectId: on.merchant.id, merchantId: on.merchant.id, note: 'live 2026-06 pdf', actor: owner.actor },
    ]);
    const [none] = await on.entriesOf(() => desk.exportStatement(owner, { year: 2999, month: 1 }, 'csv'));
    expect(none).toBeNull();
  });

  test("a paused merchant's desk opens nothing in live, and its settings stay open", async () => {
    await on.change({ status: 'paused' });
    const owner = await on.desk();
    const link = { ...NEW_LINK, title: 'Tea', mode: 'payment', fiatCurrency: 'USD', slug: null } as const;
    const [made, entries] = await on.audited(() => desk.createLink(owner, link));
    expect([faultOf(made).code, entries]).toEqual(['MERCHANT_INACTIVE', []]);
    okOf(await desk.changeSettings(owner, { payoutWebhooks: false }));
    await on.change({ status: 'active' });
  });
});
