/** The contract of the repositories of users, roles and invitations, and of their queries. */
import { describe, expect, test } from 'bun:test';
import type { Invitation } from '../../../src/domain/accounts/user.ts';
import type { AccountQueries } from '../../../src/ports/accounts/account-queries.ts';
import type { StoredInvitation, StoredUser } from '../../../src/ports/accounts/account-repositories.ts';
import { anInvitation, aSession, aTokenHash, aUser } from '../../support/accounts/account-builders.ts';
import { anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedAccounts extends Opened {
  readonly accountQueries: AccountQueries;
}

export function describeAccountRepositories(name: string, open: () => Promise<OpenedAccounts>): void {
  describe(`${name}: users and roles`, () => {
    const storage = openedFor(open);
    const queries = () => storage.ports().accountQueries;
    async function user(given: Partial<StoredUser> = {}): Promise<StoredUser> {
      const made = aUser(given);
      expect(await storage.run((r) => r.users.insert(made))).toBe(true);
      return made;
    }

    test('a user is found as it was inserted and saved, by id and by address', async () => {
      const made = await user({ codesSealed: 'v1.sealed' });
      expect(await storage.run((r) => r.users.lock(made.id))).toEqual(made);
      expect(await storage.run((r) => r.users.lockByEmail(made.email))).toEqual(made);
      const changed = { ...made, name: `O'Neill "😀"`, operatorRole: 'viewer', codesSealed: null } as const;
      await storage.run((r) => r.users.save(changed));
      expect(await storage.run((r) => r.users.lock(made.id))).toEqual(changed);
      const { passwordHash: _, codesSealed: __, sponsors: ___, ...shown } = changed;
      const found = await queries().credentialsOf({ id: made.id });
      expect(found).toEqual({ user: changed, hasSecondFactor: false });
      expect(await queries().credentialsOf({ email: made.email })).toEqual(found);
      expect(await queries().people(null)).toMatchObject([{ ...shown, role: 'viewer', lastSeenAt: null }]);
      for (const missing of [
        await storage.run((r) => r.users.lock(anId())),
        await storage.run((r) => r.users.lockByEmail('nobody@shop.example')),
        await queries().credentialsOf({ email: 'nobody@shop.example' }),
      ])
        expect(missing).toBeNull();
      await expect(storage.run((r) => r.users.save(aUser()))).rejects.toThrow();
    });

    test('an address has one user', async () => {
      const { email } = await user();
      expect(await storage.run((r) => r.users.insert(aUser({ email })))).toBe(false);
    });

    test('a time step is taken once and never goes back, until the secret is another one', async () => {
      const made = await user({ codesSealed: 'v1.one' });
      const use = (step: number) => storage.run((r) => r.users.useStep(made.id, step));
      expect([await use(7), await use(7), await use(6), await use(8)]).toEqual([true, false, false, true]);
      expect((await Promise.all([use(9), use(9), use(9)])).filter(Boolean)).toHaveLength(1);
      await storage.run((r) => r.users.save({ ...made, name: 'Other' }));
      expect(await use(9)).toBe(false);
      await storage.run((r) => r.users.save({ ...made, codesSealed: 'v1.two' }));
      expect(await use(3)).toBe(true);
      await storage.run((r) => r.users.save({ ...made, codesSealed: null }));
    });

    test('a role at a merchant is given, changed and taken; members are in the order of their ids', async () => {
      const [{ id: merchantId }, other, one, two] = [
        ...[await storage.merchant({ name: 'beta' }), await storage.merchant({ name: 'Alpha' })],
        ...[await user(), await user({ status: 'disabled' })],
      ] as const;
      const role = {
        ...({ userId: one.id, merchantId, role: 'support', refundLimitMicroUsd: 5n } as const),
        sponsors: [],
      };
      await storage.run((r) => r.memberships.put(role));
      await storage.run((r) =>
        r.memberships.put({ ...role, userId: two.id, role: 'owner', sponsors: [one.id] }),
      );
      await storage.run((r) =>
        r.memberships.put({ ...role, merchantId: other.id, role: 'owner', refundLimitMicroUsd: null }),
      );
      expect(await storage.run((r) => r.memberships.lockOf(merchantId))).toEqual([
        { userId: one.id, role: 'support', status: 'active', sponsors: [] },
        { userId: two.id, role: 'owner', status: 'disabled', sponsors: [one.id] },
      ]);
      await storage.run((r) =>
        r.memberships.put({ ...role, role: 'developer', refundLimitMicroUsd: null, sponsors: [two.id] }),
      );
      expect(await storage.run((r) => r.memberships.of(one.id))).toEqual([
        { userId: one.id, merchantId, role: 'developer', refundLimitMicroUsd: null, sponsors: [two.id] },
        { userId: one.id, merchantId: other.id, role: 'owner', refundLimitMicroUsd: null, sponsors: [] },
      ]);
      expect((await queries().membershipsOf(one.id)).map((each) => each.merchantName)).toEqual([
        'Alpha',
        'beta',
      ]);
      expect((await queries().people(merchantId)).map(({ id, role: its }) => [id, its])).toEqual([
        [one.id, 'developer'],
        [two.id, 'owner'],
      ]);
      expect([
        await queries().standingOf(one.id, merchantId),
        await queries().standingOf(two.id, merchantId),
      ]).toEqual([{ userId: one.id, role: 'developer', sponsors: [two.id] }, null]);
      const remove = () => storage.run((r) => r.memberships.remove(one.id, merchantId));
      expect([await remove(), await remove()]).toEqual([true, false]);
      expect([
        await queries().standingOf(one.id, merchantId),
        await queries().standingOf(one.id, null),
      ]).toEqual([null, null]);
    });

    test('an operator is no member, whichever comes first', async () => {
      const { id: merchantId } = await storage.merchant();
      const sponsors = [anId(), anId()];
      const operator = await user({ operatorRole: 'admin', sponsors });
      const role = {
        ...({ userId: operator.id, merchantId, role: 'owner', refundLimitMicroUsd: null } as const),
        sponsors: [],
      };
      await expect(storage.run((r) => r.memberships.put(role))).rejects.toThrow();
      const member = await user();
      await storage.run((r) => r.memberships.put({ ...role, userId: member.id }));
      await expect(storage.run((r) => r.users.save({ ...member, operatorRole: 'viewer' }))).rejects.toThrow();
      const standing = { userId: operator.id, role: 'admin', sponsors } as const;
      expect(await queries().standingOf(operator.id, null)).toEqual(standing);
      const holders = await storage.run((r) => r.users.lockOperators());
      expect(holders).toContainEqual({ ...standing, status: 'active' });
      expect(holders.map(({ userId }) => userId)).toEqual(holders.map(({ userId }) => userId).toSorted());
    });

    test('the second factor of a user is a code, or a passkey', async () => {
      const made = await user();
      const has = async () => (await queries().credentialsOf({ id: made.id }))?.hasSecondFactor;
      const session = aSession({ userId: made.id });
      await storage.run((r) => r.sessions.insert(session));
      expect(await has()).toBe(false);
      await storage.run((r) => r.users.save({ ...made, codesSealed: 'v1.x' }));
      expect(await has()).toBe(true);
      expect((await queries().userSession(session.tokenHash))?.hasSecondFactor).toBe(true);
    });

    const stored = async (given: Partial<StoredInvitation> = {}): Promise<StoredInvitation> => {
      const made = anInvitation(given);
      await storage.run((r) => r.invitations.insert(made));
      return made;
    };
    function shown(made: StoredInvitation): Invitation {
      const { tokenHash: _, ...invitation } = made;
      return invitation;
    }

    test('an invitation is found by its token, with the merchant, until it is accepted', async () => {
      const { id: merchantId } = await storage.merchant({ name: 'Tea' });
      const made = await stored({ merchantId, role: 'support', refundLimitMicroUsd: 7n });
      const found = { invitation: shown(made), merchantName: 'Tea', isKnown: false };
      expect(await queries().invitation(made.tokenHash)).toEqual(found);
      await user({ email: made.email });
      expect(await queries().invitation(made.tokenHash)).toEqual({ ...found, isKnown: true });
      expect(await storage.run((r) => r.invitations.lock(made.tokenHash))).toEqual(shown(made));
      expect(await storage.run((r) => r.invitations.lock(aTokenHash()))).toBeNull();
      expect(await queries().openInvitations(merchantId, NOW)).toEqual([shown(made)]);
      await storage.run((r) => r.invitations.accept(made.id, NOW));
      expect(await storage.run((r) => r.invitations.lock(made.tokenHash))).toMatchObject({ acceptedAt: NOW });
      expect(await queries().openInvitations(merchantId, NOW)).toEqual([]);
      expect(await storage.run((r) => r.invitations.withdraw(made.id, merchantId))).toBeNull();
      const registration = await stored({ kind: 'registration', role: null, merchantName: 'New shop' });
      expect(await queries().invitation(registration.tokenHash)).toMatchObject({ merchantName: 'New shop' });
      expect(await queries().invitation(aTokenHash())).toBeNull();
    });

    test('open ones are counted and withdrawn at their place only', async () => {
      const { id: merchantId } = await storage.merchant();
      const inviter = await user();
      const here = { merchantId, role: 'support', invitedBy: inviter.id } as const;
      const [one, two] = [await stored(here), await stored({ ...here, expiresAt: NOW })];
      await stored({ email: one.email });
      const count = (place: string | null) => storage.run((r) => r.invitations.countOpen(place, NOW));
      expect(await count(merchantId)).toBe(1);
      expect(await storage.run((r) => r.invitations.withdraw(one.id, null))).toBeNull();
      expect(await storage.run((r) => r.invitations.withdraw(one.id, merchantId))).toEqual(shown(one));
      const three = await stored({ ...here, email: two.email });
      await storage.run((r) =>
        r.invitations.withdrawLike({ kind: 'invitation', email: two.email, merchantId }),
      );
      for (const { tokenHash } of [two, three])
        expect(await storage.run((r) => r.invitations.lock(tokenHash))).toBeNull();
      const [four, elsewhere] = [await stored(here), await stored({ invitedBy: inviter.id })];
      await storage.run((r) => r.invitations.withdrawBy(inviter.id, merchantId));
      expect(await storage.run((r) => r.invitations.lock(four.tokenHash))).toBeNull();
      expect(await storage.run((r) => r.invitations.lock(elsewhere.tokenHash))).not.toBeNull();
      await storage.run((r) => r.invitations.withdrawBy(inviter.id, null));
      expect(await storage.run((r) => r.invitations.lock(elsewhere.tokenHash))).toBeNull();
    });

    test('expired ones are purged, oldest first, and no others', async () => {
      const [old, older, open] = [
        await stored({ expiresAt: secondsAfter(-2 * 86_400) }),
        await stored({ expiresAt: secondsAfter(-3 * 86_400) }),
        await stored(),
      ];
      const purge = () => storage.run((r) => r.invitations.purge(secondsAfter(-86_400), 1));
      const isThere = async ({ tokenHash }: StoredInvitation) =>
        (await storage.run((r) => r.invitations.lock(tokenHash))) !== null;
      expect(await purge()).toBe(1);
      expect([await isThere(old), await isThere(older)]).toEqual([true, false]);
      expect([await purge(), await purge()]).toEqual([1, 0]);
      expect(await isThere(open)).toBe(true);
    });

    test.each([
      { email: 'Upper@shop.example' },
      { email: 'no address' },
      { email: 'ünicode@shop.example' },
      { email: `${'a'.repeat(250)}@b.cc` },
      { name: '' },
      { name: 'a'.repeat(101) },
      { status: 'gone' as 'active' },
      { operatorRole: 'owner' as 'admin' },
      { passwordHash: 'plain' },
      { id: 'X' },
    ])('an impossible user cannot be stored (%#)', async (given) => {
      await expect(storage.run((r) => r.users.insert(aUser(given)))).rejects.toThrow();
    });

    test.each([
      { kind: 'gift' as 'reset' },
      { role: null },
      { role: 'owner' as const },
      { kind: 'reset' as const },
      { kind: 'registration' as const, role: null },
      { merchantName: 'x' },
      { refundLimitMicroUsd: 5n },
      { email: 'Upper@shop.example' },
      { tokenHash: 'a token' },
      { merchantId: 'f'.repeat(24), role: 'owner' as const },
    ])('an impossible invitation cannot be stored (%#)', async (given) => {
      await expect(storage.run((r) => r.invitations.insert(anInvitation(given)))).rejects.toThrow();
    });
  });
}
