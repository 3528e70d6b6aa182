/**
 * Users of every role of a merchant and among the operators, each with an authenticator app. Their
 * sessions are begun over the use cases: one test types everything
 * (tests/browser/console/entering.test.ts).
 */
import { expect } from 'bun:test';
import { TOTP } from 'otpauth';
import { formCode } from '../../../src/adapters/http/console/kit/session-cookie.ts';
import type { Origin, SignedIn } from '../../../src/app/accounts/accounts.ts';
import {
  type MerchantRole,
  OPERATOR_ROLES,
  type OperatorRole,
  type Role,
} from '../../../src/domain/accounts/role.ts';
import type { Actor } from '../../../src/domain/audit/audit-entry.ts';
import type { Result } from '../../../src/domain/result.ts';
import type { TestClock } from '../runtime/test-clock.ts';
import type { TestService } from '../test-service.ts';

export const PASSWORD = 'a stable with 9 horses';
/** Without TLS. */
export const COOKIE = 'quittance-console';
const SCRIPT: Actor = { kind: 'script', userId: null, name: 'root', ip: null };
const HERE: Origin = { ip: '127.0.0.1', userAgent: 'Test' };
const NAMES: Readonly<Record<Role, string>> = {
  ...{
    owner: 'Olga Owner',
    developer: 'Dan Developer',
    accountant: 'Ada Accountant',
    support: 'Sam Support',
  },
  ...{ admin: 'Alma Admin', treasurer: 'Theo Treasurer', viewer: 'Vera Viewer' },
};

export interface ConsoleUser {
  readonly email: string;
  readonly name: string;
  /** Of the authenticator app. */
  readonly secret: string;
  /** Of a session that has given its second factor. */
  readonly token: string;
}

export interface ConsoleUsers {
  /** Made at the first call; later ones get the same user. Several of a role have numbers. */
  user(role: MerchantRole | OperatorRole, nth?: number): Promise<ConsoleUser>;
  /** A link that invites somebody to the merchant, or among the operators. */
  invitation(role: MerchantRole | OperatorRole, email: string): Promise<string>;
  /** The six digits of now. */
  code(secret: string): string;
  signedIn(user: ConsoleUser): Promise<SignedIn>;
  /**
   * Sends a form of the console as the user, below `/console`. It must not be refused; returns the
   * path that it leads to, and '' for one that shows its page at once.
   */
  post(user: ConsoleUser, path: string, fields: Fields): Promise<string>;
  /** The page that the form shows at once. */
  text(user: ConsoleUser, path: string, fields: Fields): Promise<string>;
  /** The status that refuses it. */
  refused(user: ConsoleUser, path: string, fields: Fields): Promise<number>;
  /** The text of a page below `/console`. */
  page(user: ConsoleUser, path: string): Promise<string>;
}

type Fields = Readonly<Record<string, string>>;

export function consoleUsers(it: TestService, clock: TestClock, merchantId: string): ConsoleUsers {
  const { accounts, operatorAccounts } = it.service;
  const users = new Map<string, Promise<ConsoleUser>>();
  const code = (secret: string): string =>
    new TOTP({ secret }).generate({ timestamp: clock.now().getTime() });

  async function sessionOf(token: string): Promise<SignedIn> {
    const by = await accounts.sessionOf(token);
    if (by === null) throw new Error('the session is not there');
    return by;
  }
  async function invitation(role: MerchantRole | OperatorRole, email: string): Promise<string> {
    const place = (OPERATOR_ROLES as readonly string[]).includes(role) ? null : merchantId;
    const of = { email, merchantId: place, role, refundLimitMicroUsd: null };
    return done(await operatorAccounts.invite(SCRIPT, of)).url;
  }
  async function made(role: MerchantRole | OperatorRole, nth: number): Promise<ConsoleUser> {
    const email = `${role}${nth === 1 ? '' : nth}@shop.example`;
    const name = NAMES[role];
    const link = await invitation(role, email);
    const given = { token: link.slice(link.lastIndexOf('/') + 1), name, password: PASSWORD };
    const by = await sessionOf(done(await accounts.acceptInvitation(given, HERE)).token);
    const { secret } = await accounts.beginCodes(by);
    const { started } = done(await accounts.enableCodes(by, code(secret)));
    return { email, name, secret, token: started.token };
  }

  const send = ({ token }: ConsoleUser, path: string, fields: Fields): Promise<Response> =>
    fetch(`${it.url}/console${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: `${COOKIE}=${token}` },
      body: new URLSearchParams({ code: formCode(token), ...fields }),
    });

  return {
    ...{ invitation, code },
    user(role, nth = 1) {
      const key = `${role} ${nth}`;
      const known = users.get(key) ?? made(role, nth);
      users.set(key, known);
      return known;
    },
    signedIn: ({ token }) => sessionOf(token),
    async post(user, path, fields) {
      const answer = await send(user, path, fields);
      const text = await answer.text();
      expect([path, answer.status, answer.status < 400 ? '' : text]).toEqual([path, answer.status, '']);
      return (answer.headers.get('location') ?? '').replace(/^.*\/console|\?.*$/g, '');
    },
    text: async (user, path, fields) => (await send(user, path, fields)).text(),
    async refused(user, path, fields) {
      const { status } = await send(user, path, fields);
      expect([path, status]).toEqual([path, Math.max(400, status)]);
      return status;
    },
    page: async ({ token }, path) =>
      (await fetch(`${it.url}/console${path}`, { headers: { cookie: `${COOKIE}=${token}` } })).text(),
  };
}

function done<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}
