/**
 * The HTTP load generator, in a process of its own: N keep-alive connections, each sending its next
 * request when the answer to the last one is complete. Reads its orders as JSON from standard input
 * and prints the result as JSON.
 */

import type { LoadOrder, LoadResult } from '../harness/http-load.ts';
import { latency } from '../harness/statistics.ts';

const order = (await Bun.stdin.json()) as LoadOrder;
/** Where the fresh value of a header is written into the request's bytes. */
const FRESH = Buffer.from('00000000-0000-4000-8000-000000000000');
const requests = order.requests.map(({ method, path, headers, body = '', fresh }) => {
  const own = fresh === undefined ? {} : { [fresh]: FRESH.toString() };
  const lines = Object.entries({ host: `127.0.0.1:${order.port}`, ...headers, ...own }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const length =
    body === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  const bytes = Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, ...length, '', body].join('\r\n'));
  return { bytes, freshAt: fresh === undefined ? -1 : bytes.indexOf(FRESH) };
});
const HEAD_END = Buffer.from('\r\n\r\n');
const times: number[] = [];
const started = performance.now();
const end = started + order.seconds * 1000;
let next = 0;

async function connection(): Promise<void> {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  let received: Buffer = Buffer.alloc(0);
  let sentAt = 0;
  const send = (socket: Bun.Socket) => {
    const now = performance.now();
    if (now >= end) {
      resolve();
      socket.end();
      return;
    }
    const { bytes, freshAt } = requests[next++ % requests.length] as (typeof requests)[number];
    if (freshAt >= 0) bytes.write(crypto.randomUUID(), freshAt);
    sentAt = now;
    if (socket.write(bytes) !== bytes.length) reject(new Error('a request did not fit into the socket'));
  };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: order.port,
    socket: {
      open: send,
      data(open, chunk) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const headEnd = received.indexOf(HEAD_END);
        if (headEnd < 0) return;
        const head = received.toString('latin1', 0, headEnd);
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
        const total = headEnd + HEAD_END.length + length;
        if (received.length < total) return;
        if (!head.startsWith(`HTTP/1.1 ${order.status} `) || received.length !== total) {
          reject(new Error(`unexpected answer: ${received.toString('utf8', 0, 1_000)}`));
          open.end();
          return;
        }
        times.push(performance.now() - sentAt);
        received = Buffer.alloc(0);
        send(open);
      },
      close: () => reject(new Error('the server closed a connection')),
      error: (_, error) => reject(error),
    },
  });
  await over;
  socket.end();
}

await Promise.all(Array.from({ length: order.connections }, connection));
const seconds = (performance.now() - started) / 1000;
const result: LoadResult = { answers: times.length, rate: times.length / seconds, latency: latency(times) };
console.log(JSON.stringify(result));
process.exit(0);
