/** Registration by e-mail: what a stranger can have sent, and what comes of the link. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AccountWorld,
  done,
  enter,
  HOME,
  openAccounts,
  PASSWORD,
  tokenOf,
} from '../../support/accounts/account-world.ts';
import { DONE } from '../../support/accounts/inviting.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const from = (ip: string) => ({ ip, userAgent: null });

describe.skipIf(!needs('postgres', postgresAvailable()))('registration', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts({ registration: true });
  });
  afterAll(() => world.close());
  const register = (email: string, merchantName = 'My shop', ip = '198.51.100.1') =>
    world.accounts.register({ email, merchantName }, from(ip));
  const lastToken = () => tokenOf(/https:\S+/.exec(world.mails.at(-1)?.text ?? '')?.[0] ?? '');

  test('the link makes a merchant that awaits verification, with its sandbox key, and its owner', async () => {
    expect(await register('Eve@Shop.Example', '  Eve & Söhne ')).toEqual(DONE);
    const mail = world.mails.at(-1);
    expect(mail).toMatchObject({ to: 'eve@shop.example', replyTo: null });
    expect(`${mail?.text}${mail?.html}`).not.toContain('Söhne');
    expect(await world.accounts.invitationOf(lastToken())).toMatchObject({
      merchantName: 'Eve & Söhne',
      isKnown: false,
    });
    const given = { token: lastToken(), name: 'Eve', password: PASSWORD };
    const started = done(await world.accounts.acceptInvitation(given, HOME));
    const { memberships } = await world.signedIn(started.token);
    expect(memberships).toMatchObject([{ role: 'owner', merchantName: 'Eve & Söhne' }]);
    const [id = ''] = memberships.map(({ merchantId }) => merchantId);
    const [merchant, sandbox, live] = await world.unitOfWork.run(async ({ merchants }) => [
      await merchants.find(id),
      await merchants.activeKey(id, 'sandbox'),
      await merchants.activeKey(id, 'live'),
    ]);
    expect(merchant).toMatchObject({ status: 'pending_verification', kyc: 'pending', commissionPpm: 5_000n });
    expect([sandbox !== null, live]).toEqual([true, null]);
    expect(await world.accounts.acceptInvitation(given, HOME)).toEqual({ ok: false, error: 'link_over' });
  });

  test('an address that has a user gets the same answer and e-mail for the same work, and joins as owner of another merchant', async () => {
    const user = await world.member('support', await world.merchant());
    const seen: unknown[] = [];
    for (const email of [user.email, 'nobody-yet@shop.example']) {
      const before = world.work.statements;
      const answer = await register(email, 'Second shop', '198.51.101.1');
      const { id: _, to: __, ...mail } = world.mails.at(-1)!;
      seen.push([
        answer,
        JSON.stringify(mail).replaceAll(/[A-Za-z0-9_-]{43}/g, ''),
        world.work.statements - before,
      ]);
    }
    expect(seen[0]).toEqual(seen[1]);
    await register(user.email, 'Second shop', '198.51.101.1');
    const token = lastToken();
    const by = await world.signedIn((await enter(world, user.email)).token);
    expect(await world.accounts.joinByInvitation(by, token)).toEqual(DONE);
    expect(
      (await world.accounts.sessionOf((await enter(world, user.email)).token))?.memberships,
    ).toHaveLength(2);
  });

  test('what is no address or no name is said, since that tells nobody anything', async () => {
    expect(await register('no address')).toEqual({ ok: false, error: 'email_malformed' });
    expect(await register('a@b.example', ' ')).toEqual({ ok: false, error: 'name_missing' });
  });

  test('an address gets few e-mails, a network asks for few, and the answer does not change', async () => {
    const before = world.mails.length;
    for (let time = 0; time < 10; time += 1)
      expect(await register('victim@shop.example', 'x', `10.${time}.0.1`)).toEqual(DONE);
    expect(world.mails.length - before).toBe(2);
    for (let time = 0; time < 30; time += 1)
      expect(await register(`many${time}@shop.example`, 'x', '10.99.0.1')).toEqual(DONE);
    expect(world.mails.length - before).toBe(12);
    expect(world.lines.map(({ event }) => event)).toContain('account.registration_held');
    world.clock.advance(24 * 3_600);
    await register('victim@shop.example', 'x', '10.1.0.1');
    expect(world.mails.length - before).toBe(13);
  });

  test('all together are bounded, and go on with one a minute', async () => {
    const fresh = await openAccounts({ registration: true });
    const ask = (nth: number) =>
      fresh.accounts.register(
        { email: `u${nth}@shop.example`, merchantName: 'x' },
        from(`10.${nth % 250}.1.1`),
      );
    for (let nth = 0; nth < 210; nth += 1) await ask(nth);
    expect(fresh.mails).toHaveLength(200);
    fresh.clock.advance(60);
    for (let nth = 300; nth < 305; nth += 1) await ask(nth);
    expect(fresh.mails).toHaveLength(201);
    await fresh.close();
  });

  test('closed, it makes nothing', async () => {
    const closed = await openAccounts();
    const answer = await closed.accounts.register({ email: 'a@b.example', merchantName: 'x' }, HOME);
    expect(answer).toEqual({ ok: false, error: 'registration_closed' });
    await closed.close();
  });
});
