/**
 * Every operators' script explains itself and refuses a wrong command line in one line, before it
 * opens anything; so do developers' programs.
 */
import { describe, expect, test } from 'bun:test';
import { type ProgramName, runHere, runScript } from '../support/operators/run-script.ts';

/** A database that is not there: whoever opened it would fail otherwise than these tests expect. */
const NOWHERE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', MASTER_KEY: '11'.repeat(32) };
const ID = '65f0c1d2e3a4b5c6d7e8f901';

/** Each script once as a process of its own, to show that it is one. */
const ran = new Set<ProgramName>();
function run(script: ProgramName, args: readonly string[]) {
  if (ran.has(script)) return runHere(script, args, NOWHERE);
  ran.add(script);
  return runScript(script, args, NOWHERE);
}

describe('help', () => {
  const programs: [script: ProgramName, args: string[], tells: string[]][] = [
    [
      'merchant',
      [],
      ['create', 'set', 'brand', 'list', 'rotate-key', 'webhook-secret', 'end-overlap', 'verify'],
    ],
    ['merchant', ['webhook-secret'], ['<merchant_id>', '--environment', '--rotate', '--overlap TIME']],
    ['merchant', ['rotate-key'], ['<merchant_id>', '--environment', '--overlap TIME', 'stolen key']],
    ['merchant', ['create'], ['--name', '--callback-url', '--allow', '--live', '--commission', '--json']],
    ['merchant', ['brand'], ['<merchant_id>', '--name', '--logo', '--accent', '--clear', '128 KiB']],
    ['rescan', [], ['--chain', '--from', '--to']],
    ['strays', [], ['list', 'credit', 'assign']],
    ['strays', ['assign'], ['<txid>', '--address', '--json']],
    ['treasury', [], ['status', 'sweep', 'forward', 'adopt', 'topup', 'book']],
    ['risk', ['reject'], ['<deposit_id>', '--reason']],
    ['payouts', [], ['list', 'hold', 'release', 'cancel', 'retry', 'stop', 'start']],
    ['payouts', ['list'], ['--status', '--held', '--waiting', '--merchant', '--json']],
    ['payouts', ['hold'], ['<payout_id>', '--reason']],
    ['payouts', ['release'], ['[<payout_id>]', '--restored COUNT']],
    ['payouts', ['paid'], ['<payout_id>', '--txid TXID', 'not sent']],
    ['refund', [], ['<invoice_id>', '--to', '--amount']],
    ['webhooks', [], ['status', 'replay']],
    ['audit', [], ['list', 'export']],
    ['audit', ['list'], ['--merchant', '--subject', '--actor', '--action', '--from', '--limit']],
    ['audit', ['export'], ['standard output', 'CSV', '--json']],
    ['webhooks', ['replay'], ['--invoice', '--dead', '--since']],
    ['reconcile', [], ['books agree']],
    ['wallet', ['show'], ['--count']],
    ['wallet', ['export'], ['--yes-show-the-seed', 'typed']],
    ['wallet', ['import'], ['--new-master-key', 'standard input']],
    ['wallet', ['replace'], ['--former-money-needs-the-former-seed', 'former seed only']],
    ['backup', [], ['--to FOLDER', '--without-master-key', 'while the service runs']],
    ['restore', [], ['--skip-addresses N', 'service stopped', 'harmless']],
    ['chains', [], ['list', 'forget']],
    ['chains', ['forget'], ['<chain>', 'was reset']],
    ['wallet', ['setup'], ['--chain', 'XRP', 'harmless']],
    ['signer', ['log'], ['--verify', '--last']],
    ['release', [], ['--checked', 'CHANGELOG.md']],
  ];
  test.concurrent.each(programs)('%s %j', async (script, args, tells) => {
    const { code, stdout, stderr } = await run(script, [...args, '--help']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toStartWith(`usage: bun run ${script}`);
    for (const text of [...tells, 'Exit codes:']) expect(stdout).toContain(text);
  });
});

describe('a wrong command line ends with 2 and one readable line', () => {
  const wrong: [script: ProgramName, args: string[], says: string][] = [
    [
      'merchant',
      [],
      'name a command first: create, set, brand, list, rotate-key, webhook-secret, end-overlap, verify',
    ],
    ['merchant', ['destroy'], 'unknown command destroy'],
    ['merchant', ['create'], '--name is needed'],
    ['merchant', ['create', '--name', 'A', '--colour', 'red'], "Unknown option '--colour'"],
    ['merchant', ['create', '--name', 'A', '--name', 'B'], '--name is given twice'],
    ['merchant', ['create', '--name', 'A', '--callback-url', 'ftp://a'], '--callback-url is not usable'],
    ['merchant', ['create', '--name', 'A', '--allow', '10.0.0.0/33'], '--allow must be an IP address'],
    ['merchant', ['create', '--name', 'A', '--allow', '0x7f.1'], '--allow must be an IP address'],
    ['merchant', ['create', '--name', 'A', '--commission', '100'], '--commission must be a percentage'],
    ['merchant', ['create', '--name', 'A', '--commission', '0.00001'], '--commission must be a percentage'],
    ['merchant', ['set', 'abc', '--name', 'A'], '<merchant_id> must be an id of 24 hex digits'],
    ['merchant', ['set', ID], 'nothing to change'],
    ['payouts', ['release'], 'either a <payout_id> or --restored'],
    ['payouts', ['release', ID, '--restored', '1'], 'either a <payout_id> or --restored'],
    ['payouts', ['paid', ID], '--txid is needed'],
    ['restore', ['--skip-addresses', '-1'], '--skip-addresses'],
    ['merchant', ['set', ID, '--status', 'gone'], '--status must be one of active, paused'],
    ['merchant', ['set', ID, '--allow', '::1', '--no-allow'], 'contradict'],
    ['merchant', ['rotate-key', ID, '--environment', 'test'], '--environment must be one of live, sandbox'],
    ...['1', '24', '-1h', '31d', '1w', '1.5h', ''].map((text): [ProgramName, string[], string] => [
      'merchant',
      ['rotate-key', ID, '--environment', 'live', `--overlap=${text}`],
      '--overlap must be 0 or a time like 90m',
    ]),
    [
      'merchant',
      ['webhook-secret', ID, '--environment', 'live', '--overlap', '1h'],
      '--overlap belongs to --rotate',
    ],
    ['merchant', ['brand'], '<merchant_id> is missing'],
    ['merchant', ['brand', ID, '--name', 'a'.repeat(81)], '--name must be 1 to 80 printable characters'],
    ['merchant', ['brand', ID, '--accent', 'green'], '--accent must be a colour like #0a7d4f, got "green"'],
    ['merchant', ['brand', ID, '--support', 'help'], '--support must be an e-mail address or an http(s) URL'],
    ['merchant', ['brand', ID, '--terms-url', 'javascript:1'], '--terms-url must be an http(s) URL'],
    ['merchant', ['brand', ID, '--frame-ancestors', '*'], '--frame-ancestors must be origins like'],
    ['merchant', ['brand', ID, '--logo', 'no-such.png'], '--logo cannot be taken: ENOENT'],
    ['merchant', ['brand', ID, '--logo', 'src'], '--logo cannot be taken: src is no file'],
    [
      'merchant',
      ['brand', ID, '--logo', 'bun.lock'],
      '--logo cannot be taken: bun.lock has more than 128 KiB',
    ],
    ['merchant', ['brand', ID, '--logo', 'LICENSE'], '--logo will not do: LICENSE is no PNG'],
    ['merchant', ['list', 'all'], 'unexpected argument: all'],
    ['rescan', ['--chain', 'atlantis', '--from', '1', '--to', '2'], '--chain must be one of bitcoin'],
    ['rescan', ['--chain', 'ethereum', '--from', '5', '--to', '4'], '--to must be a whole number, 5 to'],
    ['payouts', ['list', '--status', 'gone'], '--status must be one of pending, processing'],
    ['payouts', ['list', '--merchant', 'x'], '--merchant must be an id of 24 hex digits'],
    ['payouts', ['cancel'], '<payout_id> is missing'],
    ['payouts', ['hold', ID, '--reason', ' '], '--reason must be 1 to 1000 printable characters'],
    ['refund', [], '<invoice_id> is missing'],
    ['refund', [ID, '--amount', '0'], '--amount must be a decimal above zero'],
    ['refund', [ID, '--to', 'a b'], '--to must be an address'],
    ['strays', ['credit'], '<deposit_id> is missing'],
    ['risk', ['reject', ID], '--reason is needed'],
    ['webhooks', ['replay'], 'say what to replay'],
    ['webhooks', ['replay', '--since', '2026-01-31'], '--since belongs to --dead'],
    ['webhooks', ['replay', '--dead', '--since', 'yesterday'], '--since must be an ISO-8601 date'],
    ['wallet', ['show', '--count', '-1'], '--count'],
    ['wallet', ['setup', '--chain', 'atlantis'], '--chain must be one of bitcoin'],
    ['strays', ['assign', 'AB', '--address', 'r'], "<txid> must be a transaction's hash of 64 hex digits"],
    ['strays', ['assign', 'AB'.repeat(32)], '--address is needed'],
    ['treasury', ['adopt'], '<txid> is missing'],
    ['signer', ['sign'], 'unknown command sign'],
    ['signer', ['log', '--last', '0'], '--last must be a whole number'],
  ];
  test.each(wrong)('%s %j', async (script, args, says) => {
    const { code, stdout, stderr } = await runHere(script, args, NOWHERE);
    expect(stderr).toContain(says);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

test.concurrent.each([
  ['../tests/mutants/run', 'mutants', '--only TEXT'],
  ['../bench/drill-database', 'drill:database', '--stops COUNT'],
])(
  '%s, a program of developers, explains itself and refuses a wrong command line',
  async (script, name, tells) => {
    const help = await runScript(script, ['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toStartWith(`usage: bun run ${name}`);
    for (const text of [tells, 'Exit codes:']) expect(help.stdout).toContain(text);
    expect(await runScript(script, ['--colour', 'red'])).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: "Unknown option '--colour' (--help tells more)\n",
    });
  },
);

test.concurrent('a drill refuses what is no number before anything is begun', async () => {
  const { code, stderr } = await runScript('../bench/drill-database', ['--stops', 'many']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--stops must be a whole number, 1 to')]);
});

test('and so does the process of a script', async () => {
  const { code, stdout, stderr } = await runScript('merchant', ['destroy'], NOWHERE);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toStartWith('merchant: unknown command destroy');
});

test('a database that is away is told in one line, and as JSON where that was asked for', async () => {
  const { code, stdout, stderr } = await runScript('merchant', ['list', '--json'], {
    ...NOWHERE,
    LOG_LEVEL: 'silent',
  });
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'FAILED' } });
});
