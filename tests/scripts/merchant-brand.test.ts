/** `bun run merchant brand` as a process, on the database of a service that serves what it sets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/needs.ts';
import { type OperatorDesk, openOperatorDesk, UNKNOWN_ID } from '../support/operator-desk.ts';
import { GREEN_PNG } from '../support/pictures.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))("a merchant's brand", () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  test('is set piece by piece, shown, served, and cleared but for what is named', async () => {
    const { id } = await desk.it.merchant();
    const brand = (...args: string[]) => desk.json('merchant', 'brand', id, ...args);
    const none = { merchant_id: id, name: null, accent: null, logo_sha256: null };
    expect(await brand()).toEqual(none);

    expect(await brand('--name', 'Corner shop')).toEqual({ ...none, name: 'Corner shop' });
    const file = join(desk.dataDir, 'logo.png');
    writeFileSync(file, GREEN_PNG);
    const digest = createHash('sha256').update(GREEN_PNG).digest('hex');
    const whole = { merchant_id: id, name: 'Corner shop', accent: '#0a7d4f', logo_sha256: digest };
    expect(await brand('--logo', file, '--accent', '#0A7D4F')).toEqual(whole);
    expect(await brand()).toEqual(whole);

    const served = await fetch(`${desk.it.url}/checkout/assets/logo/${digest}`);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await served.bytes()).toEqual(GREEN_PNG);

    const { stdout } = await desk.run('merchant', 'brand', id);
    for (const text of ['Corner shop', '#0a7d4f', digest]) expect(stdout).toContain(text);
    expect(await brand('--clear', '--accent', '#ffffff')).toEqual({ ...none, accent: '#ffffff' });
    expect(await brand('--clear')).toEqual(none);
    expect((await fetch(`${desk.it.url}/checkout/assets/logo/${digest}`)).status).toBe(404);
  });

  test('is of a merchant that is there', async () => {
    for (const args of [[], ['--name', 'A']])
      expect(await desk.refusal('merchant', 'brand', UNKNOWN_ID, ...args)).toContain('No such merchant');
  });
});
