import { afterEach, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { handshakeTurn } from '../../../src/adapters/webhooks/handshake-turns.ts';
import { pinnedWebhookTransport } from '../../../src/adapters/webhooks/pinned-transport.ts';
import { testAuthority } from '../../support/tcp-server.ts';
import { HELLO } from '../../support/webhook-posts.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/**
 * An https receiver that keeps no connection, so that each post has a handshake, with an event loop of its own: in this
 * process its handshakes would queue behind the transport's.
 */
async function startReceiverProcess(): Promise<number> {
  const certificates = new URL('../../support/certificates/', import.meta.url).pathname;
  const script = `
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: {
        cert: Bun.file(${JSON.stringify(`${certificates}merchant.pem`)}),
        key: Bun.file(${JSON.stringify(`${certificates}merchant.key.pem`)}),
      },
      fetch: async (request) => {
        await request.arrayBuffer();
        return new Response('ok', { headers: { Connection: 'close' } });
      },
    });
    console.log(server.port);`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  cleanups.push(async () => {
    child.kill();
    await child.exited;
  });
  const { value } = await child.stdout.getReader().read();
  return Number(new TextDecoder().decode(value));
}

test('at most two handshakes begin in a turn of the event loop, in the order of asking', async () => {
  const begun: number[] = [];
  for (let index = 0; index < 7; index++) void handshakeTurn().then(() => begun.push(index));
  const seen = [begun.length];
  while (begun.length < 7) {
    await setImmediate();
    seen.push(begun.length);
  }
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
  const perTurn = seen.slice(1).map((count, turn) => count - (seen[turn] ?? 0));
  expect(Math.max(...perTurn)).toBe(2);
});

test('one that asks when nobody waits any more gets its turn too', async () => {
  await handshakeTurn();
  await handshakeTurn();
});

test('under load no https post starves while younger ones are sent', async () => {
  const inFlight = 64;
  const port = await startReceiverProcess();
  const { post } = pinnedWebhookTransport({
    allowedHosts: ['127.0.0.1'],
    localAddress: null,
    proxy: null,
    ca: await testAuthority(),
    // The order counts here, not the time that a busy machine takes.
    timeouts: { connectMs: 60_000, totalMs: 60_000 },
  });
  let left = 1_500;
  let ended = 0;
  let endedDuringOne = 0;
  const send = async () => {
    while (left-- > 0) {
      const endedBefore = ended;
      const outcome = await post({ url: `https://127.0.0.1:${port}/`, body: HELLO, headers: {} });
      expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
      endedDuringOne = Math.max(endedDuringOne, ended - endedBefore);
      ended++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, send));
  // Measured: 90 to 150 when handshakes take turns, 1,000 and more when they do not.
  expect(endedDuringOne).toBeLessThan(6 * inFlight);
}, 60_000);
