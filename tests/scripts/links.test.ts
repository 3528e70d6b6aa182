/** `bun run links`, and refunds that operators offer, as processes beside a running service. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimOfToken } from '../../src/app/payouts/refunds/claim-url.ts';
import { GREEN_PNG } from '../support/http/pictures.ts';
import { type OperatorDesk, openOperatorDesk, UNKNOWN_ID } from '../support/operators/operator-desk.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('what operators do for customers', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  test('a link is created with every setting, shown with its QR code, changed and listed', async () => {
    const { id, sandbox } = await desk.it.merchant();
    const picture = join(desk.dataDir, 'tea.png');
    writeFileSync(picture, GREEN_PNG);
    const made = await desk.json(
      'links',
      ...['create', id, '--sandbox', '--title', 'Tea', '--description', 'Green', '--slug', 'tea'],
      ...['--mode', 'donation', '--currency', 'eur', '--min', '1', '--max', '100.5', '--suggest', '5'],
      ...['--suggest', '10', '--coin', 'btc_bitcoin', '--field', 'name', '--field', 'note', '--stock', '7'],
      ...['--expires', '2030-01-01', '--success-url', 'https://shop.example/thanks', '--ttl', '600'],
      ...['--notify-url', 'https://shop.example/hook', '--extra', 'tea-1', '--picture', picture],
    );
    expect(made).toMatchObject({
      ...{ slug: 'tea', mode: 'donation', fiat_currency: 'EUR', min_amount: 1, max_amount: 100.5, stock: 7 },
      ...{ suggested_amounts: [5, 10], accepted_coins: ['btc_bitcoin'], fields: ['name', 'note'], ttl: 600 },
      ...{
        expires_at: 1_893_456_000,
        extra: 'tea-1',
        picture_url: expect.stringMatching(/\/l\/tea\/picture$/),
      },
    });
    const told = (await desk.it.call(sandbox, 'GET', `/api/v2/links/${made.id}`)).body.result;
    expect(Object.keys(told)).toEqual(Object.keys(made));
    expect(told).toMatchObject({ id: made.id, slug: 'tea', title: 'Tea', stock: 7 });

    for (const [name, start] of [
      ['tea.svg', '<svg'],
      ['tea-code.png', '\u0089PNG'],
    ] as const) {
      const file = join(desk.dataDir, name);
      const { stdout } = await desk.run('links', 'show', id, made.id, '--sandbox', '--qr', file);
      expect(stdout).toContain(made.url);
      expect(stdout).toContain(`<a href="${made.url}"`);
      expect(readFileSync(file, 'latin1').startsWith(start)).toBe(true);
    }

    const changed = await desk.json(
      'links',
      ...['set', id, made.id, '--sandbox', '--active', 'off', '--expires', 'none', '--coin', 'none'],
      ...['--suggest', 'none', '--title', 'Black tea'],
    );
    expect(changed).toMatchObject({
      ...{ active: false, expires_at: null, accepted_coins: null, suggested_amounts: [], title: 'Black tea' },
      ...{ description: 'Green', stock: 7 },
    });
    expect((await desk.run('links', 'list', id, '--sandbox')).stdout).toMatch(/donation +no +Black tea/);
    expect((await desk.json('links', 'list', id)).links).toEqual([]);
  });

  test('a link that cannot be is refused, and nothing is written', async () => {
    const { id } = await desk.it.merchant();
    const wrong: readonly (readonly [options: readonly string[], why: string])[] = [
      [[], '--title is needed'],
      [['--title', 'x', '--slug', 'A'], 'must be 3 to 64 characters'],
      [['--title', 'x', '--mode', 'point_of_sale', '--slug', 'till'], 'is a secret'],
      [['--title', 'x', '--coin', 'nothing'], '--coin'],
      [['--title', 'x', '--currency', 'XXX'], 'must be one of'],
      [['--title', 'x', '--tip', '101'], 'whole number'],
      [['--title', 'x', '--qr', 'code.gif'], 'must end with .svg or .png'],
      [['--title', 'x', '--picture', 'none.png'], 'cannot be taken'],
    ];
    for (const [options, why] of wrong) {
      const { code, stderr } = await desk.run('links', 'create', id, ...options);
      expect([code, options]).toEqual([2, options]);
      expect(stderr).toContain(why);
    }
    expect(
      await desk.refusal('links', 'create', id, '--title', 'x', '--amount', '5', '--min', '1'),
    ).toContain('min_amount');
    expect(await desk.refusal('links', 'show', id, UNKNOWN_ID)).toContain('No such payment link');
    expect((await desk.json('links', 'list', id)).links).toEqual([]);
    expect(existsSync(join(desk.dataDir, 'code.gif'))).toBe(false);
  });

  test('a refund is offered by link, once, and says what the options mean together', async () => {
    const { id, sandbox } = await desk.it.merchant();
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    const call = async (path: string, body: object) =>
      (await desk.it.call(sandbox, 'POST', path, body)).body.result;
    const paid = await call('/api/v2/invoices', { amount: 25, asset: 'usdt_tron', fiat_currency: 'USD' });
    await call(`/api/v2/invoices/${paid.order_id}/simulate`, { status: 'paid_over', send_webhook: false });
    const offer = ['refund', paid.order_id, '--claim', '--by', 'ann'] as const;
    const made = await desk.json(...offer, '--surplus', '--days', '3', '--on-checkout');
    expect(made).toMatchObject({
      ...{ invoice_id: paid.order_id, status: 'open', subject: 'surplus', amount: '6.25', ordered_by: 'ann' },
      ...{
        on_checkout: true,
        fee_bearer: 'client',
      },
    });
    const token = /\/r\/([0-9a-f]{24}-[0-9a-f]{40})$/.exec(made.claim_url)?.[1] ?? '';
    expect(await claimOfToken(desk.it.service.dependencies)(token)).toMatchObject({
      claim: { id: made.refund_id },
    });
    expect(await desk.refusal(...offer)).toContain('offered already');
    for (const options of [['--to', 'x'], ['--force'], ['--dry-run']]) {
      const { code, stderr } = await desk.run(...offer, ...options);
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be combined')]);
    }
    expect(await desk.run('refund', paid.order_id, '--surplus')).toMatchObject({ code: 2 });
    expect(await desk.refusal('strays', 'refund', UNKNOWN_ID)).toContain('No such deposit');
  });
});
