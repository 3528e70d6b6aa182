/** The receiver of the bench's webhooks: answers 200 to every POST and tells on GET how many came. Prints its port. */
let received = 0;

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method === 'GET') return new Response(String(received));
    await request.arrayBuffer();
    received++;
    return new Response('ok');
  },
});
console.log(server.port);
