/**
 * Accounts on a PostgreSQL of their own, in one process or more, with a clock that tests move.
 * Passwords are compared as they are, so that nothing waits for argon2, and counted.
 */
import { TOTP } from 'otpauth';
import { oneTimeCodes } from '../../../src/adapters/accounts/one-time-codes.ts';
import { webauthnPasskeys } from '../../../src/adapters/accounts/webauthn.ts';
import { accountQueries } from '../../../src/adapters/postgres/accounts/account-queries.ts';
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { aesVault } from '../../../src/adapters/secrets/aes-vault.ts';
import { randomIds } from '../../../src/adapters/system/random-ids.ts';
import type { Accounts, Origin, SignedIn, StartedSession } from '../../../src/app/accounts/accounts.ts';
import { buildAccounts } from '../../../src/app/accounts/build-accounts.ts';
import type { OperatorAccounts } from '../../../src/app/accounts/operator-accounts.ts';
import type { MerchantRole, OperatorRole } from '../../../src/domain/accounts/role.ts';
import type { Actor } from '../../../src/domain/audit/audit-entry.ts';
import type { Result } from '../../../src/domain/result.ts';
import type { MailMessage } from '../../../src/ports/mails/mailer.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import { aMerchant } from '../builders.ts';
import { testDatabase } from '../postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';

export const SITE = 'https://pay.example.com';
export const HOME: Origin = { ip: '203.0.113.7', userAgent: 'Firefox' };
export const PASSWORD = 'a stable with 9 horses';
const OPERATOR: Actor = { kind: 'script', userId: null, name: 'root', ip: null };

export interface AccountProcess {
  readonly accounts: Accounts;
  readonly operators: OperatorAccounts;
}

export interface AccountWorld extends AccountProcess {
  readonly clock: TestClock;
  readonly database: Database;
  readonly unitOfWork: UnitOfWork;
  readonly mails: readonly MailMessage[];
  readonly lines: readonly LogLine[];
  /** How often a password was hashed or compared, and how many statements ran. */
  readonly work: { passwords: number; statements: number };
  /** Runs once, while the next password is hashed or compared: what others do meanwhile. */
  meanwhile(act: () => Promise<unknown>): void;
  /** Another process on the same database. */
  process(): AccountProcess;
  merchant(): Promise<string>;
  /** A user with a role, signed in without a second factor. */
  member(role: MerchantRole, merchantId: string): Promise<SignedInUser>;
  operator(role: OperatorRole): Promise<SignedInUser>;
  /** One-time codes set up: the session has just given its second factor. */
  withCodes(user: SignedInUser): Promise<EnrolledUser>;
  /** The code of the present time. */
  code(secret: string): string;
  signedIn(token: string): Promise<SignedIn>;
  /** What an audit entry says, oldest first. */
  audited(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface SignedInUser {
  readonly email: string;
  readonly token: string;
  readonly by: SignedIn;
}

export interface EnrolledUser extends SignedInUser {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** The value of what must not be refused. */
export function done<Value>(result: Result<Value, unknown>): Value {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export async function openAccounts({ registration = false } = {}): Promise<AccountWorld> {
  const { database, drop } = await testDatabase();
  const clock = testClock();
  const ids = randomIds(clock);
  const vault = aesVault(new Uint8Array(32).fill(7));
  const mails: MailMessage[] = [];
  const lines: LogLine[] = [];
  const work = { passwords: 0, statements: 0 };
  let act: (() => Promise<unknown>) | null = null;
  async function passwordWork(): Promise<void> {
    work.passwords += 1;
    const others = act;
    act = null;
    await others?.();
  }
  const counted: Database = {
    ...database,
    query(...given: Parameters<Database['query']>) {
      work.statements += 1;
      return database.query(...given);
    },
    transaction: (run) =>
      database.transaction((sql) =>
        run({
          ...sql,
          query(...given: Parameters<Database['query']>) {
            work.statements += 1;
            return sql.query(...given);
          },
        } as typeof sql),
      ),
  } as Database;
  const unitOfWork = postgresUnitOfWork(counted);
  const open = (): AccountProcess =>
    buildAccounts({
      ...{ clock, ids, vault, unitOfWork, logger: memoryLogger(lines), issuer: 'Quittance' },
      accountQueries: accountQueries(counted),
      passwords: {
        async hash(password) {
          await passwordWork();
          return `$argon2id$${password}`;
        },
        async verify(password, hash) {
          await passwordWork();
          return hash === `$argon2id$${password}`;
        },
      },
      ...{
        oneTimeCodes: oneTimeCodes(ids),
        passkeys: webauthnPasskeys({ baseUrl: SITE, name: 'Quittance' }, ids),
      },
      ...{ consoleUrl: `${SITE}/console`, commissionPpm: 5_000n },
      registrationMailer: registration
        ? {
            async send(message) {
              mails.push(message);
              return 'sent';
            },
          }
        : null,
    });
  const main = open();
  const { accounts, operators } = main;

  async function signedIn(token: string): Promise<SignedIn> {
    const by = await accounts.sessionOf(token);
    if (by === null) throw new Error('the session is not there');
    return by;
  }
  let made = 0;
  async function invited(of: Parameters<OperatorAccounts['invite']>[1]): Promise<SignedInUser> {
    const { url } = done(await operators.invite(OPERATOR, of));
    const started = done(
      await accounts.acceptInvitation({ token: tokenOf(url), name: 'Ann', password: PASSWORD }, HOME),
    );
    return { email: of.email, token: started.token, by: await signedIn(started.token) };
  }
  function anEmail(): string {
    made += 1;
    return `user${made}@shop.example`;
  }

  return {
    ...main,
    ...{ clock, database, unitOfWork, mails, lines, work, process: open, signedIn },
    meanwhile(others) {
      act = others;
    },
    async merchant() {
      const merchant = aMerchant();
      await unitOfWork.run(({ merchants }) => merchants.insert(merchant));
      return merchant.id;
    },
    member: (role, merchantId) => invited({ email: anEmail(), merchantId, role, refundLimitMicroUsd: null }),
    operator: (role) => invited({ email: anEmail(), merchantId: null, role, refundLimitMicroUsd: null }),
    async withCodes(user) {
      const { secret } = await accounts.beginCodes(user.by);
      const { started, recoveryCodes } = done(
        await accounts.enableCodes(user.by, codeAt(secret, clock.now())),
      );
      const { token } = started;
      return { ...user, token, by: await signedIn(token), secret, recoveryCodes: recoveryCodes ?? [] };
    },
    code: (secret) => codeAt(secret, clock.now()),
    async audited() {
      const rows = await database.query<{ action: string }>('select action from audit_log order by id');
      return rows.map(({ action }) => action);
    },
    close: drop,
  };
}

export function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Signs in by password; it must not be refused. */
export async function enter(
  { accounts }: AccountProcess,
  email: string,
  origin: Origin = HOME,
): Promise<StartedSession> {
  return done(await accounts.signIn({ email, password: PASSWORD }, origin));
}

/** With another library than the adapter. */
function codeAt(secret: string, now: Date): string {
  return new TOTP({ secret }).generate({ timestamp: now.getTime() });
}
