/** `bun run operator`: users of the console, for whoever has the machine. */
import { MERCHANT_ROLES, OPERATOR_ROLES } from '../src/domain/accounts/role.ts';
import { normalizedEmail } from '../src/domain/accounts/user.ts';
import { toUnits } from '../src/domain/money/decimal.ts';
import { orRefuseAccount } from './support/account-faults.ts';
import { UsageError } from './support/failures.ts';
import { type Command, type CommandReport, type Program, runProgram } from './support/program.ts';
import { facts, shownTime, table } from './support/table.ts';
import { readSecret } from './support/terminal.ts';
import { id, oneOf, operatorName, positiveAmount } from './support/values.ts';

const USD_DECIMALS = 6;
const ROLE = { value: 'ROLE', help: `${OPERATOR_ROLES.join(', ')} (default admin)` } as const;

const create: Command = {
  name: 'create',
  about:
    'Creates an operator of the console. Prints a link where the person enters a name and a password; it works once, for seven days. The first page then asks for a second factor.',
  audits: ['invitation.made', 'user.created'],
  positionals: ['email'],
  options: {
    role: ROLE,
    name: { value: 'NAME', help: 'name of the person; needed with --password-stdin' },
    'password-stdin': { help: 'read the password from standard input, and make the user at once' },
  },
  examples: ['ann@example.com', 'ann@example.com --role viewer --name Ann --password-stdin < password.txt'],
  read(args) {
    const email = args.readPositional('email', emailAddress);
    const role = args.read('role', oneOf(OPERATOR_ROLES)) ?? 'admin';
    const name = args.read('name', operatorName);
    const takesPassword = args.isSet('password-stdin');
    if (takesPassword !== (name !== null)) throw new UsageError('--name and --password-stdin go together');
    return async ({ service: { operatorAccounts }, actor }) => {
      if (name === null) {
        const of = { email, role, merchantId: null, refundLimitMicroUsd: null };
        return linkReport(email, orRefuseAccount(await operatorAccounts.invite(actor, of)).url);
      }
      const password = (await readSecret('password: ')).replace(/\r?\n$/, '');
      const user = orRefuseAccount(await operatorAccounts.create(actor, { email, name, role, password }));
      return {
        json: { user_id: user.id, email: user.email, role },
        text: facts([
          ['operator', `${user.id}  ${user.email}`],
          ['role', role],
        ]),
      };
    };
  },
};

const list: Command = {
  name: 'list',
  about: 'Lists the operators of the console.',
  audits: [],
  positionals: [],
  options: {},
  examples: ['', '--json'],
  read:
    () =>
    async ({ service: { operatorAccounts } }) => {
      const people = await operatorAccounts.list();
      return {
        json: {
          operators: people.map((person) => ({
            ...{ user_id: person.id, email: person.email, name: person.name, role: person.role },
            ...{ status: person.status, has_second_factor: person.hasSecondFactor },
            last_seen_at: person.lastSeenAt === null ? null : unixSeconds(person.lastSeenAt),
          })),
        },
        text: table(
          [
            { title: 'ID', cell: (person) => person.id },
            { title: 'E-MAIL', cell: ({ email }) => email },
            { title: 'NAME', cell: ({ name }) => name },
            { title: 'ROLE', cell: ({ role }) => role },
            { title: 'STATUS', cell: ({ status }) => status },
            { title: '2ND FACTOR', cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'yes' : 'no') },
            { title: 'LAST SEEN', cell: ({ lastSeenAt }) => (lastSeenAt ? shownTime(lastSeenAt) : 'never') },
          ],
          people,
          { empty: 'no operators yet: bun run operator create EMAIL' },
        ),
      };
    },
};

