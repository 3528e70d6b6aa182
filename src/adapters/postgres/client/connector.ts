/**
 * Opens connections to the first server of an address that answers and fits: after a failover the
 * next connection finds the new primary.
 */
import { type Connection, connect } from './connection.ts';
import type { DatabaseAddress, DatabasePlace, Target } from './database-url.ts';
import { DatabaseUnavailable } from './pg-errors.ts';

/**
 * `usual`: which of several servers, unless the address says. Begins with the server of the last
 * success, since one that is away costs a connect time-out. `random`: from 0 to 1.
 */
export function connector(
  address: DatabaseAddress,
  timeoutMs: number,
  usual: Exclude<Target, 'any'>,
  random: () => number,
): (onLost: () => void) => Promise<Connection> {
  const { places } = address;
  const target = address.target ?? (places.length > 1 ? usual : 'any');
  /** Those where no pooler is in between that the URL does not name. */
  const direct = new Set<DatabasePlace>();
  let first = 0;

  async function fitting(place: DatabasePlace, onLost: () => void): Promise<Connection> {
    let isTaken = false;
    let isLost = false;
    const mark = direct.has(place) ? null : String(random());
    const connection = await connect(
      { ...address, ...place },
      {
        ...{ timeoutMs, target, mark },
        onLost() {
          isLost = true;
          if (isTaken) onLost();
        },
      },
    );
    if (isLost) {
      connection.close();
      throw new DatabaseUnavailable('connection lost while it was opened');
    }
    direct.add(place);
    isTaken = true;
    return connection;
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
