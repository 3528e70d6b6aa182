/** The contract of sessions, second factors, counted tries and ceremonies. */
import { describe, expect, test } from 'bun:test';
import type { StoredCeremony } from '../../../src/ports/accounts/sign-in-repositories.ts';
import { aCeremony, aPasskey, aSession, aTokenHash, aUser } from '../../support/accounts/account-builders.ts';
import { anId, NOW, secondsAfter } from '../../support/builders.ts';
import { openedFor } from '../opened.ts';
import type { OpenedAccounts } from './account-repositories.ts';

export function describeSignInRepositories(name: string, open: () => Promise<OpenedAccounts>): void {
  describe(`${name}: sessions and second factors`, () => {
    const storage = openedFor(open);
    const queries = () => storage.ports().accountQueries;
    async function userId(): Promise<string> {
      const made = aUser();
      await storage.run((r) => r.users.insert(made));
      return made.id;
    }
    async function session(given: Partial<ReturnType<typeof aSession>> & { readonly userId: string }) {
      const made = aSession(given);
      await storage.run((r) => r.sessions.insert(made));
      return made;
    }
    const isThere = async ({ tokenHash }: { readonly tokenHash: string }) =>
      (await queries().userSession(tokenHash)) !== null;

    test('a session is found by its token, with its user while that is active', async () => {
      const owner = aUser({ operatorRole: 'viewer' });
      await storage.run((r) => r.users.insert(owner));
      const { tokenHash, ...made } = await session({ userId: owner.id, secondFactorAt: secondsAfter(1) });
      const { passwordHash: _, codesSealed: __, sponsors: ___, ...user } = owner;
      expect(await queries().userSession(tokenHash)).toEqual({ session: made, user, hasSecondFactor: false });
      expect(await queries().userSession(aTokenHash())).toBeNull();
      await storage.run((r) => r.users.save({ ...owner, status: 'disabled' }));
      expect(await queries().userSession(tokenHash)).toBeNull();
    });

    test('another token takes the place of the earlier one, while the session lives', async () => {
      const made = await session({ userId: await userId() });
      const to = { tokenHash: aTokenHash(), secondFactorAt: secondsAfter(5) };
      expect(await storage.run((r) => r.sessions.replaceToken(made.id, to))).toBe(true);
      expect(await isThere(made)).toBe(false);
      expect((await queries().userSession(to.tokenHash))?.session).toMatchObject({
        id: made.id,
        secondFactorAt: to.secondFactorAt,
      });
      expect(await storage.run((r) => r.sessions.end(made.userId, made.id))).toBe(true);
      expect(await storage.run((r) => r.sessions.replaceToken(made.id, to))).toBe(false);
    });

    test('when it was seen only goes forward', async () => {
      const made = await session({ userId: await userId() });
      for (const seconds of [60, 30])
        await storage.run((r) => r.sessions.seen(made.id, secondsAfter(seconds)));
      expect((await queries().userSession(made.tokenHash))?.session.lastSeenAt).toEqual(secondsAfter(60));
    });

    test('a user ends one, all but one, or all, and nobody else’s', async () => {
      const [one, two] = [await userId(), await userId()];
      const [first, second, third] = [
        await session({ userId: one }),
        await session({ userId: one }),
        await session({ userId: one }),
      ];
      const foreign = await session({ userId: two });
      expect(await storage.run((r) => r.sessions.end(two, first.id))).toBe(false);
      expect(await storage.run((r) => r.sessions.endAll(one, second.id))).toBe(2);
      expect([await isThere(first), await isThere(second), await isThere(third)]).toEqual([
        false,
        true,
        false,
      ]);
      expect(await storage.run((r) => r.sessions.endAll(one, null))).toBe(1);
      expect(await isThere(foreign)).toBe(true);
    });

    test('a user without a second factor has proved none in any session', async () => {
      const id = await userId();
      const made = await session({ userId: id, secondFactorAt: NOW });
      await storage.run((r) => r.sessions.forgetSecondFactor(id));
      expect((await queries().userSession(made.tokenHash))?.session.secondFactorAt).toBeNull();
    });

    test('old ones and idle ones are purged, with what they awaited', async () => {
      const id = await userId();
      const [old, idle, open] = [
        await session({ userId: id, createdAt: secondsAfter(-1_000) }),
        await session({ userId: id, lastSeenAt: secondsAfter(-500) }),
        await session({ userId: id }),
      ];
      const ceremony = aCeremony({ sessionId: old.id });
      await storage.run((r) => r.ceremonies.put(ceremony));
      const before = { createdAt: secondsAfter(-999), lastSeenAt: secondsAfter(-499) };
      const purge = () => storage.run((r) => r.sessions.purge(before, 1));
      expect([await purge(), await purge(), await purge()]).toEqual([1, 1, 0]);
      expect([await isThere(old), await isThere(idle), await isThere(open)]).toEqual([false, false, true]);
      expect(await storage.run((r) => r.ceremonies.find(ceremony.key))).toBeNull();
    });

    test('a passkey is kept as it was made, and its count as it was used', async () => {
      const id = await userId();
      const [one, two] = [
        aPasskey({ userId: id }),
        aPasskey({ userId: id, createdAt: secondsAfter(-1), transports: [] }),
      ];
      for (const passkey of [one, two])
        expect(await storage.run((r) => r.passkeys.insert(passkey))).toBe(true);
      expect(await storage.run((r) => r.passkeys.insert({ ...one, userId: id, name: 'Again' }))).toBe(false);
      expect(await storage.run((r) => r.passkeys.of(id))).toEqual([two, one]);
      const use = { signCount: 4_294_967_295, at: secondsAfter(9) };
      await storage.run((r) => r.passkeys.used(one.credentialId, use));
      const used = { ...one, signCount: use.signCount, lastUsedAt: use.at };
      expect(await storage.run((r) => r.passkeys.lock(one.credentialId))).toEqual(used);
      expect((await queries().securityOf(id)).passkeys).toEqual([two, used]);
      expect((await queries().credentialsOf({ id }))?.hasSecondFactor).toBe(true);
      const other = await userId();
      expect(await storage.run((r) => r.passkeys.remove(other, one.credentialId))).toBe(0);
      expect(await storage.run((r) => r.passkeys.remove(id, one.credentialId))).toBe(1);
      expect(await storage.run((r) => r.passkeys.lock(one.credentialId))).toBeNull();
      expect(await storage.run((r) => r.passkeys.remove(id, null))).toBe(1);
      await expect(storage.run((r) => r.passkeys.used(one.credentialId, use))).rejects.toThrow();
    });

    test('a recovery code is used once, by its user, and new ones take the place of all', async () => {
      const [one, two] = [await userId(), await userId()];
      const hashes = [aTokenHash(), aTokenHash(), aTokenHash()];
      await storage.run((r) => r.recoveryCodes.replace(one, hashes));
      const use = (id: string, hash: string) => storage.run((r) => r.recoveryCodes.use(id, hash, NOW));
      expect(await use(two, hashes[0]!)).toBe(false);
      expect((await Promise.all([use(one, hashes[0]!), use(one, hashes[0]!)])).filter(Boolean)).toHaveLength(
        1,
      );
      expect((await queries().securityOf(one)).recoveryCodesLeft).toBe(2);
      await storage.run((r) => r.recoveryCodes.replace(one, [aTokenHash()]));
      expect(await use(one, hashes[1]!)).toBe(false);
      await storage.run((r) => r.recoveryCodes.replace(one, []));
      expect((await queries().securityOf(one)).recoveryCodesLeft).toBe(0);
    });

    test('tries are counted one after the other, whoever comes at the same moment', async () => {
      const keys = [aTokenHash(), aTokenHash()];
      const attempt = (order: readonly string[]) =>
        storage.run(async ({ signInAttempts }) => {
          const tallies = await signInAttempts.lock(order, NOW);
          for (const [key, { failures }] of tallies)
            await signInAttempts.save(key, { failures: failures + 1, lastAt: secondsAfter(failures) });
        });
      await Promise.all(Array.from({ length: 8 }, (_, nth) => attempt(nth % 2 ? keys : keys.toReversed())));
      const tallies = () => storage.run((r) => r.signInAttempts.lock(keys, NOW));
      expect([...(await tallies()).values()]).toEqual([
        { failures: 8, lastAt: secondsAfter(7) },
        { failures: 8, lastAt: secondsAfter(7) },
      ]);
      await storage.run((r) => r.signInAttempts.takeBack([keys[0]!]));
      await storage.run((r) => r.signInAttempts.forget([keys[1]!]));
      const left = await tallies();
      expect([left.get(keys[0]!)?.failures, left.get(keys[1]!)]).toEqual([7, { failures: 0, lastAt: NOW }]);
      await storage.run((r) => r.signInAttempts.takeBack([keys[1]!]));
      expect((await tallies()).get(keys[1]!)?.failures).toBe(0);
    });

    test('a network is known to its user only, and both are purged by their age', async () => {
      const [one, two, network, key] = [await userId(), await userId(), aTokenHash(), aTokenHash()];
      await storage.run((r) => r.signInAttempts.noteNetwork(one, network, secondsAfter(-100)));
      expect([
        await queries().isKnownNetwork(one, network),
        await queries().isKnownNetwork(two, network),
      ]).toEqual([true, false]);
      expect([
        await queries().isKnownNetwork(one, aTokenHash()),
        await queries().isKnownNetwork('', network),
      ]).toEqual([false, false]);
      await storage.run((r) => r.signInAttempts.lock([key], secondsAfter(-100)));
      const purge = (networks: number) =>
        storage.run((r) =>
          r.signInAttempts.purge({ attempts: secondsAfter(-99), networks: secondsAfter(networks) }, 5),
        );
      expect([await purge(-100), await queries().isKnownNetwork(one, network)]).toEqual([1, true]);
      await storage.run((r) => r.signInAttempts.noteNetwork(one, network, NOW));
      expect([await purge(-99), await queries().isKnownNetwork(one, network)]).toEqual([0, true]);
      expect([await purge(1), await queries().isKnownNetwork(one, network)]).toEqual([1, false]);
    });

    test('a ceremony is found until it is taken, a newer one takes its place, and old ones are purged', async () => {
      const { id: sessionId } = await session({ userId: await userId() });
      const made = aCeremony({ sessionId });
      const put = (ceremony: StoredCeremony) => storage.run((r) => r.ceremonies.put(ceremony));
      await put(made);
      await put({ ...made, sealed: 'v1.newer' });
      const newer = { ...made, sealed: 'v1.newer' };
      expect(await storage.run((r) => r.ceremonies.find(made.key))).toEqual(newer);
      const take = () => storage.run((r) => r.ceremonies.take(made.key));
      expect((await Promise.all([take(), take()])).filter((taken) => taken !== null)).toEqual([newer]);
      const used = aCeremony({ sessionId: null, expiresAt: secondsAfter(-10) });
      const insert = () => storage.run((r) => r.ceremonies.insertIfAbsent(used));
      expect((await Promise.all([insert(), insert(), insert()])).filter(Boolean)).toHaveLength(1);
      expect(await storage.run((r) => r.ceremonies.purge(secondsAfter(-9), 5))).toBe(1);
      expect(await insert()).toBe(true);
    });

    test('impossible rows cannot be stored', async () => {
      const id = await userId();
      const { id: sessionId } = await session({ userId: id });
      const refused: readonly Parameters<typeof storage.run>[0][] = [
        (r) => r.sessions.insert(aSession({ userId: anId() })),
        (r) => r.sessions.insert({ ...aSession({ userId: id }), tokenHash: 'a token' }),
        (r) => r.passkeys.insert(aPasskey({ userId: id, credentialId: 'a b' })),
        (r) => r.passkeys.insert(aPasskey({ userId: id, publicKey: new Uint8Array() })),
        (r) => r.passkeys.insert(aPasskey({ userId: id, signCount: -1 })),
        (r) => r.passkeys.insert(aPasskey({ userId: id, name: '' })),
        (r) => r.recoveryCodes.replace(id, ['abcd-efgh']),
        (r) => r.signInAttempts.lock(['ann@shop.example'], NOW),
        (r) => r.signInAttempts.noteNetwork(id, '203.0.113', NOW),
        (r) => r.ceremonies.put(aCeremony({ sessionId: null, kind: 'codes' })),
        (r) => r.ceremonies.put(aCeremony({ sessionId, kind: 'sign_in' })),
        (r) => r.ceremonies.put(aCeremony({ sessionId, sealed: null })),
        (r) => r.ceremonies.put(aCeremony({ sessionId, kind: 'dance' as 'codes' })),
      ];
      for (const work of refused) await expect(storage.run(work)).rejects.toThrow();
    });
  });
}
