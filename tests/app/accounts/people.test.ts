/** Roles: who gives what to whom, and that somebody who can is always left. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AccountWorld,
  done,
  type EnrolledUser,
  enter,
  HOME,
  openAccounts,
  tokenOf,
} from '../../support/accounts/account-world.ts';
import { DONE, fault, inviting } from '../../support/accounts/inviting.ts';
import { anId } from '../../support/builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('people', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());

  const { shop, admin, linkFor, accept } = inviting(() => world);

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
      memberships.put({
        userId: operator.by.user.id,
        merchantId,
        role: 'owner',
        refundLimitMicroUsd: null,
        sponsors: [],
      }),
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
      expect(await world.accounts.endSessionsOf(by, target)).toEqual(fault(code));
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

  test('whoever was removed a moment before gives nothing to anybody, in no process', async () => {
    const { merchantId, owner } = await shop();
    const second = await world.withCodes(await world.member('owner', merchantId));
    const of = { merchantId, userId: second.by.user.id };
    expect(await world.accounts.removePerson(owner.by, of)).toEqual(DONE);
    const { accounts } = world.process();
    const made = {
      email: 'back@door.example',
      merchantId,
      role: 'owner',
      refundLimitMicroUsd: null,
    } as const;
    expect(await accounts.invite(second.by, made)).toEqual(fault('not_found'));
    const target = { merchantId, userId: owner.by.user.id };
    expect(await accounts.removePerson(second.by, target)).toEqual(fault('not_found'));
    const lowered = { ...target, role: 'support', refundLimitMicroUsd: null } as const;
    expect(await accounts.changeRole(second.by, lowered)).toEqual(fault('not_found'));

    const [one, two] = [await admin(), await admin()];
    const disabled = { merchantId: null, userId: two.by.user.id };
    expect(await world.accounts.removePerson(one.by, disabled)).toEqual(DONE);
    expect(await accounts.invite(two.by, { ...made, merchantId: null, role: 'admin' })).toEqual(
      fault('not_found'),
    );
    expect(await accounts.resetLink(two.by, one.by.user.id)).toEqual(fault('not_found'));
    expect(await accounts.removePerson(two.by, { ...disabled, userId: one.by.user.id })).toEqual(
      fault('not_found'),
    );
  });

  test('an invitation that is made while its maker is removed opens nothing', async () => {
    const { merchantId, owner } = await shop();
    const seconds = [];
    for (let time = 0; time < 4; time += 1)
      seconds.push(await world.withCodes(await world.member('owner', merchantId)));
    for (const second of seconds) {
      const made = {
        email: `b${second.by.user.id}@door.example`,
        merchantId,
        role: 'owner',
        refundLimitMicroUsd: null,
      } as const;
      const [, , invited] = await Promise.all([
        world.accounts.invite(second.by, { ...made, email: `a${made.email}` }),
        world.accounts.removePerson(owner.by, { merchantId, userId: second.by.user.id }),
        world.accounts.invite(second.by, made),
      ]);
      if (invited.ok) expect(await accept(tokenOf(invited.value.url))).toEqual(fault('link_over'));
    }
    expect((await world.accounts.people(merchantId)).invitations).toEqual([]);
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

  test('an admin ends all sessions of an operator, and of a user of the merchant that is named', async () => {
    const [{ merchantId, owner }, other, operator] = [await shop(), await shop(), await admin()];
    const colleague = await world.withCodes(await world.operator('viewer'));
    const end = (of: { merchantId: string | null; userId: string }) =>
      world.accounts.endSessionsOf(operator.by, of);
    const ofOwner = { merchantId, userId: owner.by.user.id };
    expect(await end({ ...ofOwner, merchantId: other.merchantId })).toEqual(fault('not_found'));
    expect(await end({ ...ofOwner, merchantId: null })).toEqual(fault('not_found'));
    expect(await world.accounts.sessionOf(owner.token)).not.toBeNull();
    for (const [of, token] of [
      [ofOwner, owner.token],
      [{ merchantId: null, userId: colleague.by.user.id }, colleague.token],
    ] as const) {
      expect(done(await end(of))).toBeGreaterThan(0);
      expect(await world.accounts.sessionOf(token)).toBeNull();
    }
    expect(await world.accounts.sessionOf(operator.token)).not.toBeNull();
  });
});
