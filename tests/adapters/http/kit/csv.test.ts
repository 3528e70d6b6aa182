/** Whole lists as CSV, over the real application. */
import { describe, expect, test } from 'bun:test';
import { csvLines } from '../../../../src/adapters/http/kit/documents/csv.ts';
import type { Queries } from '../../../../src/ports/list-queries.ts';
import { anInvoice } from '../../../support/builders.ts';
import { type Harness, openHarness, stageHarness } from '../../../support/http/http-harness.ts';
import { until } from '../../../support/runtime/poll.ts';

stageHarness();

/** RFC 4180, read the plain way. */
function parsed(text: string): Record<string, string>[] {
  const rows: string[][] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    const row = rows.at(-1) ?? rows[rows.push([]) - 1];
    row?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  const [header = [], ...lines] = rows.slice(0, -1);
  return lines.map((line) => Object.fromEntries(header.map((name, place) => [name, line[place] ?? ''])));
}

async function furnished(): Promise<Harness> {
  const it = await openHarness();
  const create = (body: object) => it.call('POST', '/api/v2/invoices', { key: it.sandboxKey, body });
  await create({
    amount: 12.34,
    asset: 'usdt_tron',
    extra: '-1',
    title: '=1+1',
    metadata: { a: ',' },
  });
  await create({
    amount: 20,
    description: 'one, "two"\r\nthree',
    accepted_coins: ['btc_bitcoin', 'usdt_tron'],
  });
  await it.earn(50, it.sandboxKey);
  await it.call('POST', '/api/v2/payouts', {
    key: it.sandboxKey,
    headers: { 'x-uniq-id': crypto.randomUUID() },
    body: { address: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', amount: 1.5, asset: 'usdt_tron', ref: '@sum' },
  });
  return it;
}

test('no text that a spreadsheet would run as a formula begins a cell', () => {
  const begun = ['=', '+', '-', '@', '\t', '\r'].map((sign) => `${sign}1+1`);
  const lines = csvLines(
    ['text'],
    begun.map((text) => ({ text })),
  );
  expect(lines).toBe(
    ["'=1+1", "'+1+1", "'-1+1", "'@1+1", "'\t1+1", '"\'\r1+1"'].map((cell) => `${cell}\r\n`).join(''),
  );
});

describe('whole lists as CSV', () => {
  test('have the rows and fields of the JSON: decimals exact, times in ISO-8601, no text a formula', async () => {
    const it = await furnished();
    const key = it.sandboxKey;
    for (const path of ['invoices', 'payouts', 'ledger']) {
      const { text, headers, status } = await it.call('GET', `/api/v2/${path}?format=csv&per_page=1`, {
        key,
      });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
      const raw = await it.call('GET', `/api/v2/${path}`, { key });
      const shown = raw.json.result.map((row: Record<string, unknown>) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => {
            if (typeof value === 'number' && name.endsWith('_at'))
              return [name, new Date(value * 1_000).toISOString().replace('.000', '')];
            const guarded = typeof value === 'string' && /^[=+\-@]/.test(value) ? `'${value}` : value;
            if (Array.isArray(value)) return [name, value.join(' ')];
            return [
              name,
              typeof guarded === 'object' && guarded !== null
                ? JSON.stringify(guarded)
                : String(guarded ?? ''),
            ];
          }),
        ),
      );
      const rows = parsed(text);
      expect(rows.length).toBe(raw.json.pagination.total);
      for (const [place, row] of rows.entries()) expect(row).toMatchObject(shown[place]);
    }
    const { text } = await it.call('GET', '/api/v2/invoices?format=csv&extra=-1', { key });
    expect(parsed(text)).toMatchObject([{ extra: "'-1", title: "'=1+1", metadata: '{"a":","}' }]);
    expect(text.split('\r\n')).toHaveLength(3);
  });

  test('are asked for by format or by Accept; who accepts JSON first, or names it, gets JSON', async () => {
    const it = await openHarness();
    const type = async (query: string, accept: string) =>
      (await it.call('GET', `/api/v2/invoices${query}`, { headers: { accept } })).headers
        .get('content-type')
        ?.split(';')[0];
    expect(await type('', 'text/csv')).toBe('text/csv');
    expect(await type('', 'Text/CSV;q=1, */*')).toBe('text/csv');
    expect(await type('', 'application/json, text/csv')).toBe('application/json');
    expect(await type('?format=json', 'text/csv')).toBe('application/json');
    expect(await type('?format=csv', '*/*')).toBe('text/csv');
    for (const query of ['format=xml', 'format=csv&sort=amount']) {
      const { status, json } = await it.call('GET', `/api/v2/payouts?${query}`);
      expect([status, json.error.details[0].field]).toEqual([422, query.includes('xml') ? 'format' : 'sort']);
    }
    const head = await it.call('HEAD', '/api/v2/invoices?format=csv');
    expect([head.status, head.text]).toEqual([200, '']);
    // The reader of headers took nobody's place.
    expect(await type('', 'text/csv')).toBe('text/csv');
  });

  test('an empty list is a line of names; other merchants and the other environment see nothing', async () => {
    const it = await furnished();
    for (const key of [it.liveKey, (await it.addMerchant()).sandboxKey])
      for (const path of ['invoices', 'payouts', 'ledger'])
        expect(parsed((await it.call('GET', `/api/v2/${path}?format=csv`, { key })).text)).toEqual([]);
  });
});

describe('a CSV on its way', () => {
  /** A server on a socket whose lists of invoices are read from `batches`. */
  async function serving(batches: () => ReturnType<Queries['every']['invoices']>) {
    const base = await openHarness();
    const { queries } = base.dependencies;
    const every = { ...queries.every, invoices: batches };
    const it = await openHarness({ ports: { queries: { ...queries, every } }, realSockets: true });
    const { port } = it.server.listen(0, '127.0.0.1');
    const get = (signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}/api/v2/invoices?format=csv`, {
        headers: { 'x-api-key': it.liveKey },
        ...(signal ? { signal } : {}),
      });
    return { it, get };
  }
  const batch = () => Array.from({ length: 250 }, () => anInvoice({ description: 'x'.repeat(400) }));

  test('that fails is cut, so that nobody takes a part for the whole', async () => {
    const { it, get } = await serving(async function* () {
      yield batch();
      yield batch();
      throw new Error('the database went away');
    });
    const text = get().then((response) => response.text());
    await expect(text).rejects.toThrow();
    expect(it.logs.map(({ event }) => event)).toContain('http.request_failed');
    await it.server.stop(0);
  });

  test('is read no faster than it is taken, and ends when its reader goes away', async () => {
    let [read, ended] = [0, false];
    const { it, get } = await serving(async function* () {
      try {
        for (; read < 4_000; read += 1) yield batch();
      } finally {
        ended = true;
      }
    });
    const away = new AbortController();
    const response = await get(away.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    let before = -1;
    await until('nothing more is read', 10_000, async () => {
      const still = before === read;
      before = read;
      await Bun.sleep(50);
      return still;
    });
    expect([read < 1_000, ended]).toEqual([true, false]);
    away.abort();
    await until('the list has ended', 5_000, async () => ended);
    await it.server.stop(0);
  });
});
