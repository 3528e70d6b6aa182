/** A port of the loopback address that nothing listens on at present. Nobody holds it meanwhile. */
export function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  server.stop(true);
  return server.port;
}
