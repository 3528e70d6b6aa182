/** Sessions: how long they last, who ends them, and how soon that is noticed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { forgetAccounts } from '../../../src/app/accounts/forget-accounts.ts';
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

const HOUR = 3_600;
const SCRIPT = { kind: 'script', userId: null, name: 'root', ip: null } as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('sessions', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());
  const member = async () => world.member('owner', await world.merchant());
  const isOpen = async (token: string) => (await world.accounts.sessionOf(token)) !== null;

  test('a session ends after twelve hours without a request, and after seven days in any case', async () => {
    const { email } = await member();
    const { token } = await enter(world, email);
    for (let hour = 0; hour < 7 * 24; hour += 11) {
      expect(await isOpen(token)).toBe(true);
      world.clock.advance(11 * HOUR);
    }
    expect(await isOpen(token)).toBe(false);
    const idle = await enter(world, email);
    world.clock.advance(12 * HOUR - 1);
    expect(await isOpen(idle.token)).toBe(true);
    world.clock.advance(12 * HOUR);
    expect(await isOpen(idle.token)).toBe(false);
  });

  test('an open stream does not keep it', async () => {
    const { email } = await member();
    const { token } = await enter(world, email);
    for (let hour = 0; hour < 12; hour += 1) {
      expect(await world.accounts.sessionOf(token, 'stream')).not.toBeNull();
      world.clock.advance(HOUR);
    }
    expect(await world.accounts.sessionOf(token, 'stream')).toBeNull();
  });

  test('one that awaits its second factor ends after ten minutes', async () => {
    const user = await world.withCodes(await member());
    const { token } = await enter(world, user.email);
    world.clock.advance(599);
    expect(await isOpen(token)).toBe(true);
    world.clock.advance(1);
    expect(await isOpen(token)).toBe(false);
  });

  test('it is read once in two seconds, and written once a minute', async () => {
    const { email } = await member();
    const { token } = await enter(world, email);
    const statements = async (seconds: number) => {
      world.clock.advance(seconds);
      const before = world.work.statements;
      await world.signedIn(token);
      return world.work.statements - before;
    };
    expect(await statements(0)).toBe(2);
    expect(await statements(1.999)).toBe(0);
    expect(await statements(0.001)).toBe(2);
    expect(await statements(60)).toBe(3);
    expect(await statements(30)).toBe(2);
  });

  test('after a sign-out nothing opens it, here at once and elsewhere within two seconds', async () => {
    const { token, by } = await member();
    const other = world.process();
    expect(await other.accounts.sessionOf(token)).not.toBeNull();
    await world.accounts.signOut(by);
    expect(await isOpen(token)).toBe(false);
    world.clock.advance(2);
    expect(await other.accounts.sessionOf(token)).toBeNull();
    await world.accounts.signOut(by);
  });

  test('a read that was under way when it ended is not kept', async () => {
    const { token, by } = await member();
    world.clock.advance(2);
    await Promise.all([world.accounts.sessionOf(token), world.accounts.signOut(by)]);
    expect(await isOpen(token)).toBe(false);
  });

  test('a user sees own sessions, ends one or all others, and no one else’s', async () => {
    const [user, stranger] = [await member(), await member()];
    const [one, two] = [await enter(world, user.email), await enter(world, user.email)];
    const sessions = (await world.accounts.security(user.by)).sessions.map(({ id }) => id);
    expect(sessions.toSorted()).toEqual([user.by.session.id, one.session.id, two.session.id].toSorted());
    expect(await world.accounts.endSession(stranger.by, one.session.id)).toEqual({
      ok: false,
      error: 'not_found',
    });
    expect(await isOpen(one.token)).toBe(true);
    done(await world.accounts.endSession(user.by, one.session.id));
    expect([await isOpen(one.token), await isOpen(two.token)]).toEqual([false, true]);
    done(await world.accounts.endSession(user.by, null));
    expect([await isOpen(two.token), await isOpen(user.token)]).toEqual([false, true]);
  });

  test('a new password ends all other sessions, and this one gets another token', async () => {
    const user = await member();
    const other = await enter(world, user.email);
    const change = (old: string, password: string) =>
      world.accounts.changePassword(user.by, { old, password });
    expect(await change('not it', 'twelve green frogs')).toEqual({ ok: false, error: 'wrong_password' });
    expect(await change(PASSWORD, 'short')).toEqual({ ok: false, error: 'password_too_short' });
    expect(await change(PASSWORD, `1${user.email}`)).toEqual({ ok: false, error: 'password_common' });
    const { token } = done(await change(PASSWORD, 'twelve green frogs'));
    expect([await isOpen(user.token), await isOpen(other.token), await isOpen(token)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await world.accounts.signIn({ email: user.email, password: PASSWORD }, HOME)).toMatchObject({
      ok: false,
    });
    expect(
      await world.accounts.signIn({ email: user.email, password: 'twelve green frogs' }, HOME),
    ).toMatchObject({ ok: true });
  });

  test('the present password is not guessed through an open browser', async () => {
    const user = await member();
    const guess = (old: string) =>
      world.accounts.changePassword(user.by, { old, password: 'twelve green frogs' });
    for (let time = 0; time < 5; time += 1)
      expect(await guess('guess')).toMatchObject({ error: 'wrong_password' });
    expect(await guess(PASSWORD)).toEqual({ ok: false, error: 'try_later' });
    world.clock.advance(5);
    expect((await guess(PASSWORD)).ok).toBe(true);
  });

  test('the sessions of a disabled operator end at once, and scripts end those of anybody', async () => {
    await world.operator('admin');
    const operator = await world.operator('viewer');
    done(await world.operators.disable(SCRIPT, operator.email));
    expect(await isOpen(operator.token)).toBe(false);
    const user = await member();
    expect(await world.operators.endSessions(SCRIPT, user.email)).toEqual({ ok: true, value: 1 });
    expect(await isOpen(user.token)).toBe(false);
    expect(await world.operators.endSessions(SCRIPT, 'nobody@shop.example')).toEqual({
      ok: false,
      error: 'not_found',
    });
  });

  test('a session that another process still knows as one without a second factor changes none', async () => {
    const user = await member();
    const stale = await world.signedIn((await enter(world, user.email)).token);
    const code = async () => world.code((await world.accounts.beginCodes(stale)).secret);
    const mine = await code();
    const enrolled = await world.withCodes(user);
    expect(await world.accounts.disableCodes(stale)).toMatchObject({ error: 'confirm_needed' });
    expect(await world.accounts.newRecoveryCodes(stale)).toMatchObject({ error: 'confirm_needed' });
    expect(await world.accounts.enableCodes(stale, mine)).toMatchObject({ ok: false });
    const by = await world.signedIn(enrolled.token);
    expect(by.hasSecondFactor).toBe(true);
    expect((await world.accounts.security(by)).recoveryCodesLeft).toBe(10);
  });

  test('a disabled user has no session, even if a row of one is left', async () => {
    const user = await member();
    world.clock.advance(2);
    await world.database.query(`update users set status = 'disabled' where email = $1`, [user.email]);
    expect(await isOpen(user.token)).toBe(false);
  });

  test('what is over is removed, and what is not stays', async () => {
    const user = await world.withCodes(await member());
    await world.accounts.signIn({ email: 'a@b.example', password: 'guess' }, HOME);
    await world.accounts.beginPasskey(user.by);
    await world.operators.invite(SCRIPT, {
      email: 'late@shop.example',
      merchantId: null,
      role: 'viewer',
      refundLimitMicroUsd: null,
    });
    const forget = forgetAccounts(world);
    const left = async () => {
      const tables = ['sessions', 'invitations', 'ceremonies', 'sign_in_attempts', 'known_networks'];
      const counts = await Promise.all(
        tables.map((name) => world.database.query<{ n: string }>(`select count(*) as n from ${name}`)),
      );
      return counts.map(([row]) => Number(row?.n));
    };
    while ((await forget(2)) > 0);
    expect((await left()).every((count) => count > 0)).toBe(true);
    expect(await isOpen(user.token)).toBe(true);
    world.clock.advance(91 * 24 * HOUR);
    while ((await forget(2)) > 0);
    expect(await left()).toEqual([0, 0, 0, 0, 0]);
  });
});
