/**
 * The receivers of the bench's webhooks, a port each: they answer 200 to every POST after a while,
 * but never to one for /hang, and tell on GET how many they answered. Prints the ports. Arguments:
 * the milliseconds of an answer, the number of ports.
 */
const [delayMs = 0, ports = 1] = process.argv.slice(2).map(Number);
let answered = 0;

const servers = Array.from({ length: ports }, () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === 'GET') return new Response(String(answered));
      await request.arrayBuffer();
      if (new URL(request.url).pathname === '/hang') await new Promise(() => undefined);
      if (delayMs > 0) await Bun.sleep(delayMs);
      answered++;
      return new Response('ok');
    },
  }),
);
console.log(servers.map(({ port }) => port).join(' '));
