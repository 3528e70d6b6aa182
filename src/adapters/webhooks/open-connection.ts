/**
 * Opens the connection of one attempt to an address that was checked before. It does not resolve
 * the receiver's name, so a second, different DNS result has no effect. TLS is verified for the
 * receiver's own name.
 */
import { connect, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { type EgressProxy, openTunnel } from './egress-proxy.ts';
import { AttemptFailure, asAttemptFailure } from './failure.ts';
import { inHandshakeTurn } from './handshake-turns.ts';
import type { WebhookTarget } from './webhook-target.ts';
import { within } from './within.ts';

export interface ConnectionRoute {
  readonly target: WebhookTarget;
  /** IP literal that the address policy accepted. */
  readonly address: string;
  readonly proxy: EgressProxy | null;
  /** Source address to bind, or null for the system's choice. */
  readonly localAddress: string | null;
  /** Certificate authorities to trust instead of the system's. */
  readonly ca: string | string[] | undefined;
}

/**
 * A connected socket, with TLS verified. Rejects with AttemptFailure, and then leaves no socket
 * open.
 */
export async function openConnection(
  route: ConnectionRoute,
  limits: { connectMs: number; attempt: AbortSignal },
): Promise<Socket> {
  const socket = connect({
    host: route.proxy?.host ?? route.address,
    port: route.proxy?.port ?? route.target.port,
    noDelay: true,
    ...(route.localAddress === null ? {} : { localAddress: route.localAddress }),
  });
  // An error after the attempt's end has no recipient.
  socket.on('error', () => {});
  const late = `no connection within ${limits.connectMs / 1000} s`;
  const beganAt = performance.now();
  const limited = <T>(work: Promise<T>, ms: number) => within(work, { ms, late, attempt: limits.attempt });
  try {
    await limited(reach(socket, route), limits.connectMs);
    if (!route.target.secure) return socket;
    const left = limits.connectMs - (performance.now() - beganAt);
    // The wait for its turn does not count against the receiver.
    return await inHandshakeTurn(() => limited(secured(socket, route), left));
  } catch (error) {
    socket.destroy();
    throw asAttemptFailure(error);
  }
}

/** Connects to the receiver, through the proxy if there is one. */
async function reach(socket: Socket, { target, address, proxy }: ConnectionRoute): Promise<void> {
  try {
    await happens(socket, 'connect');
  } catch (error) {
    throw proxy === null ? error : new AttemptFailure('the egress proxy cannot be reached', true);
  }
  if (proxy !== null) await openTunnel(socket, proxy, { address, port: target.port });
}

async function secured(socket: Socket, { target, address, ca }: ConnectionRoute): Promise<TLSSocket> {
  if (socket.destroyed) throw closed();
  const tls = connectTls({
    socket,
    host: address,
    // Server name indication carries only names (RFC 6066); a literal is checked against the
    // certificate's addresses.
    servername: target.isLiteral ? '' : target.host,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
  });
  tls.on('error', () => {});
  await happens(tls, 'secureConnect');
  const mismatch = checkServerIdentity(target.host, tls.getPeerCertificate());
  if (mismatch !== undefined) throw mismatch;
  return tls;
}

function happens(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(closed());
  socket.once(event, resolve);
  socket.once('error', reject);
  socket.once('close', onClose);
  return promise.finally(() => {
    socket.off(event, resolve);
    socket.off('error', reject);
    socket.off('close', onClose);
  });
}

function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}
