/**
 * The console's routes over accounts and desks that a test scripts: who is signed in is named by
 * the cookie, and whatever a handler asks first throws `Reached`.
 */

import {
  type ConsoleDependencies,
  consoleRoutes,
  consoleTable,
} from '../../../src/adapters/http/console/console.ts';
import type { ConsoleRoute } from '../../../src/adapters/http/console/kit/route.ts';
import { formCode } from '../../../src/adapters/http/console/kit/session-cookie.ts';
import { matchPath } from '../../../src/adapters/http/kit/path.ts';
import type { PublicRoute } from '../../../src/adapters/http/kit/route.ts';
import type { Accounts, SignedIn } from '../../../src/app/accounts/accounts.ts';
import type { MerchantRole, OperatorRole } from '../../../src/domain/accounts/role.ts';
import { aMerchant, NOW, secondsAfter } from '../builders.ts';

/** The handler of a route began: the gate let the request pass. */
export class Reached extends Error {}

export const OWN = '0190f3a1b2c30a1b2c3d4e01';
export const OTHER = '0190f3a1b2c30a1b2c3d4e02';
export const ORIGIN = 'http://localhost:3000';

const reached: unknown = new Proxy(() => undefined, {
  get: () => reached,
  apply: () => {
    throw new Reached();
  },
});

export interface Person {
  readonly operatorRole?: OperatorRole;
  /** At OWN. */
  readonly role?: MerchantRole;
  readonly stage?: SignedIn['session']['stage'];
  readonly hasSecondFactor?: boolean;
  /** Null: never given in this session. */
  readonly secondFactorAgeS?: number | null;
}

export function signedIn({
  operatorRole,
  role,
  stage = 'complete',
  hasSecondFactor = true,
  secondFactorAgeS = 0,
}: Person): SignedIn {
  const userId = '0190f3a1b2c30a1b2c3d4e99';
  return {
    session: {
      ...{ id: '0190f3a1b2c30a1b2c3d4e98', userId, stage, ip: null, userAgent: null },
      secondFactorAt: secondFactorAgeS === null ? null : secondsAfter(-secondFactorAgeS),
      ...{ createdAt: NOW, lastSeenAt: NOW },
    },
    user: {
      ...{ id: userId, email: 'ann@shop.example', name: 'Ann', status: 'active' },
      ...{ operatorRole: operatorRole ?? null, createdAt: NOW },
    },
    memberships:
      role === undefined
        ? []
        : [{ userId, merchantId: OWN, role, refundLimitMicroUsd: null, merchantName: 'Shop' }],
    hasSecondFactor,
  };
}

export interface ConsoleStage {
  readonly table: readonly ConsoleRoute[];
  /** Responds as the server would; throws Reached where the gate lets the request pass. */
  ask(
    method: 'GET' | 'POST',
    path: string,
    by: Person | null,
    more?: {
      readonly headers?: Record<string, string>;
      readonly body?: string;
      readonly code?: string | null;
    },
  ): Promise<Response>;
}

/** Of `accounts` only what is given, over the sessions of the stage. */
export function consoleStage({ accounts: given, ...more }: Partial<ConsoleDependencies> = {}): ConsoleStage {
  let present: SignedIn | null = null;
  const token = 'a'.repeat(43);
  const accounts = new Proxy({} as Accounts, {
    get: (_, name) =>
      given?.[name as keyof Accounts] ??
      (name === 'sessionOf' ? async (sent: string) => (sent === token ? present : null) : reached),
  });
  const queries = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'merchantById'
          ? async (id: string) => (id === OWN || id === OTHER ? aMerchant({ id, name: 'Shop' }) : null)
          : reached,
    },
  );
  const dependencies = {
    application: { queries, catalog: reached, console: reached },
    ...{ accounts, merchantDesk: reached, operatorDesk: reached, operatorQueries: reached },
    ...{
      registrationIsOpen: true,
      hub: reached,
      ids: { uuid: () => '' },
      onBug: () => undefined,
      clock: { now: () => NOW },
    },
    config: { baseUrl: ORIGIN, checkoutUrl: ORIGIN, rateLimitPerMinute: 0 },
    callerIp: () => '203.0.113.7',
    ...more,
  } as unknown as ConsoleDependencies;
  const routes = consoleRoutes(dependencies);
  return {
    table: consoleTable(dependencies, { isSecure: false }),
    async ask(method, path, by, { headers = {}, body, code = formCode(token) } = {}) {
      present = by === null ? null : signedIn(by);
      const found = routeOf(routes, method, path);
      const text = body ?? (code === null ? '' : `code=${code}`);
      return found.route.respond(
        new Request(`${ORIGIN}${path}`, {
          method,
          headers: {
            ...(by === null ? {} : { cookie: `quittance-console=${token}` }),
            ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
            'sec-fetch-site': 'same-origin',
            ...headers,
          },
          ...(method === 'POST' ? { body: text } : {}),
        }),
        found.params,
      );
    },
  };
}

function routeOf(routes: readonly PublicRoute[], method: string, path: string) {
  const bare = path.split('?')[0] ?? path;
  // Literal paths come before those with a parameter, as in the router.
  const fitting = routes
    .filter((route) => route.method === method)
    .flatMap((route) => {
      const params = matchPath(route.path, bare);
      return params === null ? [] : [{ route, params }];
    })
    .sort((a, b) => a.route.path.split(':').length - b.route.path.split(':').length);
  const [found] = fitting;
  if (found === undefined) throw new Error(`no route: ${method} ${path}`);
  return found;
}
