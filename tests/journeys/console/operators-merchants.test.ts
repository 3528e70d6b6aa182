/** Merchants on the operators' desk: made, verified, changed, with their keys and their brand. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WEBHOOK_SECRET_CONTEXT } from '../../../src/app/webhooks/attempt-delivery.ts';
import { type DeskStage, faultOf, okOf, openDeskStage } from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const NOBODY = '0'.repeat(24);

describe.skipIf(!needs('postgres', postgresAvailable()))("merchants on the operators' desk", () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['operatorDesk'];

  beforeAll(async () => {
    on = await openDeskStage();
    desk = on.desks.operatorDesk;
  });
  afterAll(() => on.journey.close());

  test('merchants are made, verified, changed and get keys', async () => {
    const admin = on.seat();
    const input = { name: 'New', callbackUrl: null, allowedSubnets: [], commissionPpm: null, live: false };
    const [made, [entry]] = await on.entriesOf(() => desk.createMerchant(admin, input), 'merchant.created');
    const { merchant, sandboxKey } = okOf(made);
    expect(entry).toMatchObject({ subjectId: merchant.id, before: null, after: { name: 'New' } });
    expect(JSON.stringify(entry)).not.toContain(sandboxKey);
    const [verified] = await on.entriesOf(() => desk.verifyMerchant(admin, merchant.id), 'merchant.verified');
    expect(okOf(verified).issued?.key).toStartWith('sk_live_');
    const [changed] = await on.entriesOf(
      () => desk.changeMerchant(admin, merchant.id, { status: 'paused', commissionPpm: 5_000n }),
      'merchant.changed',
    );
    expect(okOf(changed)).toMatchObject({ status: 'paused', commissionPpm: 5_000n });
    await on.entriesOf(() => desk.changeMerchant(admin, NOBODY, { status: 'paused' }));
    const of = { merchantId: merchant.id, environment: 'sandbox' } as const;
    const older = { ...of, overlapSeconds: 3_600 };
    await on.entriesOf(() => desk.rotateKey(admin, older), 'api_key.rotated');
    const [rotated] = await on.entriesOf(
      () => desk.rotateWebhookSecret(admin, older),
      'webhook_secret.rotated',
    );
    const [shown] = await on.entriesOf(() => desk.showWebhookSecret(admin, of), 'webhook_secret.shown');
    expect(okOf(shown)).toEqual(okOf(rotated));
    for (const subject of ['api_key', 'webhook_secret'] as const) {
      const end = () => desk.endOverlap(admin, { ...of, subject });
      const [ended] = await on.entriesOf(end, `${subject}.overlap_ended`);
      expect(okOf(ended)).toBe(true);
      expect(okOf(await end())).toBe(false);
    }
    await on.entriesOf(() => desk.endOverlap(admin, { ...of, merchantId: NOBODY, subject: 'api_key' }));
    const brand = { name: 'New shop', clears: false };
    const [branded] = await on.entriesOf(() => desk.changeBrand(admin, merchant.id, brand), 'brand.changed');
    expect(okOf(branded)).toEqual(okOf(await desk.brand(merchant.id)));
    await on.entriesOf(() => desk.changeBrand(admin, NOBODY, brand));
  });

  test('a form that is sent twice does not end the key that the shop uses, nor its webhook secret', async () => {
    const { live: key, id: merchantId } = on.merchant;
    const of = { merchantId, environment: 'live', overlapSeconds: 86_400 } as const;
    const [admin, owner] = [on.seat(), await on.desk()];
    const secret = okOf(await desk.showWebhookSecret(admin, of)).secret;
    const first = await Promise.all([desk.rotateKey(admin, of), desk.rotateKey(admin, of)]);
    expect(first.filter(({ ok }) => ok)).toHaveLength(1);
    const { merchantDesk } = on.desks;
    const [again] = await on.entriesOf(() => merchantDesk.rotateKey(owner, 86_400));
    expect(faultOf(again)).toMatchObject({ code: 'INVALID_TRANSITION' });
    expect((await on.it.call(key, 'GET', '/api/v2/balance')).status).toBe(200);

    okOf(await merchantDesk.rotateWebhookSecret(owner, 86_400));
    await on.entriesOf(() => desk.rotateWebhookSecret(admin, of));
    const signing = await on.deps.unitOfWork.run(({ webhookSecrets }) =>
      webhookSecrets.find(merchantId, 'live'),
    );
    expect(on.deps.vault.open(signing?.older?.sealed ?? '', WEBHOOK_SECRET_CONTEXT)).toBe(secret);

    // Whoever wants it all at once ends both.
    expect(okOf(await desk.rotateKey(admin, { ...of, overlapSeconds: 0 })).ended).toBe(2);
  });
});
