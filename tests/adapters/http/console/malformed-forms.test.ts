/** What no page sends is refused as a mistake: it is no fault of the service, and no alarm. */
import { expect, test } from 'bun:test';
import { formCode } from '../../../../src/adapters/http/console/kit/session-cookie.ts';
import { aMerchant } from '../../../support/builders.ts';
import { consoleStage, OWN } from '../../../support/console/console-stage.ts';

const stage = consoleStage();
const code = `code=${formCode('a'.repeat(43))}`;
const owner = { role: 'owner' } as const;
const adminSends = (form: string) => [{ operatorRole: 'admin' }, { body: `${code}&${form}` }] as const;
const at = `/console/m/${OWN}/live`;
const NO_KEYS = { keySince: null, olderKeyUntil: null, secretSince: null, olderSecretUntil: null };

test.each([
  ['a field', 'POST', '/settings', `${code}&callback_url=https%3A%2F%2Fshop.example%2F%00`],
  ['the name of a field', 'POST', '/settings', `${code}&a%00=b`],
  ['the query', 'GET', '/payments?extra=%00', undefined],
  ['the path', 'POST', '/payments/%00/cancel', code],
] as const)('U+0000, which the database refuses, in %s', async (_, method, path, body) => {
  const answer = await stage.ask(method, at + path, owner, body === undefined ? {} : { body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('character');
});

test('an amount of owner funding that is no number', async () => {
  const desk = { treasury: async () => ({ ok: false, error: { code: 'NOT_HERE', message: 'not here' } }) };
  const answer = await consoleStage({ operatorDesk: desk as never }).ask(
    ...(['POST', '/console/o/wallets/ethereum/book', { operatorRole: 'admin' }] as const),
    { body: `${code}&asset=eth_ethereum&units=many&note=x` },
  );
  expect(answer.status).toBeGreaterThanOrEqual(400);
});

test.each(['ftp://shop.example', 'nonsense', 'https://ann:secret@shop.example/'])(
  'a new merchant whose webhooks would go to %s',
  async (url) => {
    const operatorQueries = { merchantPage: async () => [] };
    const answer = await consoleStage({ operatorQueries: operatorQueries as never }).ask(
      ...(['POST', '/console/o/merchants', { operatorRole: 'admin' }] as const),
      { body: `${code}&name=Shop&callback_url=${encodeURIComponent(url)}` },
    );
    expect(answer.status).toBe(422);
  },
);

test('a new merchant without a name', async () => {
  const operatorQueries = { merchantPage: async () => [] };
  const answer = await consoleStage({ operatorQueries: operatorQueries as never }).ask(
    ...(['POST', '/console/o/merchants', { operatorRole: 'admin' }] as const),
    { body: `${code}&name=%20` },
  );
  expect(answer.status).toBe(422);
});

test.each(['31.12.2026', '2026-13-45'])(
  'a day %s of webhooks to send again: it does not mean all of them',
  async (since) => {
    const asked: unknown[] = [];
    const queued = async (...given: unknown[]) => {
      asked.push(given);
      return { ok: true };
    };
    const nothing = { signingStopped: null, reconciliation: null, ratesAgeSeconds: null, chains: [] };
    const webhooks = { pending: 0, oldestDueSeconds: 0, circuits: [], dead: 0 };
    const here = consoleStage({
      operatorDesk: {
        ...{ replayDead: queued, nodes: async () => [] },
        isAllWell: async () => ({ ...nothing, webhooks, payoutsWaiting: {} }),
      } as never,
      operatorQueries: { newestBackup: async () => null } as never,
      application: { console: { notices: async () => [] } } as never,
    });
    const answer = await here.ask('POST', '/console/o/webhooks/replay', ...adminSends(`since=${since}`));
    expect([answer.status, asked]).toEqual([422, []]);
    expect(await answer.text()).toContain('must be a day');
  },
);

test.each(['-1', 'many', '1.0000001'])('a limit of %s USD is refused, before it is stored', async (limit) => {
  const asked: unknown[] = [];
  const noted = async (...given: unknown[]) => {
    asked.push(given);
    throw new Error('it was not refused');
  };
  const merchantDesk = { changeApprovalLimit: noted, keys: async () => NO_KEYS } as never;
  const accounts = { invite: noted, people: async () => ({ users: [], invitations: [] }) } as never;
  const here = consoleStage({ merchantDesk, accounts });
  for (const [path, form] of [
    ['/settings/approvals', `limit=${limit}`],
    ['/people/invite', `email=ann%40shop.example&role=support&limit=${limit}`],
  ] as const) {
    const answer = await here.ask('POST', at + path, owner, { body: `${code}&${form}` });
    expect({ path, status: answer.status }).toEqual({ path, status: 422 });
  }
  expect(asked).toEqual([]);
});

test('a limit is shown exactly: saving the form again does not change it', async () => {
  const bob = { id: OWN, name: 'Bob', email: 'bob@shop.example', role: 'support', status: 'active' };
  const user = { ...bob, hasSecondFactor: true, lastSeenAt: null, refundLimitMicroUsd: 1_239_000n };
  const accounts = { people: async () => ({ users: [user], invitations: [] }) } as never;
  const queries = { merchantById: async (id: string) => aMerchant({ id }), lastNumbers: async () => [] };
  const here = consoleStage({ accounts, application: { queries } as never });
  const answer = await here.ask('GET', `${at}/people`, owner);
  expect(await answer.text()).toContain('value="1.239"');
});
