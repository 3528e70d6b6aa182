/**
 * What a stolen session, or an unlocked browser, cannot do: set up a first second factor, with
 * which money moves, or change the password.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AccountWorld,
  done,
  enter,
  openAccounts,
  PASSWORD,
} from '../../support/accounts/account-world.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const QUARTER = 15 * 60;
const HALF = 30 * 60;
const NEW = 'twelve green frogs';

describe.skipIf(!needs('postgres', postgresAvailable()))('an old session', () => {
  let world: AccountWorld;
  beforeAll(async () => {
    world = await openAccounts();
  });
  afterAll(() => world.close());
  const member = async () => world.member('owner', await world.merchant());

  test('sets up no first second factor: the password has to be given again', async () => {
    const user = await member();
    world.clock.advance(HALF);
    const { accounts } = world;
    const by = await world.signedIn(user.token);
    const { secret } = await accounts.beginCodes(by);
    expect(await accounts.enableCodes(by, world.code(secret))).toEqual({ ok: false, error: 'sign_in_again' });
    expect(await accounts.addPasskey(by, { answer: '{}', name: '' })).toEqual({
      ok: false,
      error: 'sign_in_again',
    });
    const { token } = await enter(world, user.email);
    expect((await world.withCodes({ ...user, by: await world.signedIn(token) })).by.hasSecondFactor).toBe(
      true,
    );
  });

  test('of an operator who has none yet neither', async () => {
    const user = await world.operator('admin');
    world.clock.advance(HALF);
    const by = await world.signedIn(user.token);
    const { secret } = await world.accounts.beginCodes(by);
    expect(await world.accounts.enableCodes(by, world.code(secret))).toEqual({
      ...{ ok: false, error: 'sign_in_again' },
    });
  });

  test('changes no password without the second factor, if there is one', async () => {
    const user = await world.withCodes(await member());
    world.clock.advance(QUARTER);
    const by = await world.signedIn(user.token);
    const change = (who: typeof by) => world.accounts.changePassword(who, { old: PASSWORD, password: NEW });
    expect(await change(by)).toEqual({ ok: false, error: 'confirm_needed' });
    const factor = { kind: 'code', code: world.code(user.secret) } as const;
    const { token } = done(await world.accounts.confirmSecondFactor(by, factor));
    done(await change(await world.signedIn(token)));
  });
});
