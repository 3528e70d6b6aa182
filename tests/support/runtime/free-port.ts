/**
 * A port of the loopback address that nothing listens on at present. Nobody holds it meanwhile, so
 * it lies below the ports that the system gives to outgoing connections and to listeners without a
 * number of their own (from 32768 on): one of those could take it before the caller does.
 */
export function freePort(): number {
  for (let tries = 0; tries < 50; tries++) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST));
    if (isFree(port)) return port;
  }
  throw new Error('no free port of the loopback address was found');
}

const FIRST = 20_000;
const END = 32_768;

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
