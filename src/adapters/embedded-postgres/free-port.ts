/** Where a server of this machine may listen that is started as a process of its own. */
import { randomInt } from 'node:crypto';

/**
 * Below the systems' range of ports for outgoing connections and for listeners that name none, so
 * that none of them takes the port before the server does, or while the server restarts.
 */
const PORTS = { from: 20_000, to: 32_000 };

/** A port of 127.0.0.1 that nothing listens on at present. Nobody holds it meanwhile. */
export function freePort(): number {
  for (let tries = 0; tries < 50; tries++) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (isFree(port)) return port;
  }
  throw new Error('No free port on 127.0.0.1');
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
