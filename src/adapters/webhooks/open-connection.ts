/**
 * Opens the connection of one attempt to an address that was checked before: nothing here resolves the receiver's name, so
 * a second, different answer of its DNS is never seen. TLS is checked against the receiver's own name.
 */
import { connect, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { type EgressProxy, openTunnel } from './egress-proxy.ts';
import { asAttemptFailure } from './failure.ts';
import { handshakeTurn } from './handshake-turns.ts';
import type { WebhookTarget } from './webhook-target.ts';
import { within } from './within.ts';

export interface Route {
  readonly target: WebhookTarget;
  /** IP literal that the address policy accepted. */
  readonly address: string;
  readonly proxy: EgressProxy | null;
  /** Source address to bind, or null for the system's choice. */
  readonly localAddress: string | null;
  /** Certificate authorities to trust instead of the system's. */
  readonly ca: string | string[] | undefined;
}

/** A connected socket, TLS done and verified. Rejects with AttemptFailure and leaves no socket behind. */
export async function openConnection(
  route: Route,
  limits: { connectMs: number; attempt: AbortSignal },
): Promise<Socket> {
  const socket = connect({
    host: route.proxy?.host ?? route.address,
    port: route.proxy?.port ?? route.target.port,
    noDelay: true,
    ...(route.localAddress === null ? {} : { localAddress: route.localAddress }),
  });
  // An error after the attempt is over has nobody left to tell.
  socket.on('error', () => {});
  try {
    const late = `no connection within ${limits.connectMs / 1000} s`;
    return await within(prepare(socket, route), { ms: limits.connectMs, late, attempt: limits.attempt });
  } catch (error) {
    socket.destroy();
    throw asAttemptFailure(error);
  }
}

async function prepare(socket: Socket, route: Route): Promise<Socket> {
  await happens(socket, 'connect');
  const { target, address, proxy } = route;
  if (proxy !== null) await openTunnel(socket, proxy, { address, port: target.port });
  return target.secure ? secured(socket, route) : socket;
}

async function secured(socket: Socket, { target, address, ca }: Route): Promise<TLSSocket> {
  await handshakeTurn();
  if (socket.destroyed) throw closed();
  const tls = connectTls({
    socket,
    host: address,
    // Server name indication carries names only (RFC 6066); a literal is checked against the certificate's addresses.
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
