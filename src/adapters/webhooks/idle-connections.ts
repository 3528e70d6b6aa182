/**
 * Connections that wait for their next webhook. Only an attempt for the same destination gets one,
 * and only if its new, checked DNS result still contains the address. All other properties (proxy,
 * source address, authorities) are the same for a whole transport, and none belongs to a merchant.
 */
import type { Connection } from './connection.ts';

export interface IdleConnections {
  /**
   * An open connection to one of the addresses just checked, the last used first; null if there is
   * none.
   */
  take(destination: string, addresses: readonly string[]): Connection | null;
  /** Keeps it for at most `idleMs`, or closes it if there is no room or it is too old. */
  put(destination: string, connection: Connection, idleMs: number): void;
  /** Closes all; later ones are closed immediately. */
  close(): void;
}

export interface IdleLimits {
  readonly perDestination: number;
  readonly inAll: number;
  /** A connection of this age is not kept, so that receivers can move their load. */
  readonly ageMs: number;
}

interface IdleConnection {
  readonly connection: Connection;
  readonly until: number;
}

const SWEEP_MS = 500;

export function idleConnections(
  limits: IdleLimits,
  nowMs: () => number = () => performance.now(),
): IdleConnections {
  const byDestination = new Map<string, IdleConnection[]>();
  let count = 0;
  let sweeping: ReturnType<typeof setTimeout> | null = null;
  let closed = false;

  /** Closes and removes all for which `ends` is true. */
  function drop(ends: (waiting: IdleConnection) => boolean): void {
    for (const [destination, all] of byDestination) {
      const stay = all.filter((waiting) => !ends(waiting));
      for (const waiting of all) if (!stay.includes(waiting)) waiting.connection.close();
      count -= all.length - stay.length;
      if (stay.length === 0) byDestination.delete(destination);
      else byDestination.set(destination, stay);
    }
  }

  function sweepLater(): void {
    if (count === 0 || sweeping !== null) return;
    sweeping = setTimeout(() => {
      sweeping = null;
      const now = nowMs();
      drop(({ connection, until }) => until <= now || !connection.isOpen());
      sweepLater();
    }, SWEEP_MS);
    sweeping.unref();
  }

  return {
    take(destination, addresses) {
      const all = byDestination.get(destination);
      if (all === undefined) return null;
      const now = nowMs();
      for (let index = all.length - 1; index >= 0; index -= 1) {
        const { connection, until } = all[index] as IdleConnection;
        const usable = connection.isOpen() && until > now;
        if (usable && !addresses.includes(connection.address)) continue;
        all.splice(index, 1);
        count -= 1;
        if (usable) return connection;
        connection.close();
      }
      if (all.length === 0) byDestination.delete(destination);
      return null;
    },

    put(destination, connection, idleMs) {
      const now = nowMs();
      const all = byDestination.get(destination) ?? [];
      const full = count >= limits.inAll || all.length >= limits.perDestination;
      const old = now - connection.openedAt >= limits.ageMs;
      if (closed || full || old || idleMs <= 0 || !connection.isOpen()) {
        connection.close();
        return;
      }
      all.push({ connection, until: now + idleMs });
      byDestination.set(destination, all);
      count += 1;
      sweepLater();
    },

    close() {
      closed = true;
      drop(() => true);
      if (sweeping !== null) clearTimeout(sweeping);
    },
  };
}
