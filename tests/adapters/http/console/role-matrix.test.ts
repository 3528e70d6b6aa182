/**
 * Every route of the console x every role x {own, another merchant, no session, no second factor}.
 * Who may do what is written out here once more, so that a change of the rules shows in two places.
 */
import { describe, expect, test } from 'bun:test';
import type { ConsoleRoute } from '../../../../src/adapters/http/console/kit/route.ts';
import {
  MERCHANT_PERMISSIONS,
  MERCHANT_ROLES,
  type MerchantRole,
  OPERATOR_PERMISSIONS,
  OPERATOR_ROLES,
  type OperatorRole,
} from '../../../../src/domain/accounts/role.ts';
import { consoleStage, OTHER, OWN, type Person, Reached } from '../../../support/console/console-stage.ts';

const MERCHANT: Readonly<Record<MerchantRole, string>> = {
  owner: 'all',
  developer:
    'payments.read settings.read payments.create webhooks.resend settings.change keys.manage sandbox.simulate approvals.decide',
  accountant: 'payments.read ledger.read',
  support: 'payments.read webhooks.resend refunds.offer approvals.decide',
};
const OPERATOR: Readonly<Record<OperatorRole, string>> = {
  admin: 'all',
  treasurer: 'operator.read queue.decide treasury.manage signing.switch audit.read',
  viewer: 'operator.read audit.read',
};
/** What moves money or says who may. */
const STRONG = 'refunds.offer payouts.create payments.decide keys.manage users.manage approvals.decide';

const stage = consoleStage();
const ofMerchants = stage.table.filter(({ access }) => access.of === 'merchant');
const ofOperators = stage.table.filter(({ access }) => access.of === 'operator');

function may(table: string, permission: string): boolean {
  return table === 'all' || table.split(' ').includes(permission);
}

function permissionOf({ access }: ConsoleRoute): string {
  return 'permission' in access ? access.permission : '';
}

function pathOf({ path }: ConsoleRoute, merchantId = OWN): string {
  return `/console${path}`
    .replace(':merchant', merchantId)
    .replace(':environment', 'live')
    .replace(':chain', 'ethereum')
    .replace(':month', '2026-01')
    .replace(/:\w+/g, '0190f3a1b2c30a1b2c3d4e55');
}

/** `in`: the handler began. Otherwise the status, and where it leads. */
async function outcome(route: ConsoleRoute, by: Person | null, merchantId = OWN): Promise<string> {
  try {
    const answer = await stage.ask(route.method, pathOf(route, merchantId), by);
    const to = answer.headers.get('location');
    if (answer.status === 303 && to !== null) return `to ${new URL(to, 'http://x').pathname}`;
    return answer.status === 404 ? `404 ${await digest(answer)}` : 'in';
  } catch (thrown) {
    if (thrown instanceof Reached) return 'in';
    throw thrown;
  }
}

async function digest(answer: Response): Promise<string> {
  const bytes = await answer.bytes();
  const headers = JSON.stringify([...answer.headers].toSorted(([a], [b]) => a.localeCompare(b)));
  return new Bun.CryptoHasher('md5').update(headers).update(bytes).digest('hex');
}

test('every permission opens some route, and the tables name no other', () => {
  const used = new Set(stage.table.map(permissionOf));
  for (const permission of [...MERCHANT_PERMISSIONS, ...OPERATOR_PERMISSIONS])
    expect(used.has(permission), permission).toBe(true);
  const named = Object.values({ ...MERCHANT, ...OPERATOR }).flatMap((table) => table.split(' '));
  const known: readonly string[] = [...MERCHANT_PERMISSIONS, ...OPERATOR_PERMISSIONS, 'all'];
  expect(named.filter((one) => !known.includes(one))).toEqual([]);
});

