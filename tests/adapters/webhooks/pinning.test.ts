import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { post, SHORT } from '../../support/webhooks/webhook-posts.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

let receiver: WebhookReceiver;
beforeEach(() => {
  receiver = startWebhookReceiver();
});
afterEach(() => receiver.stop());

const port = () => new URL(receiver.url).port;

/** A resolver that gives the next answer at each question and counts them. */
function scripted(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (host: string) => {
      asked.push(host);
      return answers[Math.min(asked.length, answers.length) - 1] ?? [];
    },
  };
}

describe('name resolution', () => {
  test('happens once per attempt, so that a second, private answer is never seen', async () => {
    const rebinding = scripted(['127.0.0.1'], ['10.0.0.1']);
    const outcome = await post(`http://merchant.test:${port()}/`, { resolve: rebinding.resolve });
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(rebinding.asked).toEqual(['merchant.test']);
  });

  test('is repeated at the next attempt, and its answer is judged again', async () => {
    const rebinding = scripted(['127.0.0.1'], ['169.254.169.254']);
    const url = `http://merchant.test:${port()}/`;
    expect(await post(url, { resolve: rebinding.resolve })).toMatchObject({ kind: 'answered' });
    expect(await post(url, { resolve: rebinding.resolve })).toMatchObject({ kind: 'refused' });
  });

  test('is not asked about an IP literal', async () => {
    const never = scripted();
    expect(await post(receiver.url, { resolve: never.resolve })).toMatchObject({ kind: 'answered' });
    expect(never.asked).toEqual([]);
  });

  test.each([
    ['a private address', ['10.1.2.3'], 'the host resolves to a private address'],
    ['loopback', ['127.0.0.1'], 'the host resolves to a loopback address'],
    ['IPv6 loopback', ['::1'], 'the host resolves to a loopback address'],
    ['the metadata address', ['169.254.169.254'], 'the host resolves to a link-local address'],
    ['a mapped address', ['::ffff:127.0.0.1'], 'the host resolves to an IPv4-mapped address'],
    ['a public and then a private address', ['93.184.215.14', '127.0.0.1'], 'resolves to a loopback address'],
    [
      'a private and then a public address',
      ['192.168.0.1', '93.184.215.14'],
      'resolves to a private address',
    ],
    ['something that is no address', ['0x7f.1'], 'the host resolves to not a usable address'],
    ['nothing', [], 'the host name cannot be resolved'],
  ])('to %s is refused whole and without a connection', async (_, answer, reason) => {
    const outcome = await post(`http://public.example:${port()}/`, { resolve: async () => answer });
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
    expect(receiver.received).toHaveLength(0);
  });

  test('that fails or does not answer in time is refused', async () => {
    const reason = 'the host name cannot be resolved';
    const failing = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    expect(await post('http://a.example/', { resolve: failing })).toEqual({ kind: 'refused', reason });
    const silent = () => new Promise<string[]>(() => {});
    expect(await post('http://a.example/', { resolve: silent, timeouts: SHORT })).toEqual({
      kind: 'refused',
      reason,
    });
  });

  test('by the system knows localhost', async () => {
    const { systemResolve } = await import('../../../src/adapters/webhooks/checked-addresses.ts');
    expect(await post(`http://localhost:${port()}/`, { allowedHosts: [], resolve: systemResolve })).toEqual({
      kind: 'refused',
      reason: 'the host resolves to a loopback address',
    });
    expect(
      await post(`http://localhost:${port()}/`, { allowedHosts: ['localhost'], resolve: systemResolve }),
    ).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('a host that nobody listed', () => {
  test.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://[::1]/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('is refused as %s', async (url) => {
    const withPort = url.replace(/(https?:\/\/[^/]+)/, `$1:${port()}`);
    const outcome = await post(withPort, { allowedHosts: [] });
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^the host is an? /) });
    expect(receiver.received).toHaveLength(0);
  });

  test('is refused also on another port than the listed one', async () => {
    expect(await post(receiver.url, { allowedHosts: ['127.0.0.1:1'] })).toMatchObject({ kind: 'refused' });
    expect(await post(receiver.url, { allowedHosts: [`127.0.0.1:${port()}`] })).toMatchObject({
      kind: 'answered',
    });
  });
});

test('a listed host may be loopback or private, and nothing else', async () => {
  for (const address of ['169.254.169.254', '0.0.0.0', '224.0.0.1', '::ffff:127.0.0.1', '100.64.0.1']) {
    const outcome = await post('http://merchant.test/', { resolve: async () => [address] });
    expect(outcome).toMatchObject({ kind: 'refused' });
  }
});

test.each([
  'ftp://merchant.test/',
  'http://user:pass@merchant.test/',
  'http://merchant.test\\@evil.test/',
  'http://merchant.test/\r\nX: y',
  'not a url',
])('the URL %j is refused with a reason', async (url) => {
  const outcome = await post(url);
  expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('the URL') });
});
