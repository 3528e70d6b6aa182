/**
 * Streams of heads as nodes have them, and as they fail: each fault costs nothing but polling
 * (safety.md R11).
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { evmHeadWords } from '../../../../../src/adapters/chains/evm/head-words.ts';
import { headStreams } from '../../../../../src/adapters/chains/shared/nodes/head-streams.ts';
import { solanaHeadWords } from '../../../../../src/adapters/chains/solana/head-words.ts';
import { xrpHeadWords } from '../../../../../src/adapters/chains/xrp/head-words.ts';
import { startHeadServer } from '../../../../support/chains/head-server.ts';
import { type LogLine, memoryLogger } from '../../../../support/runtime/memory-logger.ts';
import { virtualTime } from '../../../../support/runtime/virtual-time.ts';

const QUIET_MS = 36_000;
const NODE = 'node 2 (eth.example)';
const KEY = 'abcdef0123456789';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

const head = (height: number): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'eth_subscription',
    params: { subscription: '0x9c', result: { number: `0x${height.toString(16)}` } },
  });

/** A stream in virtual time; the connection to the server is a real one. */
function stage() {
  const server = startHeadServer();
  ended.push(() => server.stop());
  return { server, ...listening(server.url) };
}

function listening(url: string) {
  const world = virtualTime();
  const lines: LogLine[] = [];
  const told: (number | null)[] = [];
  const stopping = new AbortController();
  const heads = headStreams({
    ...{
      chain: 'ethereum',
      words: evmHeadWords,
      quietMs: QUIET_MS,
      logger: memoryLogger(lines),
      random: () => 0,
    },
    nodes: [
      { url: 'https://own.example' },
      { url: 'https://eth.example/v2', stream: `${url}/v2/${KEY}`, apiKey: 'secret-of-the-plan' },
    ],
    time: {
      now: world.elapsedMs,
      wall: () => world.now().getTime(),
      after: (ms, work) => void world.timers.after(ms, work),
    },
  });
  if (heads === null) throw new Error('there is a stream');
  ended.push(() => stopping.abort());
  heads.listen((height) => told.push(height), stopping.signal);
  const problems = () => lines.map(({ event, fields }) => [event, fields.problem]);
  return { world, heads, told, lines, problems, stopping };
}

/** As `until`, which looks less often. */
async function soon(what: string, holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 5_000; !holds(); await Bun.sleep(1))
    if (performance.now() > end) throw new Error(`still waiting until ${what}`);
}

