/**
 * Opens connections to the first server of an address that answers and fits: after a failover the
 * next connection finds the new primary.
 */
import { sql } from 'drizzle-orm';
import { statement } from '../statement.ts';
import { type Connection, connect } from './connection.ts';
import type { DatabaseAddress, DatabasePlace, Target } from './database-url.ts';
import { DatabaseUnavailable } from './pg-errors.ts';

const STANDING = statement({
  selects: {
    'read-write': sql<boolean>`not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'`,
    standby: sql<boolean>`pg_is_in_recovery()`,
  },
  text: (_given, select) => sql`select ${select}`,
});

/**
 * `usual`: which of several servers, unless the address says. Begins with the server of the last
 * success, since one that is away costs a connect time-out.
 */
export function connector(
  address: DatabaseAddress,
  timeoutMs: number,
  usual: Exclude<Target, 'any'>,
): (onLost: () => void) => Promise<Connection> {
  const { places } = address;
  const target = address.target ?? (places.length > 1 ? usual : 'any');
  let first = 0;

  async function fitting(place: DatabasePlace, onLost: () => void): Promise<Connection> {
    let isTaken = false;
    let isLost = false;
    const connection = await connect({ ...address, ...place }, timeoutMs, () => {
      isLost = true;
      if (isTaken) onLost();
    });
    const fits = target === 'any' || (await isOf(target, connection));
    if (fits && !isLost) {
      isTaken = true;
      return connection;
    }
    connection.close();
    throw new DatabaseUnavailable(
      isLost ? 'connection lost while it was opened' : `cannot connect: the server is not ${target}`,
    );
  }

  return async (onLost) => {
    const from = first;
    for (let tried = 1; ; tried++) {
      const at = (from + tried - 1) % places.length;
      const place = places[at];
      if (place === undefined) throw new Error('a database address without a place');
      try {
        const connection = await fitting(place, onLost);
        first = at;
        return connection;
      } catch (error) {
        first = (at + 1) % places.length;
        if (tried === places.length) throw error;
      }
    }
  };
}

async function isOf(target: Exclude<Target, 'any'>, connection: Connection): Promise<boolean> {
  const [row] = await STANDING(connection).catch((error: unknown) => {
    connection.close();
    throw error;
  });
  return row?.[target] === true;
}
