/**
 * The live side of the checkout, on a served application: who is told what, and who is not served.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import type { LivePace } from '../../../../src/adapters/http/checkout/live/live-hub.ts';
import { LANGUAGES } from '../../../../src/adapters/http/checkout/messages/languages.ts';
import { Translator } from '../../../../src/adapters/http/checkout/messages/translator.ts';
import { StorageUnavailable } from '../../../../src/ports/repositories.ts';
import { type Harness, openHarness } from '../../../support/fake/fake-http-harness.ts';
import { type EventReader, readEvents } from '../../../support/http/event-reader.ts';
import { until } from '../../../support/runtime/poll.ts';

const PATIENCE_MS = 20_000;
const BEAT: LivePace['beatMs'] = 20_000;
const UNKNOWN = '00000000-0000-4000-8000-00000000ffff';
const open: { harnesses: Harness[]; readers: EventReader[] } = { harnesses: [], readers: [] };

afterEach(async () => {
  for (const reader of open.readers.splice(0)) reader.leave();
  for (const { server } of open.harnesses.splice(0)) await server.stop();
});

async function served(live: { perNetwork?: number; perInstance?: number } = {}) {
  const harness = openHarness({
    config: { trustedProxies: ['127.0.0.1'] },
    dependencies: { live: { everyMs: 20, ...live } },
    realSockets: true,
  });
  open.harnesses.push(harness);
  const { port } = harness.server.listen(0, '127.0.0.1');
  const queries = harness.application.queries as {
    liveStates: (typeof harness.application.queries)['liveStates'];
  };
  const answer = queries.liveStates;
  const asked: (readonly string[])[] = [];
  let fault: Error | null = null;
  queries.liveStates = async (ids, seenLate) => {
    asked.push(ids);
    if (fault !== null) throw fault;
    return answer(ids, seenLate);
  };
  return {
    ...harness,
    asked,
    fail(next: Error | null) {
      fault = next;
    },
    async invoice() {
      const body = { amount: 49.9, fiat_currency: 'EUR', asset: 'usdt_ethereum' };
      const { result } = (await harness.call('POST', '/api/v2/invoices', { body })).json;
      const url = `http://127.0.0.1:${port}/checkout/${result.external_id}`;
      return { id: result.order_id as string, externalId: result.external_id as string, url };
    },
    unknown: `http://127.0.0.1:${port}/checkout/${UNKNOWN}`,
    async look(url: string, from = '203.0.113.1') {
      const reader = await readEvents(`${url}/events`, { 'x-forwarded-for': from });
      open.readers.push(reader);
      return reader;
    },
    status: async (url: string) => (await fetch(`${url}/status`)).json(),
  };
}

describe('a stream of states', () => {
  test('tells the state at once, the same that is polled and that the page holds', async () => {
    const it = await served();
    const { url } = await it.invoice();
    const reader = await it.look(url);
    expect(await reader.block()).toMatch(/^retry: 3000\nevent: state\ndata: \S+$/);
    const [again, polled] = [await it.look(url), await it.status(url)];
    const first = await again.next();
    expect(first).toEqual({ event: 'state', data: polled.state });
    expect(await (await fetch(url)).text()).toContain(`data-state="${first?.data}"`);
  });

  test('is kept by no cache, held back by no proxy, and has the checkout’s headers', async () => {
    const it = await served();
    const { url } = await it.invoice();
    const { headers } = (await it.look(url)).response;
    expect(headers.get('content-type')).toStartWith('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('tells each change to all who look, in one statement for all pages', async () => {
    const it = await served();
    const [first, second] = [await it.invoice(), await it.invoice()];
    const readers = [await it.look(first.url), await it.look(first.url), await it.look(second.url)];
    const before = await Promise.all(readers.map((reader) => reader.next()));
    it.application.setInvoice(first.id, { status: 'confirming' });
    const told = await Promise.all(readers.slice(0, 2).map((reader) => reader.next()));
    expect(told[0]).toEqual(told[1]!);
    expect(told[0]).toEqual({ event: 'state', data: (await it.status(first.url)).state });
    expect(told[0]).not.toEqual(before[0]!);
    it.application.setInvoice(second.id, { status: 'expired' });
    expect(await readers[2]?.next()).toEqual({ event: 'state', data: (await it.status(second.url)).state });
    const both = [first.externalId, second.externalId].toSorted();
    expect(it.asked.map((ids) => ids.toSorted())).toContainEqual(both);
    expect(it.asked.filter((ids) => ids.length > 2)).toEqual([]);
  });

  test('tells that payments are seen late, and that they are not any more: the page says so in each language', async () => {
    const it = await served();
    const { id, url } = await it.invoice();
    it.application.setInvoice(id, { sandbox: false });
    const reader = await it.look(url);
    const inTime = await reader.next();
    const page = async (language: string) => (await fetch(`${url}?lang=${language}`)).text();
    for (const late of [true, false]) {
      Object.assign(it.application, { isSeenLate: () => late });
      const told = await reader.next();
      expect(told?.data === inTime!.data).toBe(!late);
      for (const language of LANGUAGES) {
        const shown = await page(language);
        expect(shown).toContain(`data-state="${told?.data}"`);
        const notice = new Translator(language).say('seenLate', { network: 'Ethereum' }).text;
        expect([language, shown.includes(notice)]).toEqual([language, late]);
      }
    }
  });

  test('goes on after the invoice has ended: a refund is told, too', async () => {
    const it = await served();
    const { id, url } = await it.invoice();
    it.application.setInvoice(id, { status: 'success' });
    const reader = await it.look(url);
    const paid = await reader.next();
    it.application.setInvoice(id, { status: 'refunded' });
    expect((await reader.next())?.data).not.toBe(paid!.data);
  });

  test('asks nothing while nobody looks', async () => {
    const it = await served();
    const { url } = await it.invoice();
    const reader = await it.look(url);
    await reader.next();
    await until('the page is watched', PATIENCE_MS, () => it.asked.length > 3);
    reader.leave();
    let before = -1;
    await until('nothing is asked any more', PATIENCE_MS, async () => {
      before = it.asked.length;
      await Bun.sleep(200);
      return it.asked.length === before;
    });
  });

  test('lives through a database that is away, and tells then what happened', async () => {
    const it = await served();
    const { id, url } = await it.invoice();
    const reader = await it.look(url);
    await reader.next();
    for (const fault of [new StorageUnavailable('gone'), new Error('a bug')]) {
      it.fail(fault);
      const asked = it.asked.length;
      await until('it was asked in vain', PATIENCE_MS, () => it.asked.length > asked + 2);
      it.application.setInvoice(id, {});
      it.fail(null);
      expect(await reader.next()).toEqual({ event: 'state', data: (await it.status(url)).state });
    }
    const logged = it.logs.filter(({ level }) => level === 'error').map(({ fields }) => fields.error);
    expect(logged).toEqual(['Error: a bug']);
  });

  test('beats while nothing changes, and ends after hours, for the browser to come again', async () => {
    const it = await served();
    const { url } = await it.invoice();
    const reader = await it.look(url);
    await reader.next();
    it.clock.advance(BEAT);
    expect(await reader.block()).toBe(':');
    it.clock.advance(4 * 3_600_000);
    expect(await reader.next()).toBeNull();
  });
});

describe('who gets no stream', () => {
  test('an unknown id, and whoever asks for the head only', async () => {
    const it = await served({ perInstance: 1 });
    const { url } = await it.invoice();
    for (const path of ['events', 'status']) expect((await fetch(`${it.unknown}/${path}`)).status).toBe(404);
    expect((await fetch(`${it.unknown}/events`, { method: 'HEAD' })).status).toBe(404);
    const head = await fetch(`${url}/events`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await it.look(url)).response.status).toBe(200);
  });

  test('too many of one network, until one of them leaves; another network is served', async () => {
    const it = await served({ perNetwork: 2 });
    const { url } = await it.invoice();
    const first = await it.look(url, '2001:db8::1');
    expect((await it.look(url, '2001:db8::2')).response.status).toBe(200);
    const refused = await it.look(url, '2001:db8::3');
    expect(refused.response.status).toBe(429);
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await it.look(url, '2001:db8:0:1::1')).response.status).toBe(200);
    expect((await fetch(`${url}/status`, { headers: { 'x-forwarded-for': '2001:db8::3' } })).status).toBe(
      200,
    );
    first.leave();
    await until('its place is free', PATIENCE_MS, async () => {
      return (await it.look(url, '2001:db8::4')).response.status === 200;
    });
  });

  test('more than an instance bears: 503, and the places of those who were refused are free', async () => {
    const it = await served({ perInstance: 2 });
    const { url } = await it.invoice();
    expect((await it.look(it.unknown)).response.status).toBe(404);
    it.fail(new StorageUnavailable('gone'));
    expect((await it.look(url)).response.status).toBe(503);
    it.fail(null);
    const readers = [await it.look(url, '203.0.113.1'), await it.look(url, '203.0.113.2')];
    expect(readers.map(({ response }) => response.status)).toEqual([200, 200]);
    const refused = await it.look(url, '203.0.113.3');
    expect(refused.response.status).toBe(503);
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('who comes when the service stops; those who looked see their stream end', async () => {
    const it = await served();
    const { url } = await it.invoice();
    const reader = await it.look(url);
    await reader.next();
    const stopped = it.server.stop();
    expect(await reader.next()).toBeNull();
    await stopped;
    const late = await it.server.handle(new Request(`${url.replace(/:\d+/, '')}/events`));
    expect(await late.text()).toStartWith('retry: 3000');
  });
});