describe('a stream of heads', () => {
  test('is asked for with the credentials of the node, and tells each head', async () => {
    const { server, heads, told, lines } = stage();
    await soon('it is asked', () => server.asked.length === 1);
    expect([heads.isAlive(), heads.isAliveAt(NODE)]).toEqual([false, false]);
    expect(JSON.parse(server.asked[0]?.message ?? '')).toMatchObject({ params: ['newHeads'] });
    expect(server.asked[0]?.headers.get('x-api-key')).toBe('secret-of-the-plan');
    server.say('{"jsonrpc":"2.0","id":1,"result":"0x9cef"}');
    server.say(head(100));
    server.say(head(101));
    await soon('heads are told', () => told.length === 2);
    expect(told).toEqual([100, 101]);
    expect([heads.isAlive(), heads.isAliveAt(NODE), heads.isAliveAt('node 1 (own.example)')]).toEqual([
      true,
      true,
      null,
    ]);
    expect(lines).toEqual([]);
  });

  test('R11: one that falls silent is dead after some blocks, which is one reason to look, and is opened again', async () => {
    const { world, server, heads, told, problems } = stage();
    await soon('it is asked', () => server.asked.length === 1);
    for (const height of [100, 101]) {
      server.say(head(height));
      await soon('a head is told', () => told.at(-1) === height);
      await world.pass(QUIET_MS - 1);
      expect(heads.isAlive()).toBe(true);
    }
    await world.pass(1);
    expect([heads.isAlive(), told]).toEqual([false, [100, 101, null]]);
    expect(problems()).toEqual([['node.stream_lost', 'tells no head']]);
    await world.pass(10_000);
    await soon('it is asked again', () => server.asked.length === 2);
    server.say(head(103));
    await soon('a head is told', () => told.at(-1) === 103);
    expect(problems().map(([event]) => event)).toEqual(['node.stream_lost', 'node.stream_recovered']);
  });

  test('R11: one that can never be opened, as its URL ends in a fragment, stops nothing and shows no key', async () => {
    const { world, heads, problems, lines } = listening(`ws://127.0.0.1:9/#${KEY}`);
    await world.pass(600_000);
    expect(heads.isAlive()).toBe(false);
    expect(problems()).toEqual([['node.stream_lost', 'its URL or its headers cannot be used']]);
    expect(JSON.stringify(lines)).not.toContain(KEY);
  });

  test('R11: one that never tells a head is no reason to look, and one line', async () => {
    const { world, server, heads, told, problems } = stage();
    for (let times = 1; times <= 3; times += 1) {
      await soon('it is asked', () => server.asked.length === times);
      await world.pass(QUIET_MS + 10_000);
    }
    expect([heads.isAlive(), told]).toEqual([false, []]);
    expect(problems()).toEqual([['node.stream_lost', 'tells no head']]);
  });

  test('R11: one that hangs up at once is opened ever more seldom, and not for ever less', async () => {
    const { world, server, lines } = stage();
    server.hangUpAtOnce();
    const begunIn = async (ms: number) => {
      const [before, end] = [server.begun(), world.elapsedMs() + ms];
      while (world.elapsedMs() < end) {
        const begun = server.begun();
        await world.pass(10_000);
        if (server.begun() > begun || server.open() > 0) await Bun.sleep(2);
      }
      return server.begun() - before;
    };
    expect(await begunIn(1_800_000)).toBeLessThan(25);
    // A pause of five minutes, less the half that chance takes.
    const later = await begunIn(1_800_000);
    expect(later).toBeGreaterThan(8);
    expect(later).toBeLessThan(14);
    expect(lines.map(({ event }) => event)).toEqual(['node.stream_lost']);
  });

  for (const [what, message] of [
    ['no JSON', 'hello'],
    ['JSON of another kind', '[1]'],
    ['bytes', new Uint8Array([1, 2, 3])],
    ['a head without a number', '{"method":"eth_subscription","params":{"result":{}}}'],
    ['a refusal', '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no subscriptions"}}'],
    ['an endless message', JSON.stringify({ method: 'x'.repeat(100_000) })],
  ] as const)
    test(`R11: one that tells ${what} is given up for a while`, async () => {
      const { server, heads, told, problems } = stage();
      await soon('it is asked', () => server.asked.length === 1);
      server.say(message);
      await soon('it is given up', () => server.open() === 0);
      expect([heads.isAlive(), told]).toEqual([false, []]);
      expect(problems().map(([event]) => event)).toEqual(['node.stream_lost']);
    });

  test('R11: one that floods is given up after the messages of a second', async () => {
    const { server, told, problems } = stage();
    await soon('it is asked', () => server.asked.length === 1);
    for (let height = 1; height <= 1_000; height += 1) server.say(head(height));
    await soon('it is given up', () => server.open() === 0);
    expect(told.length).toBe(101);
    expect(problems()).toEqual([['node.stream_lost', 'tells too much']]);
  });

  test('R11: one that never opens is given up, and no line shows its URL', async () => {
    const hanging = createServer(() => {});
    await new Promise<void>((ready) => hanging.listen(0, '127.0.0.1', ready));
    ended.push(() => hanging.close());
    const { port } = hanging.address() as { port: number };
    const { world, lines, problems } = listening(`ws://127.0.0.1:${port}`);
    await world.pass(10_000);
    expect(problems()).toEqual([['node.stream_lost', 'connecting timed out']]);
    expect(JSON.stringify(lines)).not.toContain(KEY);
  });

  test('R11: one that nobody listens for is tried again', async () => {
    const { world, problems } = listening('ws://127.0.0.1:1');
    await soon('it failed', () => problems().length === 1);
    await world.pass(10_000);
    expect(problems()).toEqual([['node.stream_lost', 'the connection failed']]);
  });

  test('is closed at once when the process stops, and tells nothing more', async () => {
    const { world, server, told, lines, stopping } = stage();
    await soon('it is asked', () => server.asked.length === 1);
    stopping.abort();
    await soon('it is closed', () => server.open() === 0);
    await world.pass(3_600_000);
    expect([server.begun(), told, lines]).toEqual([1, [], []]);

    const resting = stage();
    resting.server.hangUpAtOnce();
    await soon('it rests', () => resting.lines.length === 1);
    resting.stopping.abort();
    await resting.world.pass(3_600_000);
    await Bun.sleep(5);
    expect(resting.server.begun()).toBe(1);
  });

  test('is not there where no node has one', () => {
    const logger = memoryLogger([]);
    const nodes = [{ url: 'https://eth.example' }];
    expect(headStreams({ chain: 'bsc', nodes, words: evmHeadWords, quietMs: 1, logger })).toBeNull();
  });
});

describe('a head is told', () => {
  test('on EVM chains by eth_subscription, with its number', () => {
    const said = {
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: {
        subscription: '0x9ce59a13059e417087c02d3236a0b1cc',
        result: { difficulty: '0x0', gasLimit: '0x1c9c380', number: '0x1348c9', timestamp: '0x64b5f9a3' },
      },
    };
    expect(evmHeadWords.headIn(said)).toEqual({ height: 1_263_817 });
    expect(evmHeadWords.headIn({ jsonrpc: '2.0', id: 1, result: '0x9ce59a' })).toBeNull();
  });

  test('on Solana by slotNotification, whose slot is no height', () => {
    const said = {
      jsonrpc: '2.0',
      method: 'slotNotification',
      params: { result: { parent: 75, root: 44, slot: 76 }, subscription: 0 },
    };
    expect(solanaHeadWords.headIn(said)).toEqual({ height: null });
    expect(solanaHeadWords.headIn({ jsonrpc: '2.0', result: 0, id: 1 })).toBeNull();
  });

  test('on the XRP Ledger by ledgerClosed, with its index', () => {
    const said = {
      type: 'ledgerClosed',
      ...{ fee_base: 10, ledger_index: 26_413_158, ledger_time: 501_987_130, txn_count: 13 },
      ...{ ledger_hash: '687F604EF6B2F67319E8DCC8C66EF49D84D18A1E18F948421FC24D2C7C3DB464' },
    };
    expect(xrpHeadWords.headIn(said)).toEqual({ height: 26_413_158 });
    expect(xrpHeadWords.headIn({ id: 1, status: 'success', type: 'response', result: {} })).toBeNull();
  });
});
