/** Both ends of the signer's socket against callers and servers that do not behave. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type SignerServer, signerServer } from '../../../src/adapters/signer/signer-server.ts';
import { LINE_BYTES_MAX, orderLine } from '../../../src/adapters/signer/signer-wire.ts';
import { socketSigner } from '../../../src/adapters/signer/socket-signer.ts';
import {
  DERIVED_AT_ONCE,
  type Signer,
  SignerUnavailable,
  type SigningOrder,
  SigningRefused,
} from '../../../src/ports/sending/signer.ts';
import { until, within } from '../../support/runtime/poll.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import { paymentOf, signingOrder } from '../../support/utxo/lone-orders.ts';

const ORDER = signingOrder({
  transferId: 'a'.repeat(24),
  chain: 'ethereum',
  key: { role: 'deposit', index: 7 },
  wallet: '0x01',
  nonce: 2n ** 63n,
  purpose: 'sweep',
  referenceId: 'b'.repeat(24),
  asset: 'eth_ethereum',
  to: '0x02',
  toKey: { role: 'hot' },
  units: 2n ** 200n,
  voids: false,
  payload: '0x02',
});

let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let path: string;
let closing: (() => unknown)[];
beforeEach(async () => {
  folder = await temporaryDirectory();
  path = join(folder.path, 'signer.sock');
  closing = [];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await folder.remove();
});

type Sign = Signer['sign'];
const echo: Sign = async (order) => ({
  raw: JSON.stringify(order.payload),
  txid: paymentOf(order).transferId,
});

/** Names that no family has. */
const derived: Signer['addresses'] = async ({ family, from, count }) => {
  if (family !== 'solana') throw new SigningRefused(`no keys of ${family}`);
  return Array.from({ length: count }, (_, offset) => `address ${from + offset}`);
};

async function serve(sign: Sign, limits: { idleMs?: number; orderMs?: number } = {}): Promise<SignerServer> {
  const signer = { sign, addresses: derived, coldAddress: async () => null, close: async () => {} };
  const server = signerServer({ path, signer, logger: silentLogger, ...limits });
  await server.listen();
  closing.push(() => server.close());
  return server;
}

