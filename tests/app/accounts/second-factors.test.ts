/** Second factors: one-time codes, passkeys and recovery codes, and that nothing works twice. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AccountWorld,
  done,
  enter,
  HOME,
  openAccounts,
  PASSWORD,
  SITE,
  type SignedInUser,
} from '../../support/accounts/account-world.ts';
import { type Authenticator, authenticator } from '../../support/accounts/authenticator.ts';
import { fault } from '../../support/accounts/inviting.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const WRONG = { ok: false, error: { code: 'wrong' } } as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('second factors', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());
  const member = async () => world.member('owner', await world.merchant());
  const half = async (email: string) => world.signedIn((await enter(world, email)).token);

  /** Adds a passkey; the session goes on with the token that is returned. */
  async function withPasskey(user: SignedInUser): Promise<{ user: SignedInUser; device: Authenticator }> {
    const device = authenticator(SITE);
    const { options } = await world.accounts.beginPasskey(user.by);
    const { started } = done(
      await world.accounts.addPasskey(user.by, { answer: device.register(options), name: ' My  laptop ' }),
    );
    return { user: { ...user, token: started.token, by: await world.signedIn(started.token) }, device };
  }

  test('codes are set up with a code of the secret, which stays the same meanwhile; the token is new and other sessions end', async () => {
    const user = await member();
    const other = await enter(world, user.email);
    const [begun, again] = [
      await world.accounts.beginCodes(user.by),
      await world.accounts.beginCodes(user.by),
    ];
    expect(again).toEqual(begun);
    expect(await world.accounts.enableCodes(user.by, '000000')).toEqual(fault('wrong_code'));
    const code = world.code(begun.secret);
    const { started, recoveryCodes } = done(await world.accounts.enableCodes(user.by, code));
    expect(started.session).toMatchObject({ stage: 'complete', secondFactorAt: world.clock.now() });
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const each of recoveryCodes ?? [])
      expect(each).toMatch(/^(?:[2-9a-hjkmnp-tv-z]{4}-){2}[2-9a-hjkmnp-tv-z]{4}$/);
    for (const token of [user.token, other.token]) expect(await world.accounts.sessionOf(token)).toBeNull();
    // The code that set it up was used with that.
    expect(await world.accounts.confirmSecondFactor(await half(user.email), { kind: 'code', code })).toEqual(
      WRONG,
    );
    expect(await world.accounts.enableCodes(await world.signedIn(started.token), code)).toEqual(
      fault('wrong_code'),
    );
  });

  test('a secret that was begun is over after a quarter of an hour', async () => {
    const user = await member();
    const { secret } = await world.accounts.beginCodes(user.by);
    world.clock.advance(15 * 60);
    expect(await world.accounts.enableCodes(user.by, world.code(secret))).toEqual(fault('wrong_code'));
    expect((await world.accounts.beginCodes(user.by)).secret).not.toBe(secret);
  });

  test('a sign-in goes on with a code, once, and gets another token', async () => {
    const user = await world.withCodes(await member());
    world.clock.advance(60);
    const first = await enter(world, user.email);
    const by = await world.signedIn(first.token);
    const code = world.code(user.secret);
    const started = done(await world.accounts.confirmSecondFactor(by, { kind: 'code', code }));
    expect(started.session).toMatchObject({ id: by.session.id, stage: 'complete' });
    expect(await world.accounts.sessionOf(first.token)).toBeNull();
    expect((await world.signedIn(started.token)).session.secondFactorAt).toEqual(world.clock.now());
    const again = await half(user.email);
    expect(await world.accounts.confirmSecondFactor(again, { kind: 'code', code })).toEqual(WRONG);
    world.clock.advance(30);
    const next = { kind: 'code', code: world.code(user.secret) } as const;
    expect(done(await world.accounts.confirmSecondFactor(again, next)).session.stage).toBe('complete');
  });

  test('of two that use a code at the same moment one gets in', async () => {
    const user = await world.withCodes(await member());
    world.clock.advance(60);
    const sessions = [await half(user.email), await half(user.email)];
    const factor = { kind: 'code', code: world.code(user.secret) } as const;
    const answers = await Promise.all(sessions.map((by) => world.accounts.confirmSecondFactor(by, factor)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('each recovery code works once, however it is typed, and new ones end the old', async () => {
    const user = await world.withCodes(await member());
    const [one = '', two = ''] = user.recoveryCodes;
    const recover = async (code: string) =>
      world.accounts.confirmSecondFactor(await half(user.email), { kind: 'recovery', code });
    const started = done(await recover(` ${one.toUpperCase().replaceAll('-', ' ')} `));
    expect(await recover(one)).toEqual(WRONG);
    const by = await world.signedIn(started.token);
    expect((await world.accounts.security(by)).recoveryCodesLeft).toBe(9);
    const fresh = done(await world.accounts.newRecoveryCodes(by));
    expect(await recover(two)).toEqual(WRONG);
    expect((await recover(fresh[0] ?? '')).ok).toBe(true);
  });

  test('second factors that are guessed wait longer each time, in every session, and it is logged', async () => {
    const user = await world.withCodes(await member());
    world.clock.advance(60);
    const guess = async () =>
      world.accounts.confirmSecondFactor(await half(user.email), { kind: 'code', code: '000000' });
    for (let time = 0; time < 5; time += 1) expect(await guess()).toEqual(WRONG);
    expect(await guess()).toEqual({ ok: false, error: { code: 'wait', waitSeconds: 30 } });
    world.clock.advance(30);
    expect(await guess()).toEqual(WRONG);
    expect(await guess()).toEqual({ ok: false, error: { code: 'wait', waitSeconds: 60 } });
    expect(world.lines.map(({ event }) => event)).toContain('account.second_factor_guessed');
    const right = async () =>
      world.accounts.confirmSecondFactor(await half(user.email), {
        kind: 'code',
        code: world.code(user.secret),
      });
    expect(await right()).toMatchObject({ error: { code: 'wait' } });
    world.clock.advance(60);
    expect((await right()).ok).toBe(true);
    expect(await guess()).toEqual(WRONG);
  });

  test('a session that awaits its second factor shows and changes nothing', async () => {
    const user = await world.withCodes(await member());
    const by = await half(user.email);
    expect(await world.accounts.changePassword(by, { old: PASSWORD, password: 'another 9 horses' })).toEqual(
      fault('confirm_needed'),
    );
    for (const attempt of [
      world.accounts.disableCodes(by),
      world.accounts.newRecoveryCodes(by),
      world.accounts.enableCodes(by, '000000'),
      world.accounts.addPasskey(by, { answer: '{}', name: '' }),
      world.accounts.removePasskey(by, 'x'),
      world.accounts.endSession(by, null),
    ])
      expect(await attempt).toEqual(fault('confirm_needed'));
    for (const attempt of [
      world.accounts.security(by),
      world.accounts.beginCodes(by),
      world.accounts.beginPasskey(by),
    ])
      await expect(attempt).rejects.toThrow();
    world.clock.advance(10 * 60);
    expect(await world.accounts.sessionOf((await enter(world, user.email)).token)).not.toBeNull();
    expect(await world.accounts.confirmSecondFactor(by, { kind: 'passkey', answer: '{}' })).toEqual(WRONG);
  });

  test('a second factor is changed only shortly after it was given, and an operator keeps one', async () => {
    const operator = await world.withCodes(await world.operator('viewer'));
    expect(await world.accounts.disableCodes(operator.by)).toEqual(fault('second_factor_needed'));
    const { user, device } = await withPasskey(operator);
    expect(await world.accounts.disableCodes(user.by)).toEqual({ ok: true, value: undefined });
    expect(await world.accounts.removePasskey(user.by, device.credentialId)).toEqual(
      fault('second_factor_needed'),
    );
    world.clock.advance(15 * 60);
    const by = await world.signedIn(user.token);
    expect(await world.accounts.newRecoveryCodes(by)).toEqual(fault('confirm_needed'));
    expect(await world.accounts.removePasskey(by, device.credentialId)).toEqual(fault('confirm_needed'));
  });

  test('a member may go without again: recovery codes end, and the session has proved nothing', async () => {
    const user = await world.withCodes(await member());
    expect(await world.accounts.disableCodes(user.by)).toEqual({ ok: true, value: undefined });
    const by = await world.signedIn(user.token);
    expect(by).toMatchObject({
      hasSecondFactor: false,
      session: { stage: 'complete', secondFactorAt: null },
    });
    expect((await world.accounts.security(by)).recoveryCodesLeft).toBe(0);
    expect(await world.accounts.disableCodes(by)).toEqual(fault('not_found'));
  });

  test('a passkey is a second factor, and a sign-in of its own that proves both', async () => {
    const { user, device } = await withPasskey(await member());
    expect((await world.accounts.security(user.by)).passkeys).toMatchObject([
      { name: 'My laptop', lastUsedAt: null },
    ]);
    const by = await half(user.email);
    expect(by.session.stage).toBe('password');
    const options = (await world.accounts.secondFactorOptions(by)) ?? '';
    const answer = device.assert(options);
    expect(
      done(await world.accounts.confirmSecondFactor(by, { kind: 'passkey', answer })).session.stage,
    ).toBe('complete');
    // Neither the answer nor its challenge works once more.
    expect(await world.accounts.confirmSecondFactor(by, { kind: 'passkey', answer })).toEqual(WRONG);
    expect(
      await world.accounts.confirmSecondFactor(by, { kind: 'passkey', answer: device.assert(options) }),
    ).toEqual(WRONG);

    const asked = await world.accounts.passkeyOptions();
    const given = { ceremony: asked.ceremony, answer: device.assert(asked.options) };
    const started = done(await world.accounts.signInByPasskey(given, HOME));
    expect(started.session).toMatchObject({
      userId: user.by.user.id,
      stage: 'complete',
      secondFactorAt: world.clock.now(),
    });
    expect(await world.accounts.signInByPasskey(given, HOME)).toEqual(WRONG);
    const replayed = { ceremony: asked.ceremony, answer: device.assert(asked.options) };
    expect(await world.accounts.signInByPasskey(replayed, HOME)).toEqual(WRONG);
  });

  test('a passkey sign-in needs its own challenge, in time, from this site and from a known passkey', async () => {
    const { user, device } = await withPasskey(await member());
    const [one, two] = [await world.accounts.passkeyOptions(), await world.accounts.passkeyOptions()];
    const enterBy = (ceremony: string, answer: string) =>
      world.accounts.signInByPasskey({ ceremony, answer }, HOME);
    expect(await enterBy(two.ceremony, device.assert(one.options))).toEqual(WRONG);
    expect(
      await enterBy(one.ceremony, device.assert(one.options, { origin: 'https://evil.example' })),
    ).toEqual(WRONG);
    expect(await enterBy('made up', device.assert(one.options))).toEqual(WRONG);
    expect(await enterBy(one.ceremony, '{}')).toEqual(WRONG);
    expect(await enterBy(one.ceremony, authenticator(SITE).assert(one.options))).toEqual(WRONG);
    // Nor is the challenge of one session that of another.
    const options = (await world.accounts.secondFactorOptions(await half(user.email))) ?? '';
    const by = await half(user.email);
    await world.accounts.secondFactorOptions(by);
    const answer = device.assert(options);
    expect(await world.accounts.confirmSecondFactor(by, { kind: 'passkey', answer })).toEqual(WRONG);
    world.clock.advance(5 * 60);
    expect(await enterBy(one.ceremony, device.assert(one.options))).toEqual(WRONG);
  });

  test('a passkey whose count went back is refused, and so is one that was removed', async () => {
    const { user, device } = await withPasskey(await member());
    const enterBy = async (signCount?: number) => {
      const { options, ceremony } = await world.accounts.passkeyOptions();
      const bent = signCount === undefined ? {} : { signCount };
      return world.accounts.signInByPasskey({ ceremony, answer: device.assert(options, bent) }, HOME);
    };
    expect((await enterBy(9)).ok).toBe(true);
    expect(await enterBy(9)).toEqual(WRONG);
    expect((await enterBy(10)).ok).toBe(true);
    done(await world.accounts.removePasskey(user.by, device.credentialId));
    expect(await enterBy(11)).toEqual(WRONG);
  });

  test('strangers who try at an address do not keep its passkey out', async () => {
    const { user, device } = await withPasskey(await member());
    for (let guess = 0; guess < 8; guess += 1)
      await world.accounts.signIn(
        { email: user.email, password: 'guess' },
        { ip: `10.5.${guess}.1`, userAgent: null },
      );
    const abroad = { ip: '198.18.0.1', userAgent: null };
    expect(await world.accounts.signIn({ email: user.email, password: PASSWORD }, abroad)).toMatchObject({
      error: { code: 'wait' },
    });
    const { options, ceremony } = await world.accounts.passkeyOptions();
    expect(
      (await world.accounts.signInByPasskey({ ceremony, answer: device.assert(options) }, abroad)).ok,
    ).toBe(true);
  });

  test('an answer to set a passkey up works once, in time, and for the session that asked', async () => {
    const [one, two] = [await member(), await member()];
    const device = authenticator(SITE);
    const { options } = await world.accounts.beginPasskey(one.by);
    const answer = device.register(options);
    await world.accounts.beginPasskey(two.by);
    expect(await world.accounts.addPasskey(two.by, { answer, name: '' })).toEqual(fault('wrong_code'));
    const { started } = done(await world.accounts.addPasskey(one.by, { answer, name: '' }));
    const by = await world.signedIn(started.token);
    expect(await world.accounts.addPasskey(by, { answer, name: '' })).toEqual(fault('wrong_code'));
    // A credential is of one user.
    const asked = await world.accounts.beginPasskey(two.by);
    expect(
      await world.accounts.addPasskey(two.by, { answer: device.register(asked.options), name: '' }),
    ).toEqual(fault('wrong_code'));
    const late = await world.accounts.beginPasskey(two.by);
    world.clock.advance(5 * 60);
    expect(
      await world.accounts.addPasskey(two.by, {
        answer: authenticator(SITE).register(late.options),
        name: '',
      }),
    ).toEqual(fault('wrong_code'));
    expect((await world.accounts.security(by)).passkeys).toMatchObject([{ name: 'Passkey' }]);
  });
});