const invite: Command = {
  name: 'invite',
  about:
    'Prints a link that gives a role: at a merchant, or without --merchant as an operator. A new person enters a name and a password, a known one signs in. It works once, for seven days.',
  audits: ['invitation.made'],
  positionals: ['email'],
  options: {
    merchant: { value: 'ID', help: 'the merchant; without it the person becomes an operator' },
    role: {
      value: 'ROLE',
      required: true,
      help: `${MERCHANT_ROLES.join(', ')}; of an operator ${OPERATOR_ROLES.join(', ')}`,
    },
    'refund-limit': {
      value: 'USD',
      help: 'the most that refunds offered by the person within a day may be worth',
    },
  },
  examples: [
    'owner@shop.example --merchant 65f0c1d2e3a4b5c6d7e8f901 --role owner',
    'bob@shop.example --merchant 65f0c1d2e3a4b5c6d7e8f901 --role support --refund-limit 100',
  ],
  read(args) {
    const email = args.readPositional('email', emailAddress);
    const merchantId = args.read('merchant', id);
    const role = args.readNeeded('role', oneOf(merchantId === null ? OPERATOR_ROLES : MERCHANT_ROLES));
    const refundLimitMicroUsd = args.read('refund-limit', microUsd);
    if (refundLimitMicroUsd !== null && merchantId === null)
      throw new UsageError('--refund-limit is for users of a merchant');
    return async ({ service: { operatorAccounts }, actor }) => {
      const of = { email, merchantId, role, refundLimitMicroUsd };
      return linkReport(email, orRefuseAccount(await operatorAccounts.invite(actor, of)).url);
    };
  },
};

const reset: Command = {
  name: 'reset',
  about:
    'Prints a link where a user of the console, of any side, sets a new password. Its second factors and recovery codes are removed, and its sessions end, when the link is used. It works once, for a day.',
  audits: ['invitation.made'],
  positionals: ['email'],
  options: {},
  examples: ['ann@example.com'],
  read(args) {
    const email = args.readPositional('email', emailAddress);
    return async ({ service: { operatorAccounts }, actor }) =>
      linkReport(email, orRefuseAccount(await operatorAccounts.reset(actor, email)).url);
  },
};

const disable: Command = {
  name: 'disable',
  about:
    'Disables an operator: its sessions end, and the invitations that it made. It comes back by a new invitation. The last admin cannot be disabled.',
  audits: ['user.disabled'],
  positionals: ['email'],
  options: {},
  examples: ['ann@example.com'],
  read(args) {
    const email = args.readPositional('email', emailAddress);
    return async ({ service: { operatorAccounts }, actor }) => {
      orRefuseAccount(await operatorAccounts.disable(actor, email));
      return { json: { email, status: 'disabled' }, text: `${email} is disabled.` };
    };
  },
};

const endSessions: Command = {
  name: 'end-sessions',
  about:
    'Ends all sessions of a user of the console, of any side: other processes notice within two seconds.',
  audits: ['session.all_ended'],
  positionals: ['email'],
  options: {},
  examples: ['ann@example.com'],
  read(args) {
    const email = args.readPositional('email', emailAddress);
    return async ({ service: { operatorAccounts }, actor }) => {
      const ended = orRefuseAccount(await operatorAccounts.endSessions(actor, email));
      return { json: { email, ended }, text: `${ended} of ${email} ended.` };
    };
  },
};

function linkReport(email: string, url: string): CommandReport {
  return {
    json: { email, url },
    text: `${facts([
      ['for', email],
      ['link', url],
    ])}\n\nWhoever opens it first has it: pass it on to this person alone.`,
  };
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}

function emailAddress(text: string): string {
  const email = normalizedEmail(text);
  if (email === null) throw new UsageError(`must be an e-mail address, got "${text}"`);
  return email;
}

function microUsd(text: string): bigint {
  const micros = toUnits(positiveAmount(text), USD_DECIMALS);
  if (micros === null) throw new UsageError(`has at most ${USD_DECIMALS} decimals`);
  return micros;
}

export const program: Program = {
  name: 'operator',
  about: 'Users of the console: operators, invitations, and the way back in.',
  commands: [create, list, invite, reset, disable, endSessions],
};

if (import.meta.main) await runProgram(program);
