/** Signing in by password: who gets in, and what whoever guesses learns. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AccountWorld,
  done,
  enter,
  HOME,
  openAccounts,
  PASSWORD,
} from '../../support/accounts/account-world.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const from = (ip: string) => ({ ip, userAgent: null });
const WRONG = { ok: false, error: { code: 'wrong' } } as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('signing in by password', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());
  const tryAt = (email: string, ip: string, password = 'not the password', at = world) =>
    at.accounts.signIn({ email, password }, from(ip));

  test('a member without a second factor is in, an operator has to set one up, whoever has one gives it', async () => {
    const merchantId = await world.merchant();
    const member = await world.member('owner', merchantId);
    const operator = await world.operator('viewer');
    expect((await enter(world, member.email)).session).toMatchObject({
      stage: 'complete',
      secondFactorAt: null,
    });
    expect((await enter(world, ` ${operator.email.toUpperCase()} `)).session.stage).toBe('enrolling');
    await world.withCodes(member);
    expect((await enter(world, member.email)).session.stage).toBe('password');
    const found = await world.signedIn((await enter(world, operator.email)).token);
    expect(found).toMatchObject({
      ...{ user: { email: operator.email, operatorRole: 'viewer' }, memberships: [], hasSecondFactor: false },
      session: { ip: HOME.ip, userAgent: 'Firefox' },
    });
  });

  test('an unknown address, a wrong password and a disabled user get the same answer for the same work', async () => {
    const [gone, there] = [await world.operator('viewer'), await world.operator('viewer')];
    await world.operator('admin');
    const script = { kind: 'script', userId: null, name: 'root', ip: null } as const;
    done(await world.operators.disable(script, gone.email));
    const tries = [
      ['nobody@shop.example', 'whatever it may be', '198.51.100.1'],
      ['no address', 'whatever it may be', '198.51.101.1'],
      [there.email, 'whatever it may be', '198.51.102.1'],
      [gone.email, 'whatever it may be', '198.51.103.1'],
    ] as const;
    const seen: unknown[] = [];
    for (const [email, password, ip] of tries) {
      const before = { ...world.work };
      const answer = await tryAt(email, ip, password);
      seen.push([
        JSON.stringify(answer),
        world.work.passwords - before.passwords,
        world.work.statements - before.statements,
      ]);
      world.clock.advance(1);
    }
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
    // With the right password, too.
    expect(await tryAt(gone.email, '198.51.104.1', PASSWORD)).toEqual(WRONG);
  });

  test('many tries at one address wait from every network, also in another process, and the user gets in from his own', async () => {
    const { email } = await world.member('owner', await world.merchant());
    const other = world.process();
    await enter(world, email);
    let tried = 0;
    for (; tried < 50; tried += 1) {
      const at = tried % 2 === 0 ? world : other;
      const answer = await at.accounts.signIn({ email, password: 'guess' }, from(`10.${tried}.1.1`));
      if (!answer.ok && answer.error.code === 'wait') break;
      world.clock.advance(0.5);
    }
    expect(tried).toBe(5);
    // Even with the right password: it would tell the guesser that it was right.
    expect(await tryAt(email, '172.16.0.1', PASSWORD)).toMatchObject({ error: { code: 'wait' } });
    expect((await enter(world, email)).session.stage).toBe('complete');
    // From one's own network too many tries wait as well, and only there.
    for (let guess = 0; guess < 5; guess += 1) expect(await tryAt(email, HOME.ip!)).toEqual(WRONG);
    expect(await tryAt(email, HOME.ip!, PASSWORD)).toMatchObject({ error: { code: 'wait' } });
  });

  test('the wait ends by itself, at most a quarter of an hour, and a right password begins anew', async () => {
    const { email } = await world.member('owner', await world.merchant());
    for (let guess = 0; guess < 40; guess += 1) {
      await tryAt(email, `10.1.${guess}.1`);
      world.clock.advance(1_000);
    }
    expect(await tryAt(email, '10.2.0.1', PASSWORD)).toMatchObject({ ok: true });
    for (let guess = 0; guess < 5; guess += 1) expect(await tryAt(email, `10.3.${guess}.1`)).toEqual(WRONG);
  });

  test('many addresses from one network wait, and whoever signs in between does not wipe that out', async () => {
    const own = await world.member('owner', await world.merchant());
    let tried = 0;
    for (; tried < 60; tried += 1) {
      const answer = await tryAt(`victim${tried}@shop.example`, `192.0.2.${tried}`);
      if (!answer.ok && answer.error.code === 'wait') break;
      if (tried === 10) done(await tryAt(own.email, '192.0.2.99', PASSWORD));
      world.clock.advance(0.2);
    }
    expect(tried).toBe(30);
  });

  test('tries that come at once are counted one after the other', async () => {
    const { email } = await world.member('owner', await world.merchant());
    const codes = await Promise.all(
      Array.from({ length: 10 }, async (_, nth) => {
        const answer = await tryAt(email, `10.9.${nth}.1`);
        return answer.ok ? 'in' : answer.error.code;
      }),
    );
    expect(codes.filter((code) => code === 'wrong')).toHaveLength(5);
  });

  test('strangers take at most ten hashes a second of a process, and users at home more', async () => {
    const { email } = await world.member('owner', await world.merchant());
    await enter(world, email);
    world.clock.advance(1);
    const before = world.work.passwords;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => tryAt(`s${nth}@shop.example`, `11.${nth}.0.1`)),
    );
    expect(answers.filter((answer) => !answer.ok && answer.error.code === 'wrong')).toHaveLength(10);
    expect(world.work.passwords - before).toBe(10);
    expect((await enter(world, email)).session.stage).toBe('complete');
  });

  test('a session that was planted before is not the one that is signed in', async () => {
    const { email, token } = await world.member('owner', await world.merchant());
    const started = await enter(world, email);
    expect(started.token).not.toBe(token);
    expect(started.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await world.accounts.sessionOf('x'.repeat(43))).toBeNull();
    expect(await world.accounts.sessionOf('not a token')).toBeNull();
  });

  test('what is in the database opens nothing: no token, code or typed address is there', async () => {
    const user = await world.withCodes(await world.member('owner', await world.merchant()));
    await tryAt('typed-secret@shop.example', '10.77.0.1');
    const tables = ['users', 'sessions', 'invitations', 'recovery_codes', 'sign_in_attempts', 'ceremonies'];
    const rows = await Promise.all(
      [...tables, 'audit_log', 'known_networks'].map((name) => world.database.query(`select * from ${name}`)),
    );
    const text = JSON.stringify(rows);
    for (const secret of [
      user.token,
      user.secret,
      'typed-secret',
      HOME.ip === null ? '' : '10.77.0',
      ...user.recoveryCodes,
    ])
      expect(text).not.toContain(secret);
    // A hash is no token.
    for (const { token_hash: hash } of rows[1] as unknown as { token_hash: string }[])
      expect(await world.accounts.sessionOf(hash.slice(0, 43))).toBeNull();
  });
});
