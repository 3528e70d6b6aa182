/** `bun run merchant` in parts: brands and keys, on the database of a service that goes by them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GREEN_PNG } from '../support/http/pictures.ts';
import { type OperatorDesk, openOperatorDesk, UNKNOWN_ID } from '../support/operators/operator-desk.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('what operators set for a merchant', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  const status = async (key: string) => (await desk.it.call(key, 'GET', '/api/v2/balance')).status;

  test('defaults of invoices are set, shown and taken back', async () => {
    const { id } = await desk.it.merchant();
    const set = ['merchant', 'set', id] as const;
    const options = ['--tolerance', '1.5', '--coins', 'usdt_tron,btc_bitcoin', '--webhook-format', 'heleket'];
    const changed = await desk.json(...set, ...options, '--language', 'pt-PT', '--approval-above', '250.5');
    expect(changed).toMatchObject({
      ...{ default_tolerance_percent: '1.5', accepted_coins: ['usdt_tron', 'btc_bitcoin'] },
      ...{ default_webhook_format: 'heleket', checkout_language: 'pt-PT', approval_above_usd: '250.5' },
    });
    const { stdout } = await desk.run(...set, '--tolerance', 'none', '--coins', 'all');
    expect(stdout).toMatch(/tolerance +none\n/);
    expect(stdout).toMatch(/coins +all\n/);
    expect(stdout).toMatch(/second person +above 250.5 USD\n/);
    const none = ['--webhook-format', 'none', '--language', 'none', '--approval-above', 'none'];
    expect(await desk.json(...set, ...none)).toMatchObject({
      ...{ default_tolerance_percent: null, accepted_coins: null, default_webhook_format: null },
      ...{ checkout_language: null, approval_above_usd: null },
    });
    for (const wrong of [
      ...[
        ['--tolerance', '11'],
        ['--coins', 'usdt'],
        ['--webhook-format', 'xml'],
        ['--language', 'German'],
      ],
      ['--approval-above', '-1'],
    ])
      expect((await desk.run(...set, ...wrong)).code).toBe(2);
  });

  test('a key is changed with an overlap that is told and can be ended, or at once', async () => {
    const { id, sandbox } = await desk.it.merchant();
    const rotation = ['merchant', 'rotate-key', id, '--environment', 'sandbox'] as const;
    const first = await desk.json(...rotation);
    const dayAhead = Math.floor(Date.now() / 1000) + 86_400;
    expect(first).toEqual({
      ...{ merchant_id: id, environment: 'sandbox', keys_ended: 0 },
      key: expect.stringMatching(/^sk_sandbox_[0-9a-f]{48}$/),
      old_key_until: expect.any(Number),
    });
    expect(Math.abs(first.old_key_until - dayAhead)).toBeLessThan(60);
    expect([await status(sandbox), await status(first.key)]).toEqual([200, 200]);

    const { stdout } = await desk.run(...rotation, '--overlap', '7d');
    const [second = ''] = /sk_sandbox_[0-9a-f]{48}/.exec(stdout) ?? [];
    expect(stdout).toContain(`merchant end-overlap ${id} --environment sandbox`);
    expect(stdout).toMatch(/old key +lives until 20\d\d-.+Z\n/);
    expect(stdout).toContain('at most two live at once');
    desk.clock.advance(6);
    expect(await Promise.all([sandbox, first.key, second].map((key) => status(key)))).toEqual([
      401, 200, 200,
    ]);

    const listed = (await desk.run('merchant', 'list')).stdout;
    expect(listed).toMatch(/sandbox \(old one until 20\d\d-[^)]+Z\)\+live /);
    const end = ['merchant', 'end-overlap', id, '--environment', 'sandbox'] as const;
    const put = await desk.json(...end, '--in', '2h');
    expect(Math.abs(put.until - Date.now() / 1000 - 7_200)).toBeLessThan(60);
    expect((await desk.run(...end, '--in', '2h')).stdout).toContain('The older sandbox key ends at 20');
    expect(await desk.json(...end)).toEqual({
      merchant_id: id,
      environment: 'sandbox',
      ends: true,
      until: null,
    });
    expect((await desk.run(...end)).stdout).toContain('There is no older sandbox key.');
    desk.clock.advance(6);
    expect([await status(first.key), await status(second)]).toEqual([401, 200]);

    const stolen = await desk.json(...rotation, '--overlap', '0');
    expect(stolen).toMatchObject({ old_key_until: null, keys_ended: 1 });
    desk.clock.advance(6);
    expect([await status(second), await status(stolen.key)]).toEqual([401, 200]);
    for (const command of [
      ['rotate-key'],
      ['end-overlap'],
      ['end-overlap', '--webhook-secret'],
      ['webhook-secret'],
      ['webhook-secret', '--rotate'],
    ])
      expect(await desk.refusal('merchant', ...command, UNKNOWN_ID, '--environment', 'live')).toContain(
        'No such merchant',
      );
  });

  test('a webhook secret is printed, made where there is none, and changed with an overlap that can be ended', async () => {
    const made = await desk.json('merchant', 'create', '--name', 'Shop', '--live');
    const id: string = made.merchant_id;
    const secret = (...args: string[]) =>
      desk.json('merchant', 'webhook-secret', id, '--environment', 'live', ...args);
    const shown = {
      ...{ merchant_id: id, environment: 'live', old_secret_until: null },
      webhook_secret: made.live_webhook_secret,
    };
    expect(await secret()).toEqual(shown);
    expect(made.sandbox_webhook_secret).not.toBe(made.live_webhook_secret);
    const text = (await desk.run('merchant', 'create', '--name', 'Other', '--live')).stdout;
    expect(text.match(/webhook secret +whsec_/g)).toHaveLength(2);

    const rotated = await secret('--rotate', '--overlap', '1h');
    expect(rotated.webhook_secret).not.toBe(made.live_webhook_secret);
    expect(Math.abs(rotated.old_secret_until - Date.now() / 1000 - 3_600)).toBeLessThan(60);
    expect(await secret()).toEqual(rotated);
    const told = (await desk.run('merchant', 'webhook-secret', id, '--environment', 'live')).stdout;
    expect(told).toContain(`merchant end-overlap ${id} --environment live --webhook-secret`);
    const end = ['merchant', 'end-overlap', id, '--environment', 'live', '--webhook-secret'] as const;
    expect(await desk.json(...end)).toMatchObject({ ends: true });
    expect(await secret()).toEqual({ ...shown, webhook_secret: rotated.webhook_secret });
    expect(await desk.json(...end)).toMatchObject({ ends: false });
    expect(await secret('--rotate', '--overlap', '0')).toMatchObject({ old_secret_until: null });
  });

  test('a brand is set piece by piece, shown, served, and cleared but for what is named', async () => {
    const { id } = await desk.it.merchant({ name: 'Own name' });
    const brand = (...args: string[]) => desk.json('merchant', 'brand', id, ...args);
    const none = {
      ...{ merchant_id: id, name: 'Own name', accent: null, logo_sha256: null },
      ...{ support: null, legal_name: null, terms_url: null, frame_ancestors: [] },
    };
    expect(await brand()).toEqual(none);

    expect(await brand('--name', 'Corner shop')).toEqual({ ...none, name: 'Corner shop' });
    const file = join(desk.dataDir, 'logo.png');
    writeFileSync(file, GREEN_PNG);
    const digest = createHash('sha256').update(GREEN_PNG).digest('hex');
    const whole = { ...none, name: 'Corner shop', accent: '#0a7d4f', logo_sha256: digest };
    expect(await brand('--logo', file, '--accent', '#0A7D4F')).toEqual(whole);
    expect(await brand()).toEqual(whole);

    const contact = ['--support', 'help@shop.example', '--legal-name', 'Corner Shop Ltd'];
    const links = ['--terms-url', 'https://shop.example/terms', '--frame-ancestors', 'https://A.example'];
    expect(await brand(...contact, ...links)).toEqual({
      ...{ ...whole, support: 'help@shop.example', legal_name: 'Corner Shop Ltd' },
      ...{ terms_url: 'https://shop.example/terms', frame_ancestors: ['https://a.example'] },
    });

    const served = await fetch(`${desk.it.url}/checkout/assets/logo/${digest}`);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await served.bytes()).toEqual(GREEN_PNG);

    const { stdout } = await desk.run('merchant', 'brand', id);
    for (const text of ['Corner shop', '#0a7d4f', digest]) expect(stdout).toContain(text);
    expect(await brand('--clear', '--accent', '#ffffff')).toEqual({ ...none, accent: '#ffffff' });
    expect(await brand('--clear')).toEqual(none);
    expect((await fetch(`${desk.it.url}/checkout/assets/logo/${digest}`)).status).toBe(404);
  });

  test('a brand is of a merchant that is there', async () => {
    for (const args of [[], ['--name', 'A']])
      expect(await desk.refusal('merchant', 'brand', UNKNOWN_ID, ...args)).toContain('No such merchant');
  });
});