describe('a merchant’s console', () => {
  for (const role of MERCHANT_ROLES) {
    test(`opens to ${role} what the role may do, and hides everything else with the same bytes`, async () => {
      const refusals = new Set<string>();
      for (const route of ofMerchants) {
        const told = await outcome(route, { role });
        if (may(MERCHANT[role], permissionOf(route)))
          expect([pathOf(route), told]).toEqual([pathOf(route), 'in']);
        else refusals.add(told);
        refusals.add(await outcome(route, { role }, OTHER));
        refusals.add(await outcome(route, { role }, '0190f3a1b2c30a1b2c3d4eff'));
      }
      expect([...refusals].map((each) => each.split(' ')[0])).toEqual(['404']);
    });

    test(`asks ${role} for a second factor before money moves`, async () => {
      for (const route of ofMerchants.filter((each) => may(MERCHANT[role], permissionOf(each)))) {
        const isStrong = may(STRONG, permissionOf(route));
        const none = await outcome(route, { role, hasSecondFactor: false, secondFactorAgeS: null });
        const never = await outcome(route, { role, secondFactorAgeS: null });
        const stale = await outcome(route, { role, secondFactorAgeS: 3_600 });
        expect([pathOf(route), none, never, stale]).toEqual([
          pathOf(route),
          isStrong ? 'to /console/account' : 'in',
          isStrong ? 'to /console/second-factor' : 'in',
          isStrong && route.method === 'POST' ? 'to /console/second-factor' : 'in',
        ]);
      }
    });
  }

  test('is hidden from operators', async () => {
    const told = new Set<string>();
    for (const route of ofMerchants) told.add(await outcome(route, { operatorRole: 'admin' }));
    expect(told.size).toBe(1);
    expect([...told][0]).toStartWith('404');
  });
});

describe('the operators’ console', () => {
  for (const operatorRole of OPERATOR_ROLES) {
    test(`opens to a ${operatorRole} what the role may do, and hides everything else with the same bytes`, async () => {
      const refusals = new Set<string>();
      for (const route of ofOperators) {
        const told = await outcome(route, { operatorRole });
        if (may(OPERATOR[operatorRole], permissionOf(route)))
          expect([pathOf(route), told]).toEqual([pathOf(route), 'in']);
        else refusals.add(told);
      }
      expect(refusals.size).toBeLessThanOrEqual(1);
      for (const told of refusals) expect(told).toStartWith('404');
    });

    test(`shows a ${operatorRole} nothing before the second factor`, async () => {
      for (const route of ofOperators.filter((each) => may(OPERATOR[operatorRole], permissionOf(each)))) {
        const told = [
          await outcome(route, { operatorRole, stage: 'password' }),
          await outcome(route, { operatorRole, stage: 'enrolling', hasSecondFactor: false }),
          await outcome(route, { operatorRole, secondFactorAgeS: null }),
          await outcome(route, { operatorRole, secondFactorAgeS: 3_600 }),
        ];
        expect([pathOf(route), ...told]).toEqual([
          pathOf(route),
          'to /console/second-factor',
          'to /console/account',
          'to /console/second-factor',
          route.method === 'POST' ? 'to /console/second-factor' : 'in',
        ]);
      }
    });
  }

  test('is hidden from merchants’ users', async () => {
    const told = new Set<string>();
    for (const route of ofOperators) told.add(await outcome(route, { role: 'owner' }));
    expect(told.size).toBe(1);
    expect([...told][0]).toStartWith('404');
  });
});

test('without a session every page but the open ones leads to the sign-in, also for paths that do not exist', async () => {
  for (const route of stage.table.filter(({ access }) => access.of !== 'open')) {
    expect([pathOf(route), await outcome(route, null)]).toEqual([pathOf(route), 'to /console/sign-in']);
    if (route.access.of === 'merchant')
      expect(await outcome(route, null, 'nothing')).toBe('to /console/sign-in');
  }
});

test('a session that lacks its second factor opens nothing but that, its account excluded', async () => {
  for (const route of stage.table.filter(({ access }) => access.of === 'account'))
    expect([pathOf(route), await outcome(route, { role: 'owner', stage: 'password' })]).toEqual([
      pathOf(route),
      'to /console/second-factor',
    ]);
});
