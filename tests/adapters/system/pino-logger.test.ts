import { describe, expect, test } from 'bun:test';
import { type LogLevel, pinoLogger } from '../../../src/adapters/system/pino-logger.ts';

function capture(level: LogLevel = 'debug') {
  const raw: string[] = [];
  const logger = pinoLogger({ level, destination: { write: (line: string) => raw.push(line) } });
  return { logger, raw, lines: () => raw.map((line): Record<string, unknown> => JSON.parse(line)) };
}

const liveKey = `sk_live_${'0f'.repeat(24)}`;
const sandboxKey = `sk_sandbox_${'a0'.repeat(24)}`;

describe('a log line', () => {
  test('is one JSON object with level, ISO time, message and fields', () => {
    const { logger, raw, lines } = capture();
    logger.warn('chain.reorganised', { chain: 'ethereum', blocks: 12n, since: new Date(0) });
    expect(raw[0]).toEndWith('}\n');
    expect(raw).toHaveLength(1);
    const { time, ...rest } = lines()[0]!;
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(rest).toEqual({
      level: 'warn',
      event: 'chain.reorganised',
      msg: 'a reorganisation was found',
      chain: 'ethereum',
      blocks: '12',
      since: '1970-01-01T00:00:00.000Z',
    });
  });

  test('of an alarm has page: true, and a text that people know for one', () => {
    const { logger, lines } = capture();
    logger.error('deposit.reversed', { depositId: 'd' });
    logger.error('job.failed');
    expect(lines()[0]).toMatchObject({
      level: 'error',
      event: 'deposit.reversed',
      page: true,
      msg: 'ALARM: a credited payment left the chain and was reversed in the ledger',
    });
    expect(lines()[1]).toMatchObject({ event: 'job.failed', msg: 'a job failed and will run again' });
    expect(lines()[1]).not.toHaveProperty('page');
  });

  test('below the level is not written', () => {
    const { logger, lines } = capture('warn');
    logger.info('service.ready');
    logger.warn('node.failed');
    logger.error('job.failed');
    expect(lines().map((line) => line.level)).toEqual(['warn', 'error']);
    const silent = capture('silent');
    silent.logger.error('job.failed');
    expect(silent.raw).toEqual([]);
  });

  test('of a logger made by `with` carries its fields, and a later field of the same name wins', () => {
    const { logger, raw, lines } = capture();
    const child = logger.with({ chain: 'tron', attempt: 1 }).with({ job: 'scan' });
    child.info('service.ready', { attempt: 2 });
    logger.info('service.stopping');
    expect(lines()[0]).toMatchObject({ chain: 'tron', job: 'scan', attempt: 2 });
    expect(raw[0]!.match(/"attempt"/g)).toHaveLength(1);
    expect(lines()[1]).not.toHaveProperty('chain');
  });

  test('keeps its own names when a field is called as one of them', () => {
    const { logger, lines } = capture();
    logger.info('service.ready', { level: 'x', time: 'y', msg: 'z', event: 'v', page: 'w' });
    expect(lines()[0]).toMatchObject({
      level: 'info',
      event: 'service.ready',
      msg: 'ready',
      level_: 'x',
      time_: 'y',
      msg_: 'z',
      event_: 'v',
      page_: 'w',
    });
  });
});

describe('secrets', () => {
  test.each([
    'x-api-key',
    'X-Api-Key',
    'apiKey',
    'api_key',
    'authorization',
    'Authorization',
    'X-Service-Signature',
    'signature',
    'payer_info',
    'payerInfo',
    'masterKey',
    'MASTER_KEY',
    'seed',
    'mnemonic',
  ])('a field named %s is redacted at any depth', (name) => {
    const { logger, raw, lines } = capture();
    logger.info('http.request', { [name]: 'hidden-value' });
    logger.info('http.request', { a: { b: [{ c: { [name]: { deep: 'hidden-value' } } }] } });
    logger.with({ request: { headers: { [name]: 'hidden-value' } } }).info('http.request');
    expect(raw.join('')).not.toContain('hidden-value');
    expect(lines()[0]).toMatchObject({ [name]: '[redacted]' });
  });

  test('nothing below five levels is shown, so no secret hides there', () => {
    const { logger, raw } = capture();
    logger.info('http.request', { a: { b: { c: { d: { e: { f: { apiKey: 'hidden-value' } } } } } } });
    expect(raw.join('')).not.toContain('hidden-value');
    expect(raw.join('')).toContain('[too deep]');
  });

  test('a merchant key inside any message, value, name or error is masked', () => {
    const { logger, raw } = capture();
    logger.info('http.request', {
      both: `key ${liveKey} and ${sandboxKey}`,
      note: `used ${liveKey}.`,
      secret: 'signed with whsec_a0a0+/0f0f=',
      list: [sandboxKey, { x: sandboxKey }],
      map: new Map([[liveKey, 1]]),
      error: new Error(`bad ${liveKey}`, { cause: new Error(sandboxKey) }),
    });
    const text = raw.join('');
    expect(text).not.toContain('0f0f');
    expect(text).not.toContain('a0a0');
    expect(text).toContain('used sk_live_[redacted].');
  });

  test('the password of a URL is masked', () => {
    const { logger, raw } = capture();
    logger.error('database.away', {
      reason: 'cannot reach postgres://app:hunter2@db:5432/x',
      proxy: new URL('http://user:hunter2@10.0.0.1:3128'),
    });
    expect(raw.join('')).not.toContain('hunter2');
  });
});

describe('odd values', () => {
  test('an error keeps name, message, stack, code and cause', () => {
    const { logger, lines } = capture();
    logger.error('job.failed', {
      error: Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: '40001' }),
    });
    expect(lines()[0]!.error).toMatchObject({
      name: 'TypeError',
      message: 'outer',
      code: '40001',
      stack: expect.stringContaining('outer'),
      cause: { message: 'inner' },
    });
  });

  test('circles, bytes, functions, bad dates and throwing getters do not break a line', () => {
    const { logger, lines } = capture();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    logger.info('http.request', {
      circle,
      bytes: new Uint8Array(3),
      fn: () => 1,
      when: new Date(Number.NaN),
      set: new Set([1n]),
      nothing: null,
      missing: undefined,
    });
    logger.info('http.request', {
      get boom(): string {
        throw new Error('boom');
      },
    });
    expect(lines()[0]).toMatchObject({
      bytes: '[3 bytes]',
      fn: '[function]',
      when: 'invalid date',
      set: ['1'],
      nothing: null,
    });
    expect(lines()[1]).toMatchObject({ unloggable: true });
  });
});

test('without a destination the lines go to standard output and none is lost at exit', async () => {
  const module = new URL('../../../src/adapters/system/pino-logger.ts', import.meta.url).href;
  const script = `
    const { pinoLogger } = await import(${JSON.stringify(module)});
    const logger = pinoLogger({ level: 'info' });
    for (let line = 0; line < 200; line += 1) logger.info('service.ready', { line });
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  expect(text.trim().split('\n')).toHaveLength(200);
});
