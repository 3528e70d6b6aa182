/**
 * Every command of an operators' script changes nothing, or writes into the audit log what it
 * changes (safety.md D1). Which ones change nothing is listed here: a new command is neither until
 * somebody decides.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hostname, userInfo } from 'node:os';
import { scriptActor } from '../../../scripts/support/audit.ts';
import { operatorPrograms } from '../../../scripts/support/generated-scripts.ts';
import { type Command, execute, type Program } from '../../../scripts/support/program.ts';
import { AUDIT_ACTION, AUDIT_SUBJECTS } from '../../../src/domain/audit/audit-entry.ts';
import { aMerchant } from '../../support/builders.ts';
import { type OperatorDesk, openOperatorDesk } from '../../support/operators/operator-desk.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const CHANGE_NOTHING = [
  ...['merchant list', 'payouts list', 'links list', 'links show', 'strays list', 'risk list'],
  ...['webhooks status', 'treasury status', 'treasury topup', 'reconcile', 'chains status', 'chains list'],
  ...['audit list', 'operator list', 'signer log', 'wallet show'],
  // They show, and send a trial.
  ...['notices list', 'notices test'],
  // They copy and show; what they give away is not in the database.
  ...['backup', 'wallet export'],
  // For developers.
  'release',
];

const commands = (await operatorPrograms()).flatMap((program) =>
  program.commands.map((command) => ({
    name: command.name === null ? program.name : `${program.name} ${command.name}`,
    audits: command.audits,
  })),
);

test('D1: every command either changes nothing or says which actions it audits', () => {
  const without = commands.filter(({ audits }) => audits.length === 0).map(({ name }) => name);
  expect(without.toSorted()).toEqual(CHANGE_NOTHING.toSorted());
});

test('the actions of commands are named as the log has them', () => {
  const subjects: readonly string[] = AUDIT_SUBJECTS;
  for (const { name, audits } of commands)
    for (const action of audits) {
      expect({ name, action: AUDIT_ACTION.test(action) }).toEqual({ name, action: true });
      expect({ name, known: subjects.includes(action.split('.')[0] ?? '') }).toEqual({ name, known: true });
    }
});

test('the actor of a script is the account, who ordered it by sudo, and the machine', () => {
  const { username } = userInfo();
  const actor = { kind: 'script', userId: null, ip: null } as const;
  expect(scriptActor({})).toEqual({ ...actor, name: `${username} on ${hostname()}` });
  expect(scriptActor({ SUDO_USER: 'ann' }).name).toBe(`ann as ${username} on ${hostname()}`);
  expect(scriptActor({ SUDO_USER: username }).name).toBe(`${username} on ${hostname()}`);
});

describe.skipIf(!needs('postgres', postgresAvailable()))('a command', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());

  /** Runs a program with this one command. */
  async function run(audits: readonly string[], work: ReturnType<Command['read']>) {
    const said: string[] = [];
    const command: Command = {
      ...{ name: null, about: 'For a test.', positionals: [], options: {}, examples: [], audits },
      read: () => work,
    };
    const program: Program = { name: 'test', about: 'For a test.', commands: [command] };
    const code = await execute(program, {
      ...{ args: [], env: { ...process.env, ...desk.env } },
      out: (text) => void said.push(text),
      print: async (text) => void said.push(text),
      err: (text) => void said.push(text),
    });
    return { code, said: said.join('\n') };
  }
  const entries = async (id: string): Promise<readonly Json[]> =>
    (await desk.json('audit', 'list', '--subject', 'merchant', '--id', id)).entries;
  const isThere = async (id: string) =>
    (await desk.json('merchant', 'list')).merchants.some((row: Json) => row.merchant_id === id);

  test('D1: a script cannot write without an entry: its own transactions are read only', async () => {
    const merchant = aMerchant();
    const { code, said } = await run(['merchant.created'], async ({ service }) => {
      await service.dependencies.unitOfWork.run(({ merchants }) => merchants.insert(merchant));
      return { json: {}, text: 'done' };
    });
    expect({ code, done: said.includes('done') }).toEqual({ code: 1, done: false });
    expect(said).toContain('read-only transaction');
    expect(await isThere(merchant.id)).toBeFalse();
  });

  test('cannot audit an action that it does not name', async () => {
    const merchant = aMerchant();
    const action = { action: 'merchant.created', subject: 'merchant', id: merchant.id } as const;
    const { code, said } = await run([], async ({ act }) => {
      await act(action, ({ unitOfWork }) => unitOfWork.run(({ merchants }) => merchants.insert(merchant)));
      return { json: {}, text: 'done' };
    });
    expect({ code, said }).toEqual({
      ...{ code: 1, said: 'test: the command does not say that it audits merchant.created' },
    });
    expect(await isThere(merchant.id)).toBeFalse();
  });

  test('takes everything back in a trial, and leaves no entry of it', async () => {
    const merchant = aMerchant();
    const { code, said } = await run([], async ({ trial }) => {
      const found = await trial(({ unitOfWork }) =>
        unitOfWork.run(async ({ merchants }) => {
          await merchants.insert(merchant);
          return merchants.find(merchant.id);
        }),
      );
      return { json: {}, text: `found ${found?.id}` };
    });
    expect({ code, said }).toEqual({ code: 0, said: `found ${merchant.id}` });
    expect(await isThere(merchant.id)).toBeFalse();
    expect(await entries(merchant.id)).toEqual([]);
  });

  test('writes its entry with what it changes', async () => {
    const merchant = aMerchant({ name: 'Written' });
    const action = { action: 'merchant.created', subject: 'merchant', id: merchant.id, note: '' } as const;
    const { code } = await run(['merchant.created'], async ({ act }) => {
      await act(action, ({ unitOfWork }) => unitOfWork.run(({ merchants }) => merchants.insert(merchant)));
      return { json: {}, text: 'done' };
    });
    expect(code).toBe(0);
    expect(await entries(merchant.id)).toMatchObject([
      {
        ...{ actor: scriptActor(process.env).name, action: 'merchant.created', note: null },
        ...{ merchant_id: merchant.id, before: null, after: { name: 'Written' } },
      },
    ]);
  });
});
