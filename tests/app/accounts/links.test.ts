/** Links that give a role or a new password: each once, in time, to whom it is for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { accountQueries } from '../../../src/adapters/postgres/accounts/account-queries.ts';
import type { SignedIn } from '../../../src/app/accounts/accounts.ts';
import {
  type AccountWorld,
  done,
  type EnrolledUser,
  enter,
  openAccounts,
  SITE,
  tokenOf,
} from '../../support/accounts/account-world.ts';
import { DONE, fault, inviting } from '../../support/accounts/inviting.ts';
import { anId } from '../../support/builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('links', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());

  const { shop, admin, linkFor, accept } = inviting(() => world);

  test('a link makes a user with the role, once', async () => {
    const { merchantId, owner } = await shop();
    const { url } = done(
      await world.accounts.invite(owner.by, {
        email: ' Bob@Shop.Example ',
        merchantId,
        role: 'support',
        refundLimitMicroUsd: 5_000_000n,
      }),
    );
    expect(url).toMatch(new RegExp(`^${SITE}/console/i/[A-Za-z0-9_-]{43}$`));
    const token = tokenOf(url);
    expect(await world.accounts.invitationOf(token)).toMatchObject({
      ...{ merchantName: 'Corner shop', isKnown: false },
      invitation: {
        kind: 'invitation',
        email: 'bob@shop.example',
        role: 'support',
        invitedBy: owner.by.user.id,
      },
    });
    expect(await accept(token, { name: ' \t ' })).toEqual(fault('name_missing'));
    expect(await accept(token, { password: 'password1234' })).toEqual(fault('password_common'));
    const { started, people } = {
      started: done(await accept(token)),
      people: await world.accounts.people(merchantId),
    };
    expect(
      people.users.map(({ email, role, refundLimitMicroUsd }) => [email, role, refundLimitMicroUsd]),
    ).toEqual([
      ['bob@shop.example', 'support', 5_000_000n],
      [owner.email, 'owner', null],
    ]);
    expect(people.invitations).toEqual([]);
    const by = await world.signedIn(started.token);
    expect(by).toMatchObject({
      session: { stage: 'complete' },
      memberships: [
        { merchantId, role: 'support', refundLimitMicroUsd: 5_000_000n, merchantName: 'Corner shop' },
      ],
    });
    expect(await accept(token)).toEqual(fault('link_over'));
    expect(await world.accounts.invitationOf(token)).toBeNull();
  });

  test('of two who open a link at the same moment one gets in', async () => {
    const { merchantId, owner } = await shop();
    const token = await linkFor(owner, 'race@shop.example', merchantId, 'support');
    const answers = await Promise.all([accept(token), accept(token), accept(token)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('a link ends after seven days, when it is withdrawn, when a newer one is made, and with whoever made it', async () => {
    const { merchantId, owner } = await shop();
    const [late, replaced] = [
      await linkFor(owner, 'late@shop.example', merchantId, 'support'),
      await linkFor(owner, 'two@shop.example', merchantId, 'owner'),
    ];
    const newer = await linkFor(owner, 'two@shop.example', merchantId, 'support');
    expect(await accept(replaced)).toEqual(fault('link_over'));
    const { invitations } = await world.accounts.people(merchantId);
    expect(invitations.map(({ email }) => email)).toEqual(['two@shop.example', 'late@shop.example']);
    const of = { merchantId, invitationId: invitations[0]?.id ?? '' };
    expect(await world.accounts.withdrawInvitation(owner.by, { ...of, invitationId: anId() })).toEqual(
      fault('not_found'),
    );
    expect(await world.accounts.withdrawInvitation(owner.by, of)).toEqual(DONE);
    expect(await accept(newer)).toEqual(fault('link_over'));
    world.clock.advance(7 * 86_400);
    expect(await accept(late)).toEqual(fault('link_over'));
    expect(await accept('A'.repeat(43))).toEqual(fault('link_over'));
    expect(await accept('no token')).toEqual(fault('link_over'));

    const again = await shop();
    const second = await world.withCodes(await world.member('owner', again.merchantId));
    const kept = await linkFor(second, 'sleeper@shop.example', again.merchantId, 'owner');
    const removed = await world.accounts.removePerson(again.owner.by, {
      merchantId: again.merchantId,
      userId: second.by.user.id,
    });
    expect(removed).toEqual(DONE);
    expect(await accept(kept)).toEqual(fault('link_over'));
    expect(await world.accounts.sessionOf(second.token)).toBeNull();
  });

  test('somebody who is known signs in and joins, and nobody else by that link', async () => {
    const [one, two] = [await shop(), await shop()];
    const token = await linkFor(one.owner, two.owner.email, one.merchantId, 'accountant');
    expect(await world.accounts.invitationOf(token)).toMatchObject({ isKnown: true });
    expect(await accept(token)).toEqual(fault('email_taken'));
    expect(await world.accounts.joinByInvitation(one.owner.by, token)).toEqual(fault('link_over'));
    expect(await world.accounts.joinByInvitation(two.owner.by, token)).toEqual(DONE);
    expect(await world.accounts.joinByInvitation(two.owner.by, token)).toEqual(fault('link_over'));
    const { memberships } = await world.signedIn(two.owner.token);
    expect(new Map(memberships.map(({ merchantId, role }) => [merchantId, role]))).toEqual(
      new Map([
        [one.merchantId, 'accountant'],
        [two.merchantId, 'owner'],
      ]),
    );
    const again = {
      email: two.owner.email,
      merchantId: one.merchantId,
      role: 'support',
      refundLimitMicroUsd: null,
    } as const;
    expect(await world.accounts.invite(one.owner.by, again)).toEqual(fault('email_taken'));
  });

  test('a reset link sets a new password, takes second factors and sessions away, and ends the waits', async () => {
    const [operator, { owner }] = [await admin(), await shop()];
    for (let guess = 0; guess < 6; guess += 1)
      await world.accounts.signIn(
        { email: owner.email, password: 'guess' },
        { ip: `10.8.${guess}.1`, userAgent: null },
      );
    const make = async () => tokenOf(done(await world.accounts.resetLink(operator.by, owner.by.user.id)).url);
    const [replaced, token] = [await make(), await make()];
    expect(await accept(replaced)).toEqual(fault('link_over'));
    expect(await world.accounts.joinByInvitation(owner.by, token)).toEqual(fault('link_over'));
    const started = done(await accept(token, { name: '', password: 'twelve green frogs' }));
    expect(started.session.stage).toBe('complete');
    expect(await world.signedIn(started.token)).toMatchObject({
      hasSecondFactor: false,
      user: { name: 'Ann' },
    });
    expect(await world.accounts.sessionOf(owner.token)).toBeNull();
    const abroad = { ip: '10.88.0.1', userAgent: null };
    expect(
      (await world.accounts.signIn({ email: owner.email, password: 'twelve green frogs' }, abroad)).ok,
    ).toBe(true);
    expect(await accept(token)).toEqual(fault('link_over'));
    const late = await make();
    world.clock.advance(86_400);
    expect(await accept(late)).toEqual(fault('link_over'));
    expect((await world.accounts.people(null)).invitations.map(({ kind }) => kind)).not.toContain('reset');
  });

  test('a merchant has at most a hundred open invitations', async () => {
    const { merchantId, owner } = await shop();
    for (let nth = 0; nth < 100; nth += 1)
      await linkFor(owner, `many${nth}@shop.example`, merchantId, 'support');
    const of = {
      email: 'more@shop.example',
      merchantId,
      role: 'support',
      refundLimitMicroUsd: null,
    } as const;
    expect(await world.accounts.invite(owner.by, of)).toEqual(fault('too_many'));
  });

  test('whoever comes by a link has its maker, and who had let the maker in, as sponsors; by the machine nobody', async () => {
    const { merchantId, owner } = await shop();
    const standing = async ({ user }: SignedIn, at: string | null = merchantId) =>
      (await accountQueries(world.database).standingOf(user.id, at))?.sponsors;
    const join = async (by: EnrolledUser, email: string): Promise<EnrolledUser> => {
      const { token } = done(await accept(await linkFor(by, email, merchantId, 'owner')));
      return world.withCodes({ email, token, by: await world.signedIn(token) });
    };
    const second = await join(owner, 'second@link.example');
    const third = await join(second, 'third@link.example');
    expect(await standing(owner.by)).toEqual([]);
    expect(await standing(second.by)).toEqual([owner.by.user.id]);
    expect(await standing(third.by)).toEqual([second.by.user.id, owner.by.user.id]);
    // The chain stays when the one in its middle is gone, and when a role changes.
    const of = { merchantId, userId: third.by.user.id, role: 'support', refundLimitMicroUsd: 1n } as const;
    expect(await world.accounts.changeRole(owner.by, of)).toEqual(DONE);
    expect(await world.accounts.removePerson(owner.by, { merchantId, userId: second.by.user.id })).toEqual(
      DONE,
    );
    expect(await standing(third.by)).toEqual([second.by.user.id, owner.by.user.id]);
    // Let in anew by the machine: independent of both.
    expect(await world.accounts.removePerson(owner.by, { merchantId, userId: third.by.user.id })).toEqual(
      DONE,
    );
    const { url } = done(
      await world.operators.invite(
        { kind: 'script', userId: null, name: 'root', ip: null },
        { email: third.email, merchantId, role: 'owner', refundLimitMicroUsd: null },
      ),
    );
    const back = await world.signedIn((await enter(world, third.email)).token);
    const codes = done(
      await world.accounts.confirmSecondFactor(back, {
        kind: 'recovery',
        code: third.recoveryCodes[0] ?? '',
      }),
    );
    expect(await world.accounts.joinByInvitation(await world.signedIn(codes.token), tokenOf(url))).toEqual(
      DONE,
    );
    expect(await standing(third.by)).toEqual([]);
  });

  test('an operator who made a link for the new password of another one is a sponsor from then on', async () => {
    const [ann, bob] = [await admin(), await admin()];
    const sponsors = async () =>
      (await accountQueries(world.database).standingOf(bob.by.user.id, null))?.sponsors;
    expect(await sponsors()).toEqual([]);
    const machine = { kind: 'script', userId: null, name: 'root', ip: null } as const;
    done(await accept(tokenOf(done(await world.operators.reset(machine, bob.email)).url)));
    expect(await sponsors()).toEqual([]);
    done(await accept(tokenOf(done(await world.accounts.resetLink(ann.by, bob.by.user.id)).url)));
    expect(await sponsors()).toEqual([ann.by.user.id]);
  });
});
