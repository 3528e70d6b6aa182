/** Invitations and roles: who gives what to whom, and that somebody who can is always left. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { MerchantRole, OperatorRole } from '../../../src/domain/accounts/role.ts';
import {
  type AccountWorld,
  done,
  type EnrolledUser,
  enter,
  HOME,
  openAccounts,
  PASSWORD,
  SITE,
  tokenOf,
} from '../../support/accounts/account-world.ts';
import { anId } from '../../support/builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const fault = (code: string) => ({ ok: false, error: code }) as never;
const DONE = { ok: true, value: undefined } as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('people', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());

  async function shop(): Promise<{ merchantId: string; owner: EnrolledUser }> {
    const merchantId = await world.merchant();
    return { merchantId, owner: await world.withCodes(await world.member('owner', merchantId)) };
  }
  const admin = async () => world.withCodes(await world.operator('admin'));
  const linkFor = async (
    { by }: EnrolledUser,
    email: string,
    merchantId: string | null,
    role: MerchantRole | OperatorRole,
  ) =>
    tokenOf(
      done(await world.accounts.invite(by, { email, merchantId, role, refundLimitMicroUsd: null })).url,
    );
  const accept = (token: string, given: { name?: string; password?: string } = {}) =>
    world.accounts.acceptInvitation({ token, name: 'Bob', password: PASSWORD, ...given }, HOME);

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
    expect(memberships.map(({ merchantId, role }) => [merchantId, role]).toSorted()).toEqual(
      [
        [one.merchantId, 'accountant'],
        [two.merchantId, 'owner'],
      ].toSorted(),
    );
    const again = {
      email: two.owner.email,
      merchantId: one.merchantId,
      role: 'support',
      refundLimitMicroUsd: null,
    } as const;
    expect(await world.accounts.invite(one.owner.by, again)).toEqual(fault('email_taken'));
  });

  test('an operator is no member, and a member no operator', async () => {
    const [operator, { merchantId, owner }] = [await admin(), await shop()];
    // The merchant is not told whose address it is; whoever opens the link is.
    const token = await linkFor(owner, operator.email, merchantId, 'support');
    expect(await world.accounts.joinByInvitation(operator.by, token)).toEqual(fault('other_side'));
    const of = { email: owner.email, merchantId: null, role: 'viewer', refundLimitMicroUsd: null } as const;
    expect(await world.accounts.invite(operator.by, of)).toEqual(fault('other_side'));
    // An invitation of before the person joined a merchant.
    const early = await linkFor(operator, 'early@shop.example', null, 'viewer');
    done(await accept(await linkFor(owner, 'early@shop.example', merchantId, 'support')));
    const by = await world.signedIn((await enter(world, 'early@shop.example')).token);
    expect(await world.accounts.joinByInvitation(by, early)).toEqual(fault('other_side'));
    const put = world.unitOfWork.run(({ memberships }) =>
      memberships.put({ userId: operator.by.user.id, merchantId, role: 'owner', refundLimitMicroUsd: null }),
    );
    await expect(put).rejects.toThrow();
    const became = world.database.query(`update users set operator_role = 'admin' where email = $1`, [
      owner.email,
    ]);
    await expect(became).rejects.toThrow();
  });

  test('only who manages users there invites, changes and removes, with a second factor', async () => {
    const [{ merchantId, owner }, other, operator] = [await shop(), await shop(), await admin()];
    const roles = ['developer', 'accountant', 'support'] as const;
    const lesser = await Promise.all(
      roles.map(async (role) => world.withCodes(await world.member(role, merchantId))),
    );
    const viewer = await world.withCodes(await world.operator('viewer'));
    const bare = await world.member('owner', merchantId);
    const target = { merchantId, userId: owner.by.user.id };
    for (const [{ by }, code] of [
      ...[...lesser, other.owner, viewer].map((user) => [user, 'not_found'] as const),
      [bare, 'confirm_needed'] as const,
    ]) {
      const made = { email: 'x@y.example', merchantId, role: 'support', refundLimitMicroUsd: null } as const;
      expect(await world.accounts.invite(by, made)).toEqual(fault(code));
      expect(
        await world.accounts.changeRole(by, { ...target, role: 'support', refundLimitMicroUsd: null }),
      ).toEqual(fault(code));
      expect(await world.accounts.removePerson(by, target)).toEqual(fault(code));
      expect(await world.accounts.withdrawInvitation(by, { merchantId, invitationId: anId() })).toEqual(
        fault(code),
      );
      expect(await world.accounts.resetLink(by, owner.by.user.id)).toEqual(fault(code));
    }
    expect(await world.accounts.resetLink(owner.by, bare.by.user.id)).toEqual(fault('not_found'));
    expect(
      await world.accounts.invite(owner.by, {
        email: 'x@y.example',
        merchantId: null,
        role: 'admin',
        refundLimitMicroUsd: null,
      }),
    ).toEqual(fault('not_found'));
    expect(
      await world.accounts.invite(owner.by, {
        email: 'x@y.example',
        merchantId,
        role: 'admin',
        refundLimitMicroUsd: null,
      }),
    ).toEqual(fault('not_found'));
    expect(
      await world.accounts.invite(owner.by, {
        email: 'no address',
        merchantId,
        role: 'support',
        refundLimitMicroUsd: null,
      }),
    ).toEqual(fault('email_malformed'));
    expect(
      await world.accounts.invite(operator.by, {
        email: 'x@y.example',
        merchantId: anId(),
        role: 'owner',
        refundLimitMicroUsd: null,
      }),
    ).toEqual(fault('not_found'));
    expect(
      (
        await world.accounts.invite(operator.by, {
          email: 'x@y.example',
          merchantId,
          role: 'owner',
          refundLimitMicroUsd: null,
        })
      ).ok,
    ).toBe(true);
  });

  test('the last owner stays, whoever removes the others at the same moment', async () => {
    const { merchantId, owner } = await shop();
    const second = await world.withCodes(await world.member('owner', merchantId));
    const remove = ({ by }: EnrolledUser, of: EnrolledUser) =>
      world.accounts.removePerson(by, { merchantId, userId: of.by.user.id });
    const answers = await Promise.all([remove(owner, second), remove(second, owner)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const { users } = await world.accounts.people(merchantId);
    expect(users).toHaveLength(1);
    const last = users[0]?.email === owner.email ? owner : second;
    expect(await remove(last, last)).toEqual(fault('last_of_its_kind'));
    const lowered = {
      merchantId,
      userId: last.by.user.id,
      role: 'support',
      refundLimitMicroUsd: null,
    } as const;
    expect(await world.accounts.changeRole(last.by, lowered)).toEqual(fault('last_of_its_kind'));
  });

  test('a role is changed at once, and what was invited as owner ends with the role', async () => {
    const { merchantId, owner } = await shop();
    const second = await world.withCodes(await world.member('owner', merchantId));
    const token = await linkFor(second, 'sleeper2@shop.example', merchantId, 'owner');
    const of = { merchantId, userId: second.by.user.id, role: 'support', refundLimitMicroUsd: 7n } as const;
    expect(await world.accounts.changeRole(owner.by, of)).toEqual(DONE);
    const { memberships } = await world.signedIn(second.token);
    expect(memberships).toMatchObject([{ role: 'support', refundLimitMicroUsd: 7n }]);
    expect(await accept(token)).toEqual(fault('link_over'));
    expect(await world.accounts.changeRole(owner.by, { ...of, userId: anId() })).toEqual(fault('not_found'));
    const rows = await world.database.query(
      `select before, after from audit_log where action = 'user.role_changed' order by id desc limit 1`,
    );
    expect(JSON.parse(JSON.stringify(rows))).toEqual([
      { before: expect.anything(), after: expect.anything() },
    ]);
  });

  test('operators: the last admin stays, a disabled one is out, and comes back by a new invitation', async () => {
    const fresh = await openAccounts();
    const first = await fresh.withCodes(await fresh.operator('admin'));
    const second = await fresh.withCodes(await fresh.operator('admin'));
    const of = (userId: string) => ({ merchantId: null, userId });
    const lowered = { ...of(second.by.user.id), role: 'viewer', refundLimitMicroUsd: null } as const;
    expect(await fresh.accounts.changeRole(first.by, lowered)).toEqual(DONE);
    expect((await fresh.signedIn(second.token)).user.operatorRole).toBe('viewer');
    expect(await fresh.accounts.changeRole(first.by, { ...lowered, userId: first.by.user.id })).toEqual(
      fault('last_of_its_kind'),
    );
    expect(await fresh.accounts.removePerson(first.by, of(first.by.user.id))).toEqual(
      fault('last_of_its_kind'),
    );
    expect(await fresh.accounts.removePerson(first.by, of(second.by.user.id))).toEqual(DONE);
    expect(await fresh.accounts.removePerson(first.by, of(second.by.user.id))).toEqual(fault('not_found'));
    expect(await fresh.accounts.resetLink(first.by, second.by.user.id)).toEqual(fault('not_found'));
    expect((await fresh.accounts.people(null)).users.map(({ status }) => status)).toEqual([
      'active',
      'disabled',
    ]);

    const invited = {
      email: second.email,
      merchantId: null,
      role: 'treasurer',
      refundLimitMicroUsd: null,
    } as const;
    const { url } = done(await fresh.accounts.invite(first.by, invited));
    expect(await fresh.accounts.invitationOf(tokenOf(url))).toMatchObject({ isKnown: false });
    const started = done(
      await fresh.accounts.acceptInvitation(
        { token: tokenOf(url), name: 'Again', password: 'twelve green frogs' },
        HOME,
      ),
    );
    expect(started.session.stage).toBe('enrolling');
    expect(await fresh.signedIn(started.token)).toMatchObject({
      user: { id: second.by.user.id, name: 'Again', operatorRole: 'treasurer', status: 'active' },
      hasSecondFactor: false,
    });
    await fresh.close();
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

  test('every change has its entry in the audit log, and a refused one has none', async () => {
    const fresh = await openAccounts();
    const operator = await fresh.withCodes(await fresh.operator('admin'));
    const before = await fresh.audited();
    expect(before).toEqual([
      'invitation.made',
      'session.started',
      'invitation.accepted',
      'user.codes_enabled',
    ]);
    const merchantId = await fresh.merchant();
    const { url } = done(
      await fresh.accounts.invite(operator.by, {
        email: 'a@b.example',
        merchantId,
        role: 'owner',
        refundLimitMicroUsd: null,
      }),
    );
    await fresh.accounts.invite(operator.by, {
      email: 'a@b',
      merchantId,
      role: 'owner',
      refundLimitMicroUsd: null,
    });
    await fresh.accounts.acceptInvitation({ token: tokenOf(url), name: 'A', password: 'short' }, HOME);
    await fresh.accounts.removePerson(operator.by, { merchantId: null, userId: operator.by.user.id });
    await fresh.accounts.signIn({ email: operator.email, password: 'guess' }, HOME);
    expect((await fresh.audited()).slice(before.length)).toEqual(['invitation.made']);
    const [entry] = await fresh.database.query<Record<string, unknown>>(
      'select * from audit_log order by id desc limit 1',
    );
    expect(JSON.stringify(entry)).toContain(operator.email);
    expect(JSON.stringify(entry)).not.toContain(tokenOf(url));
    await fresh.close();
  });
});