/** Everything the server says to these bytes until it ends the connection. */
function said(bytes: string): Promise<string> {
  const socket = connect({ path });
  return within(
    'the connection',
    10_000,
    new Promise((resolve) => {
      let heard = '';
      socket.on('data', (piece: Buffer) => {
        heard += piece.toString();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', () => undefined);
      socket.write(bytes);
    }),
  );
}

function connected(): Promise<Socket> {
  const socket = connect({ path });
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

/** A server of the test's own making in the signer's place. */
async function pretend(behave: (socket: Socket) => void): Promise<void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

describe('the server', () => {
  test('hands on the order as it was given, and the answer', async () => {
    const orders: SigningOrder[] = [];
    await serve(async (order) => {
      orders.push(order);
      return echo(order);
    });
    expect(await socketSigner({ path }).sign(ORDER)).toEqual(await echo(ORDER));
    expect(orders).toEqual([ORDER]);
  });

  test('derives addresses ahead, and refuses families without keys and too many at once', async () => {
    await serve(echo);
    const client = socketSigner({ path });
    const wanted = { family: 'solana', from: 40, count: 3 };
    expect(await client.addresses(wanted)).toEqual(['address 40', 'address 41', 'address 42']);
    await expect(client.addresses({ ...wanted, family: 'evm' })).rejects.toThrow('no keys of evm');
    for (const bad of [{ count: DERIVED_AT_ONCE + 1 }, { count: -1 }, { from: -1 }, { from: 0.5 }])
      await expect(client.addresses({ ...wanted, ...bad })).rejects.toBeInstanceOf(SigningRefused);
  });

  test('hands on refusals and failures, but not the text of a bug', async () => {
    const errors = [
      new SigningRefused('never', { lasting: true }),
      new SigningRefused('not now', { lasting: false }),
      new SignerUnavailable('no disk'),
      new Error('secret'),
    ];
    await serve(() => Promise.reject(errors.shift()));
    const client = socketSigner({ path });
    await expect(client.sign(ORDER)).rejects.toMatchObject({ name: 'SigningRefused', lasting: true });
    await expect(client.sign(ORDER)).rejects.toMatchObject({ name: 'SigningRefused', lasting: false });
    await expect(client.sign(ORDER)).rejects.toThrow(new SignerUnavailable('no disk'));
    const bug: unknown = await client.sign(ORDER).catch((error: unknown) => error);
    expect(bug).toBeInstanceOf(SignerUnavailable);
    expect(String(bug)).not.toContain('secret');
  });

  test('answers many connections at the same time, and several orders on one', async () => {
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    await serve(async (order) => {
      waiting += 1;
      if (waiting === 20) gate.resolve();
      await gate.promise;
      return echo(order);
    });
    const client = socketSigner({ path });
    await Promise.all(Array.from({ length: 20 }, () => client.sign(ORDER)));
    const socket = connect({ path });
    socket.write(orderLine(ORDER).repeat(3));
    let heard = '';
    for await (const piece of socket) {
      heard += String(piece);
      if (heard.split('\n').length > 3) break;
    }
    expect(heard.match(/"kind":"signed"/g)).toHaveLength(3);
  });

  test.each([
    ['no JSON', 'hello\n'],
    ['no order', '{}\n'],
    ['a number for an integer', orderLine(ORDER).replace(/"units":"\d+"/, '"units":5')],
    ['a negative amount', orderLine(ORDER).replace(/"units":"/, '"units":"-')],
    ['a field too many', orderLine(ORDER).replace('{', '{"admin":true,')],
    ['an index that there cannot be', orderLine(ORDER).replace('"index":7', '"index":7.5')],
  ])('refuses %s', async (_, line) => {
    await serve(echo, { idleMs: 200 });
    expect(JSON.parse(await said(line))).toMatchObject({ kind: 'refused', lasting: true });
  });

  test('is not used up by connections that say nothing', async () => {
    await serve(echo, { idleMs: 50 });
    for (let round = 0; round < 2; round += 1)
      await Promise.all(Array.from({ length: 100 }, () => said('{"half": ')));
    expect(await socketSigner({ path }).sign(ORDER)).toEqual(await echo(ORDER));
  });

  test('ends a line that is too long at once, however long others may be silent', async () => {
    await serve(echo, { idleMs: 60_000 });
    expect(await said('x'.repeat(LINE_BYTES_MAX + 1))).toBe('');
    expect(await said('x'.repeat(20 * LINE_BYTES_MAX))).toBe('');
    expect(await socketSigner({ path }).sign(ORDER)).toEqual(await echo(ORDER));
  });

  test('takes so many connections and no more, until one of them ends', async () => {
    await serve(echo, { idleMs: 60_000 });
    const silent = await Promise.all(Array.from({ length: 64 }, connected));
    await expect(socketSigner({ path }).sign(ORDER)).rejects.toBeInstanceOf(SignerUnavailable);
    for (const socket of silent.slice(0, 8)) socket.destroy();
    const signed = () => socketSigner({ path }).sign(ORDER);
    await until('there is room again', 5_000, () => signed().then(Boolean, () => false));
    for (const socket of silent) socket.destroy();
  });

  test('closes although somebody is connected who says nothing', async () => {
    const server = await serve(echo, { idleMs: 60_000 });
    const silent = await connected();
    await within('the server', 5_000, server.close());
    closing = [];
    silent.destroy();
  });

  test('gives an order up that takes too long', async () => {
    await serve(() => new Promise(() => undefined), { orderMs: 50 });
    await expect(socketSigner({ path }).sign(ORDER)).rejects.toThrow('too long');
  });

  test('ends orders in hand before it closes, and takes no more', async () => {
    const [started, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await serve(async (order) => {
      started.resolve();
      await go.promise;
      return echo(order);
    });
    const client = socketSigner({ path });
    const asked = client.sign(ORDER);
    await started.promise;
    const closed = server.close();
    go.resolve();
    expect(await asked).toEqual(await echo(ORDER));
    await within('the server', 5_000, closed);
    closing = [];
    await expect(client.sign(ORDER)).rejects.toBeInstanceOf(SignerUnavailable);
  });

  test('leaves a socket that answers, and a file that is none, alone', async () => {
    await serve(echo);
    await expect(serve(echo)).rejects.toThrow('another signer answers');
    expect(await socketSigner({ path }).sign(ORDER)).toEqual(await echo(ORDER));
    path = join(folder.path, 'notes.txt');
    await writeFile(path, 'mine');
    await expect(serve(echo)).rejects.toThrow('no socket');
    expect(await Bun.file(path).text()).toBe('mine');
    path = join(folder.path, 'nowhere', 'signer.sock');
    await expect(serve(echo)).rejects.toThrow();
  });

  test('of several that start at once, one takes the place of a dead one', async () => {
    const dead = Bun.spawn([
      process.execPath,
      '-e',
      `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    await dead.exited;
    const ends = await Promise.allSettled([serve(echo), serve(echo), serve(echo)]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await socketSigner({ path }).sign(ORDER)).toEqual(await echo(ORDER));
  });
});

describe('the client says that the signer is unavailable when', () => {
  const unavailable = async (timeoutMs = 5_000): Promise<void> =>
    expect(socketSigner({ path, timeoutMs }).sign(ORDER)).rejects.toBeInstanceOf(SignerUnavailable);

  test('there is no socket', () => unavailable());

  test('nobody answers in time', async () => {
    await pretend(() => undefined);
    await unavailable(50);
  });

  test('the connection ends without an answer', async () => {
    await pretend((socket) => socket.once('data', () => socket.end('{"kind":"signed"')));
    await unavailable();
  });

  test('the answer is none', async () => {
    await pretend((socket) => socket.once('data', () => socket.end('{"kind":"signed","raw":5}\n')));
    await unavailable();
  });

  test('the answer does not end', async () => {
    await pretend((socket) => socket.once('data', () => socket.write('x'.repeat(2 * LINE_BYTES_MAX))));
    await unavailable();
  });

  test('it is closed meanwhile', async () => {
    const asked = Promise.withResolvers<void>();
    await pretend((socket) => socket.once('data', () => asked.resolve()));
    const client = socketSigner({ path });
    const ended = client.sign(ORDER).catch((error: unknown) => error);
    await asked.promise;
    await client.close();
    expect(await ended).toBeInstanceOf(SignerUnavailable);
  });
});
