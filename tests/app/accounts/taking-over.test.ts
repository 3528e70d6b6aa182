/**
 * Ways to take an account over, each closed by a check of its own: with the password alone, with
 * factors of somebody else, with links and sessions that outlived their user, and in the moment
 * while a password is hashed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { usePasskey } from '../../../src/app/accounts/sign-in/second-factors.ts';
import {
  type AccountWorld,
  done,
  enter,
  HOME,
  openAccounts,
  PASSWORD,
  SITE,
  type SignedInUser,
  tokenOf,
} from '../../support/accounts/account-world.ts';
import { type Authenticator, authenticator } from '../../support/accounts/authenticator.ts';
import { fault, inviting } from '../../support/accounts/inviting.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const WRONG = { ok: false, error: { code: 'wrong' } } as const;
const SCRIPT = { kind: 'script', userId: null, name: 'root', ip: null } as const;
const NEW = 'twelve green frogs';
const from = (ip: string) => ({ ip, userAgent: null });

describe.skipIf(!needs('postgres', postgresAvailable()))('an account', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
    await world.operator('admin');
  });
  afterAll(() => world.close());
  const { shop, admin, linkFor, accept } = inviting(() => world);
  const member = async () => world.member('owner', await world.merchant());
  const half = async (email: string) => world.signedIn((await enter(world, email)).token);

  async function withPasskey(user: SignedInUser): Promise<{ user: SignedInUser; device: Authenticator }> {
    const device = authenticator(SITE);
    const { options } = await world.accounts.beginPasskey(user.by);
    const answer = device.register(options);
    const { started } = done(await world.accounts.addPasskey(user.by, { answer, name: '' }));
    return { user: { ...user, token: started.token, by: await world.signedIn(started.token) }, device };
  }

  describe('whose password is known', () => {
    test('is not opened by the passkey of another user', async () => {
      const [victim, thief] = [await withPasskey(await member()), await withPasskey(await member())];
      const by = await half(victim.user.email);
      const asked = (await world.accounts.secondFactorOptions(by)) ?? '';
      const stolen = { kind: 'passkey', answer: thief.device.assert(asked) } as const;
      expect(await world.accounts.confirmSecondFactor(by, stolen)).toEqual(WRONG);
      const again = (await world.accounts.secondFactorOptions(by)) ?? '';
      const own = { kind: 'passkey', answer: victim.device.assert(again) } as const;
      expect((await world.accounts.confirmSecondFactor(by, own)).ok).toBe(true);
    });

    test('is not opened by guessing recovery codes: they are counted as codes are', async () => {
      const user = await world.withCodes(await member());
      const by = await half(user.email);
      const guess = { kind: 'recovery', code: 'aaaa-aaaa-aaaa' } as const;
      for (let time = 0; time < 5; time += 1)
        expect(await world.accounts.confirmSecondFactor(by, guess)).toEqual(WRONG);
      const [code = ''] = user.recoveryCodes;
      expect(await world.accounts.confirmSecondFactor(by, { kind: 'recovery', code })).toMatchObject({
        error: { code: 'wait' },
      });
    });

    test('takes no invitation in before the second factor is given', async () => {
      const [{ merchantId, owner }, user] = [await shop(), await world.withCodes(await member())];
      const token = await linkFor(owner, user.email, merchantId, 'owner');
      expect(await world.accounts.joinByInvitation(await half(user.email), token)).toEqual(
        fault('confirm_needed'),
      );
    });

    test('counts a network as its own once the second factor was given there, and not before', async () => {
      const user = await world.withCodes(await member());
      const [thief, trip] = [from('198.51.100.9'), from('203.0.120.9')];
      await enter(world, user.email, thief);
      world.clock.advance(60);
      const by = await world.signedIn((await enter(world, user.email, trip)).token);
      const code = { kind: 'code', code: world.code(user.secret) } as const;
      done(await world.accounts.confirmSecondFactor(by, code));
      for (let guess = 0; guess < 6; guess += 1)
        await world.accounts.signIn({ email: user.email, password: 'guess' }, from(`10.${guess}.7.1`));
      const given = { email: user.email, password: PASSWORD };
      expect(await world.accounts.signIn(given, thief)).toMatchObject({ error: { code: 'wait' } });
      expect((await world.accounts.signIn(given, trip)).ok).toBe(true);
    });
  });

  describe('that is disabled', () => {
    test('is not entered by its passkey, and a session that is still known renews no recovery codes', async () => {
      const { user, device } = await withPasskey(await world.operator('viewer'));
      done(await world.operators.disable(SCRIPT, user.email));
      const { options, ceremony } = await world.accounts.passkeyOptions();
      const given = { ceremony, answer: device.assert(options) };
      expect(await world.accounts.signInByPasskey(given, HOME)).toEqual(WRONG);
      expect(await world.accounts.newRecoveryCodes(user.by)).toEqual(fault('confirm_needed'));
    });

    test('is not opened by a link for a new password that was made before', async () => {
      const [by, user] = [await admin(), await world.operator('viewer')];
      const token = tokenOf(done(await world.accounts.resetLink(by.by, user.by.user.id)).url);
      done(await world.operators.disable(SCRIPT, user.email));
      expect(await accept(token, { name: '', password: NEW })).toEqual(fault('link_over'));
    });
  });

  describe('while a password is hashed', () => {
    const changed = (user: SignedInUser, password = NEW) =>
      world.accounts.changePassword(user.by, { old: PASSWORD, password });

    test('is not entered by the password of before', async () => {
      const user = await member();
      world.meanwhile(() => changed(user));
      expect(await world.accounts.signIn({ email: user.email, password: PASSWORD }, HOME)).toEqual(WRONG);
    });

    test('gets no second new password by the old one', async () => {
      const user = await member();
      world.meanwhile(() => changed(user));
      expect(await changed(user, 'thirteen red toads')).toEqual(fault('wrong_password'));
    });

    test('is opened by one of two who use the same link for a new password', async () => {
      const [{ by }, user] = [await admin(), await member()];
      const token = tokenOf(done(await world.accounts.resetLink(by, user.by.user.id)).url);
      world.meanwhile(() => accept(token, { password: NEW }));
      expect(await accept(token, { password: 'thirteen red toads' })).toEqual(fault('link_over'));
    });

    test('that an invitation makes is not made by a second one, which would change its password', async () => {
      const [one, two] = [await shop(), await shop()];
      const email = 'twice@shop.example';
      const first = await linkFor(one.owner, email, one.merchantId, 'support');
      const second = await linkFor(two.owner, email, two.merchantId, 'support');
      world.meanwhile(() => accept(first));
      expect(await accept(second, { password: NEW })).toEqual(fault('email_taken'));
      expect((await world.accounts.signIn({ email, password: PASSWORD }, HOME)).ok).toBe(true);
    });
  });

  test('with a new password is not opened by a link for a new password of before', async () => {
    const [{ by }, user] = [await admin(), await member()];
    const token = tokenOf(done(await world.accounts.resetLink(by, user.by.user.id)).url);
    done(await world.accounts.changePassword(user.by, { old: PASSWORD, password: NEW }));
    expect(await accept(token, { password: 'thirteen red toads' })).toEqual(fault('link_over'));
  });

  test('takes a count of a passkey once, whoever checked the same signature at the same moment', async () => {
    const { device } = await withPasskey(await member());
    await world.unitOfWork.run(async (repositories) => {
      const passkey = await repositories.passkeys.lock(device.credentialId);
      if (passkey === null) throw new Error('the passkey is not there');
      const use = () => usePasskey(world, repositories, { passkey, signCount: passkey.signCount + 1 });
      expect([await use(), await use()]).toEqual([true, false]);
    });
  });
});
