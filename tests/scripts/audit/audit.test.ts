/** What operators do by scripts is in the audit log, which `bun run audit` lists and exports. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptActor } from '../../../scripts/support/audit.ts';
import { GREEN_PNG } from '../../support/http/pictures.ts';
import {
  BAD_SENDER,
  type OperatorDesk,
  openOperatorDesk,
  UNKNOWN_ID,
} from '../../support/operators/operator-desk.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the audit log of scripts', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  const entries = async (...args: string[]): Promise<readonly Json[]> =>
    (await desk.json('audit', 'list', ...args)).entries;
  /** What was done to a subject, oldest first. */
  const doneTo = async (subject: string, id: string): Promise<readonly Json[]> =>
    (await entries('--subject', subject, '--id', id)).toReversed();
  const actionsOf = (found: readonly Json[]) => found.map(({ action }) => action);

  async function balanced(): Promise<{ readonly id: string; readonly live: string; readonly order: string }> {
    const merchant = await desk.it.merchant();
    const paid = await desk.invoice(merchant.live);
    await desk.payToFinality(paid.address_to, '25.25');
    return { id: merchant.id, live: merchant.live, order: paid.order_id };
  }
  /** An invoice of the sandbox that is paid. */
  async function simulated(): Promise<{ readonly id: string; readonly order: string }> {
    const { id, sandbox } = await desk.it.merchant();
    const { order_id: order } = await desk.invoice(sandbox);
    const paid = { status: 'success', send_webhook: false };
    await desk.it.call(sandbox, 'POST', `/api/v2/invoices/${order}/simulate`, paid);
    return { id, order };
  }
  async function payout(key: string): Promise<string> {
    const body = { address: `0x${'1234'.repeat(10)}`, amount: 5, asset: 'usdt_ethereum' };
    const made = await desk.it.call(key, 'POST', '/api/v2/payouts', body, { 'x-uniq-id': randomUUID() });
    return made.body.result.order_id;
  }

  test('a merchant, its keys, its secrets and its brand: each change says before and after, and no secret', async () => {
    const made = await desk.json('merchant', 'create', '--name', 'Corner shop');
    const id: string = made.merchant_id;
    const secrets: string[] = [made.sandbox_key, made.sandbox_webhook_secret];
    const key = (...args: string[]) =>
      desk.json('merchant', ...(args as ['rotate-key']), id, '--environment', 'sandbox');
    secrets.push((await key('rotate-key')).key, (await key('rotate-key')).key);
    await key('end-overlap');
    secrets.push(
      (await key('webhook-secret')).webhook_secret,
      (await key('webhook-secret', '--rotate')).webhook_secret,
    );
    await key('end-overlap', '--webhook-secret');
    const verified = await desk.json('merchant', 'verify', id);
    secrets.push(verified.live_key, verified.live_webhook_secret);
    await desk.json('merchant', 'set', id, '--status', 'paused');
    const logo = join(desk.dataDir, 'logo.png');
    writeFileSync(logo, GREEN_PNG);
    await desk.json('merchant', 'brand', id, '--logo', logo, '--name', 'Corner');
    await desk.json('merchant', 'brand', id);

    const found = (await entries('--merchant', id)).toReversed();
    expect(actionsOf(found)).toEqual([
      ...['merchant.created', 'api_key.rotated', 'api_key.rotated', 'api_key.overlap_ended'],
      ...['webhook_secret.shown', 'webhook_secret.rotated', 'webhook_secret.overlap_ended'],
      ...['merchant.verified', 'merchant.changed', 'brand.changed'],
    ]);
    const { name } = scriptActor(process.env);
    for (const entry of found)
      expect(entry).toMatchObject({ actor: name, actor_kind: 'script', ip: null, merchant_id: id });
    expect(found[0]).toMatchObject({ subject_id: id, before: null, after: { name: 'Corner shop' } });
    expect(found[1]).toMatchObject({
      ...{ subject: 'api_key', subject_id: id, note: 'sandbox' },
      before: { sandbox: { since: expect.any(String), older_until: null } },
      after: { sandbox: { since: expect.any(String), older_until: expect.any(String) } },
    });
    expect(found[3]?.after).toMatchObject({ sandbox: { older_until: null } });
    expect(found[8]).toMatchObject({ before: { status: 'active' }, after: { status: 'paused' } });
    expect(found[9]).toMatchObject({
      before: { name: 'Corner shop', logo_sha256: null },
      after: { name: 'Corner', logo_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });

    expect(secrets).toHaveLength(8);
    const { stdout } = await desk.run('audit', 'export');
    expect(stdout).toContain('api_key.rotated');
    expect(stdout).not.toMatch(/sk_(?:live|sandbox)_|whsec_/);
    for (const secret of secrets) expect(stdout).not.toContain(secret.replace(/^(?:sk_\w+_|whsec_)/, ''));
  });

  test('payouts and the kill switch', async () => {
    const merchant = await balanced();
    const id = await payout(merchant.live);
    await desk.json('payouts', 'hold', id, '--reason', 'ask first');
    await desk.refusal('payouts', 'retry', id);
    await desk.json('payouts', 'release', id);
    await desk.json('payouts', 'retry', id);
    await desk.json('payouts', 'cancel', id);
    await desk.refusal('payouts', 'cancel', id);
    await desk.refusal('payouts', 'hold', UNKNOWN_ID);
    const found = await doneTo('payout', id);
    expect(actionsOf(found)).toEqual([
      ...['payout.held', 'payout.released', 'payout.retried', 'payout.cancelled'],
    ]);
    expect(found[0]).toMatchObject({
      ...{ merchant_id: merchant.id, note: 'ask first' },
      before: { status: 'pending', held: null, amount_units: '5000000' },
      after: { status: 'pending', held: { code: 'operator', text: 'ask first' } },
    });
    expect(found[3]).toMatchObject({ before: { status: 'pending' }, after: { status: 'cancelled' } });
    expect(await doneTo('payout', UNKNOWN_ID)).toEqual([]);

    await desk.json('payouts', 'stop', '--note', 'a drill');
    await desk.json('payouts', 'start');
    const signing = (await entries('--subject', 'signing')).toReversed();
    expect(signing).toMatchObject([
      {
        ...{ action: 'signing.stopped', note: 'a drill', before: { stopped_at: null } },
        after: { stopped_at: expect.any(String), note: 'a drill' },
      },
      { action: 'signing.started', before: { note: 'a drill' }, after: { stopped_at: null, note: null } },
    ]);
  });

  test('refunds: one that is only shown leaves no entry, nor does one that is refused', async () => {
    const { order, id: merchantId } = await simulated();
    await desk.json('refund', order, '--dry-run');
    await desk.refusal('refund', order, '--amount', '26');
    expect(await entries('--merchant', merchantId)).toEqual([]);
    const { refund } = await desk.json('refund', order, '--by', 'ann', '--to', `0x${'1234'.repeat(10)}`);
    expect(await doneTo('refund', refund.payout_id)).toMatchObject([
      {
        ...{ action: 'refund.ordered', merchant_id: merchantId, note: 'by ann', before: null },
        after: { kind: 'refund', status: 'pending', invoice_id: order, ordered_by: 'ann' },
      },
    ]);
    const other = await simulated();
    const claim = await desk.json('refund', other.order, '--claim', '--by', 'ann');
    const [offered, ...more] = await doneTo('refund', claim.refund_id);
    expect(more).toEqual([]);
    expect(offered).toMatchObject({
      ...{ action: 'refund.offered', merchant_id: other.id, before: null },
      after: { status: 'open', ordered_by: 'ann', invoice_id: other.order, address: null },
    });
    const [, code = ''] = /\/r\/([^?#]+)/.exec(claim.claim_url) ?? [];
    expect(JSON.stringify(offered)).not.toContain(code === '' ? claim.claim_url : code);
  });

  test('deposits: credited, released and rejected, once each', async () => {
    const merchant = await desk.it.merchant();
    const [good, bad] = [await desk.invoice(merchant.live), await desk.invoice(merchant.live)];
    const late = await desk.invoice(merchant.live, { ttl: 300 });
    await desk.payToFinality(good.address_to, '25.25', BAD_SENDER);
    await desk.payToFinality(bad.address_to, '25.25', BAD_SENDER);
    desk.clock.advance(400);
    await desk.it.settle();
    await desk.payToFinality(late.address_to, '7');
    const [held, strays] = [await desk.json('risk', 'list'), await desk.json('strays', 'list')];
    const [first, second] = held.deposits.map(({ deposit_id }: Json) => deposit_id);
    const stray = strays.deposits.find((row: Json) => row.merchant_id === merchant.id).deposit_id;
    await desk.json('risk', 'release', first);
    await desk.refusal('risk', 'release', first);
    await desk.json('risk', 'reject', second, '--reason', 'stolen');
    await desk.json('strays', 'credit', stray);
    await desk.refusal('strays', 'credit', stray);
    const found = (await entries('--merchant', merchant.id)).toReversed();
    const change = ({ action, subject_id, before, after, note }: Json) => [
      ...[action, subject_id, before.status, after.status, note],
    ];
    expect(found.map(change)).toEqual([
      ['deposit.released', first, 'held', 'credited', null],
      ['deposit.rejected', second, 'held', 'rejected', 'stolen'],
      ['deposit.credited', stray, 'stray', 'credited', null],
    ]);
    const offer = await desk.runIn({ CHAINS: 'fake' }, 'strays', 'refund', stray, '--json');
    const claim = JSON.parse(offer.stdout);
    expect(actionsOf(await doneTo('deposit', stray))).toEqual(['deposit.credited']);
    expect(actionsOf(await doneTo('refund', claim.refund_id))).toEqual(['refund.offered']);
  });

  test('links, and webhooks that are sent again', async () => {
    const { id, sandbox } = await desk.it.merchant();
    const make = ['links', 'create', id, '--sandbox', '--title'] as const;
    const link = await desk.json(...make, 'Plan', '--amount', '25');
    await desk.json('links', 'set', id, link.id, '--sandbox', '--active', 'off');
    expect(await doneTo('link', link.id)).toMatchObject([
      { action: 'link.created', merchant_id: id, before: null, after: { active: true, slug: link.slug } },
      {
        action: 'link.changed',
        before: { active: true },
        after: { active: false, amount_micros: '25000000' },
      },
    ]);
    const till = await desk.json(...make, 'Till', '--mode', 'point_of_sale');
    const [made] = await doneTo('link', till.id);
    expect(made?.after).not.toContainKey('slug');
    expect(JSON.stringify(made)).not.toContain(till.url.split('/').at(-1));

    const shown = await desk.invoice(sandbox, { notify_url: 'http://127.0.0.1:9/hook' });
    await desk.json('webhooks', 'replay', '--invoice', shown.order_id);
    await desk.refusal('webhooks', 'replay', '--invoice', UNKNOWN_ID);
    expect(await entries('--action', 'delivery')).toMatchObject([
      { action: 'delivery.queued_again', note: `of invoice ${shown.order_id}`, before: null, after: null },
    ]);
  });

  test('the log is listed by filters, newest first, with what changed', async () => {
    const made = await desk.json('merchant', 'create', '--name', 'Listed');
    await desk.json('merchant', 'set', made.merchant_id, '--status', 'active', '--name', 'Renamed');
    const listed = await desk.run('audit', 'list', '--merchant', made.merchant_id);
    const [titles, newest, oldest, ...more] = listed.stdout.trimEnd().split('\n');
    expect(titles).toMatch(/^TIME +WHO +FROM +ACTION +ON +MERCHANT +CHANGED +NOTE$/);
    expect(newest).toMatch(
      /^20\d\d-.+Z +.+ on .+ +script +merchant\.changed +[0-9a-f]{24} +[0-9a-f]{24} +name status$/,
    );
    expect(oldest).toContain('merchant.created');
    expect(more).toEqual([]);
    const count = async (...args: string[]) =>
      (await entries('--merchant', made.merchant_id, ...args)).length;
    expect(await count('--limit', '1')).toBe(1);
    expect(await count('--actor', 'nobody of that name')).toBe(0);
    expect(await count('--action', 'merchant')).toBe(2);
    expect(await count('--to', '2020-01-01')).toBe(0);
    expect(await count('--from', '2020-01-01')).toBe(2);
    expect((await desk.run('audit', 'list', '--merchant', UNKNOWN_ID)).stdout).toBe('no entries\n');
    expect(await desk.run('audit', 'list', '--subject', 'weather')).toMatchObject({ code: 2 });
  });

  test('it is exported whole, as CSV that a spreadsheet does not run, or a line of JSON for each entry', async () => {
    const made = await desk.json('merchant', 'create', '--name', '=1+1, "quoted"');
    const only = ['--merchant', made.merchant_id];
    await desk.json('merchant', 'set', made.merchant_id, '--name', 'Plain');
    const json = await desk.run('audit', 'export', '--json', ...only);
    const rows = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { action: 'merchant.changed', before: { name: '=1+1, "quoted"' }, after: { name: 'Plain' } },
      { action: 'merchant.created', before: null, at: expect.stringMatching(/^20\d\d-.+\.\d{3}Z$/) },
    ]);
    const csv = await desk.run('audit', 'export', ...only);
    const [head, changed, created, end] = csv.stdout.split('\r\n');
    expect(head).toBe(
      'id,at,actor_kind,actor_user_id,actor,ip,action,subject,subject_id,merchant_id,note,before,after',
    );
    expect(changed).toStartWith(`${rows[0].id},${rows[0].at},script,,`);
    expect(changed).toContain('""name"":""=1+1, \\""quoted\\""""');
    expect(created).toContain(',merchant.created,merchant,');
    expect(end).toBe('');
    // Each file is an action of its own, which the next one has.
    const note = `merchantId ${made.merchant_id}`;
    expect(await entries('--action', 'audit_log.exported', '--limit', '2')).toMatchObject([
      { subject: 'audit_log', actor: scriptActor(process.env).name, note },
      { note },
    ]);
    const all = await desk.run('audit', 'export', '--json');
    expect(JSON.parse(all.stdout.split('\n')[0] ?? '')).toMatchObject({
      ...{ action: 'audit_log.exported', note: null },
    });
  });
});
