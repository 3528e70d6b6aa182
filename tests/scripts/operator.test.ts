/** `bun run operator`: the first operator, and the way back in, beside a running service. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type OperatorDesk, openOperatorDesk, UNKNOWN_ID } from '../support/operators/operator-desk.ts';
import { runScript } from '../support/operators/run-script.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import { TEST_MASTER_KEY } from '../support/test-service.ts';

const HOME = { ip: '203.0.113.7', userAgent: null };
const PASSWORD = 'a stable with 9 horses';

describe.skipIf(!needs('postgres', postgresAvailable()))('users of the console', () => {
  let desk: OperatorDesk;
  beforeAll(async () => {
    desk = await openOperatorDesk();
  });
  afterAll(() => desk.close());
  const accept = (url: string) =>
    desk.it.service.accounts.acceptInvitation(
      { token: url.slice(url.lastIndexOf('/') + 1), name: 'Ann', password: PASSWORD },
      HOME,
    );
  const audited = async (action: string) => {
    const filter = {
      merchantId: null,
      subject: null,
      subjectId: null,
      actor: null,
      action,
      from: null,
      to: null,
    };
    return desk.it.service.dependencies.operatorQueries.auditEntries(filter, { before: null, limit: 100 });
  };

  test('the first operator gets a link, signs in, and has to set up a second factor', async () => {
    expect((await desk.run('operator', 'list')).stdout).toContain('bun run operator create EMAIL');
    const made = await desk.json('operator', 'create', ' Ann@Example.com ');
    expect(made).toEqual({
      email: 'ann@example.com',
      url: expect.stringMatching(/^http:\/\/localhost:\d+\/console\/i\/[A-Za-z0-9_-]{43}$/),
    });
    const started = await accept(made.url);
    expect(started).toMatchObject({ ok: true, value: { session: { stage: 'enrolling' } } });
    const { operators } = await desk.json('operator', 'list');
    expect(operators).toMatchObject([
      { email: 'ann@example.com', name: 'Ann', role: 'admin', status: 'active', has_second_factor: false },
    ]);
    expect((await desk.run('operator', 'list')).stdout).toMatch(
      /ann@example\.com +Ann +admin +active +no +20\d\d/,
    );
    expect(await desk.refusal('operator', 'create', 'ann@example.com')).toContain('has a user already');
    const [entry] = await audited('invitation.made');
    expect(entry).toMatchObject({
      actor: { kind: 'script' },
      after: { email: 'ann@example.com', role: 'admin' },
    });
  });

  test('a password is taken from standard input, by the rules of the console', async () => {
    const env = {
      ...{ DATABASE_URL: desk.it.databaseUrl, MASTER_KEY: TEST_MASTER_KEY, DATA_DIR: desk.dataDir },
      CHAINS: 'fake',
    };
    const args = ['create', 'bob@example.com', '--name', 'Bob', '--role', 'viewer', '--password-stdin'];
    const short = await runScript('operator', args, env, 'too short\n');
    expect(short).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('at least 12') });
    const made = await runScript('operator', [...args, '--json'], env, `${PASSWORD}\n`);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({ email: 'bob@example.com', role: 'viewer' });
    const given = { email: 'bob@example.com', password: PASSWORD };
    expect(await desk.it.service.accounts.signIn(given, HOME)).toMatchObject({ ok: true });
    for (const wrong of [
      args.slice(0, -1),
      [...args.slice(0, 2), '--password-stdin'],
      ['create', 'no address'],
    ])
      expect(await desk.run('operator', ...wrong)).toMatchObject({ code: 2, stdout: '' });
  });

  test('a user of a merchant is invited with a role and a limit', async () => {
    const { id } = await desk.it.merchant();
    const made = await desk.json(
      ...(['operator', 'invite', 'carl@shop.example', '--merchant', id] as const),
      ...['--role', 'support', '--refund-limit', '100.5'],
    );
    expect((await accept(made.url)).ok).toBe(true);
    const { users } = await desk.it.service.accounts.people(id);
    expect(users).toMatchObject([
      { email: 'carl@shop.example', role: 'support', refundLimitMicroUsd: 100_500_000n },
    ]);
    const invite = ['operator', 'invite', 'x@shop.example'] as const;
    expect(await desk.refusal(...invite, '--merchant', UNKNOWN_ID, '--role', 'owner')).toContain('No such');
    expect(await desk.refusal('operator', 'invite', 'carl@shop.example', '--role', 'viewer')).toContain(
      'other side',
    );
    for (const wrong of [
      ['--role', 'owner'],
      ['--role', 'viewer', '--refund-limit', '5'],
      ['--merchant', id, '--role', 'admin'],
    ])
      expect(await desk.run(...invite, ...wrong)).toMatchObject({ code: 2 });
  });

  test('whoever lost everything gets a link, all sessions of a user can be ended, and an operator disabled', async () => {
    const reset = await desk.json('operator', 'reset', 'carl@shop.example');
    const started = await accept(reset.url);
    expect(started.ok).toBe(true);
    expect(await desk.json('operator', 'end-sessions', 'carl@shop.example')).toEqual({
      email: 'carl@shop.example',
      ended: 1,
    });
    expect(await desk.refusal('operator', 'end-sessions', 'nobody@shop.example')).toContain('No such');
    expect(await desk.refusal('operator', 'reset', 'nobody@shop.example')).toContain('No such');

    expect(await desk.refusal('operator', 'disable', 'ann@example.com')).toContain('last admin');
    expect((await desk.run('operator', 'disable', 'bob@example.com')).stdout).toContain('is disabled');
    expect(await desk.refusal('operator', 'disable', 'carl@shop.example')).toContain('No such');
    const given = { email: 'bob@example.com', password: PASSWORD };
    expect(await desk.it.service.accounts.signIn(given, HOME)).toMatchObject({ ok: false });
    for (const action of ['user.created', 'user.disabled', 'session.all_ended'])
      expect(await audited(action)).toHaveLength(1);
  });
});
