/** What people do with accounts leaves one entry each; a refusal leaves none. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AccountWorld,
  done,
  type EnrolledUser,
  enter,
  HOME,
  openAccounts,
  PASSWORD,
  tokenOf,
} from '../../support/accounts/account-world.ts';
import { authenticator } from '../../support/accounts/authenticator.ts';
import { fault, inviting } from '../../support/accounts/inviting.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const SITE = 'https://pay.example.com';

describe.skipIf(!needs('postgres', postgresAvailable()))('the entries of accounts', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts({ registration: true });
  });
  afterAll(() => world.close());
  const { shop, admin, linkFor, accept } = inviting(() => world);

  /** Runs it, and expects exactly these entries. */
  async function leaves<Made>(actions: readonly string[], act: () => Promise<Made>): Promise<Made> {
    const before = (await world.audited()).length;
    const made = await act();
    expect((await world.audited()).slice(before)).toEqual([...actions]);
    return made;
  }
  async function fresh({ email, secret }: EnrolledUser) {
    const { token } = await leaves(['session.started'], () => enter(world, email));
    const by = await world.signedIn(token);
    world.clock.advance(60);
    const factor = { kind: 'code', code: world.code(secret) } as const;
    const started = done(
      await leaves(['session.confirmed'], () => world.accounts.confirmSecondFactor(by, factor)),
    );
    return world.signedIn(started.token);
  }

  test('sessions: a sign-in, its second factor, and each end', async () => {
    const { owner } = await shop();
    const [one, two, three] = [await fresh(owner), await fresh(owner), await fresh(owner)];
    await leaves([], () =>
      world.accounts.signIn({ email: owner.email, password: 'wrong wrong wrong' }, HOME),
    );
    done(await leaves(['session.ended'], () => world.accounts.endSession(three, one.session.id)));
    done(await leaves(['session.others_ended'], () => world.accounts.endSession(three, null)));
    await leaves(['session.ended'], () => world.accounts.signOut(three));
    expect(two.user.email).toBe(owner.email);
  });

  test('second factors and the password', async () => {
    const member = await world.member('owner', await world.merchant());
    const owner = await leaves(['user.codes_enabled'], () => world.withCodes(member));
    const { options } = await world.accounts.beginPasskey(owner.by);
    const device = authenticator(SITE);
    const answer = device.register(options);
    const added = done(
      await leaves(['user.passkey_added'], () =>
        world.accounts.addPasskey(owner.by, { answer, name: 'Laptop' }),
      ),
    );
    const by = await world.signedIn(added.started.token);
    done(await leaves(['user.recovery_codes_renewed'], () => world.accounts.newRecoveryCodes(by)));
    done(await leaves(['user.codes_disabled'], () => world.accounts.disableCodes(by)));
    const given = { old: PASSWORD, password: 'another stable with 9 horses' };
    expect(
      await leaves([], () => world.accounts.changePassword(by, { ...given, old: 'not it at all' })),
    ).toEqual(fault('wrong_password'));
    const changed = done(
      await leaves(['user.password_changed'], () => world.accounts.changePassword(by, given)),
    );
    const after = await world.signedIn(changed.token);
    done(
      await leaves(['user.passkey_removed'], () => world.accounts.removePasskey(after, device.credentialId)),
    );
  });

  test('people: invited, let in, changed, removed; and a link that is withdrawn', async () => {
    const [{ merchantId, owner }, operator] = [await shop(), await admin()];
    const token = await leaves(['invitation.made'], () =>
      linkFor(owner, 'bob@entries.example', merchantId, 'support'),
    );
    const started = done(await leaves(['session.started', 'invitation.accepted'], () => accept(token)));
    const { userId } = started.session;
    const of = { merchantId, userId, role: 'accountant', refundLimitMicroUsd: null } as const;
    done(await leaves(['user.role_changed'], () => world.accounts.changeRole(owner.by, of)));
    done(await leaves(['user.removed'], () => world.accounts.removePerson(owner.by, { merchantId, userId })));
    await linkFor(owner, 'cy@entries.example', merchantId, 'support');
    const { invitations } = await world.accounts.people(merchantId);
    const invitationId = invitations[0]?.id ?? '';
    const withdraw = () => world.accounts.withdrawInvitation(owner.by, { merchantId, invitationId });
    done(await leaves(['invitation.withdrawn'], withdraw));
    expect(await leaves([], withdraw)).toEqual(fault('not_found'));
    const other = await admin();
    const gone = { merchantId: null, userId: other.by.user.id };
    done(await leaves(['invitation.made'], () => world.accounts.resetLink(operator.by, gone.userId)));
    done(await leaves(['user.disabled'], () => world.accounts.removePerson(operator.by, gone)));
  });

  test('a registration, from the request to the merchant', async () => {
    const asked = { email: 'dora@entries.example', merchantName: 'Dora' };
    await leaves(['invitation.made'], () => world.accounts.register(asked, HOME));
    const token = tokenOf(/https:\S+/.exec(world.mails.at(-1)?.text ?? '')?.[0] ?? '');
    done(
      await leaves(['merchant.registered', 'session.started', 'invitation.accepted'], () => accept(token)),
    );
  });
});
