/** The system's resolver, beside names whose servers never answer. */
import { expect, test } from 'bun:test';

/** Bun has sixteen threads for `node:dns`: more names than that must not hold up the next one. */
const SILENT_NAMES = 64;

/** In a process of its own: which servers are asked is a setting of the whole process. */
const SCRIPT = `
  import { createSocket } from 'node:dgram';
  import { setServers } from 'node:dns';
  const { systemResolve } = await import(process.env.MODULE);
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    const name = query.subarray(13, 13 + query[12]).toString();
    if (name !== 'quick') return;
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const isA = question.readUInt16BE(question.length - 4) === 1;
    const head = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
    const answer = isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 93, 184, 215, 14]) : Buffer.alloc(0);
    server.send(Buffer.concat([head, question, answer]), from.port, from.address);
  });
  await new Promise((resolve) => server.bind(0, '127.0.0.1', resolve));
  setServers(['127.0.0.1:' + server.address().port]);
  let silent = 0;
  for (let index = 0; index < ${SILENT_NAMES}; index += 1)
    systemResolve('silent' + index + '.example').catch(() => {}).finally(() => (silent += 1));
  const addresses = await systemResolve('quick.example');
  console.log(JSON.stringify({ addresses, silentOnesEnded: silent }));
  process.exit(0);`;

test('W1: names whose servers stay silent do not keep another name from being resolved', async () => {
  const module = new URL('../../../src/adapters/webhooks/checked-addresses.ts', import.meta.url).href;
  const child = Bun.spawn([process.execPath, '-e', SCRIPT], {
    stdout: 'pipe',
    env: { ...process.env, MODULE: module },
  });
  const told: unknown = JSON.parse(await new Response(child.stdout).text());
  expect(told).toEqual({ addresses: ['93.184.215.14'], silentOnesEnded: 0 });
});
