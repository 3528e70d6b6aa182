/**
 * The database client of one simulated process: the real one, with connections of its own, each
 * statement and each end of a transaction a point. A point holds nothing, so transactions of
 * different processes are open at the same time, and meet in locks.
 */
import { type Database, DatabaseUnavailable } from '../../../../src/adapters/postgres/client/client.ts';
import {
  isSerializationFailure,
  StatementRefused,
} from '../../../../src/adapters/postgres/client/pg-errors.ts';
import type { Transaction } from '../../../../src/adapters/postgres/client/sql.ts';
import { never, type SimulatedProcess } from '../interleaving.ts';
import type { StorageParts } from '../storage.ts';
import type { Flights } from './flights.ts';
import { statementLabel } from './statement-label.ts';

/**
 * Its process died within the transaction, which is rolled back. A statement that waits for a lock
 * goes on waiting first: the server does not notice that its client is gone.
 */
class Died extends Error {}

/** The client waits longer than a run takes, so that no time of the machine decides anything. */
const TIMEOUT_MS = 1_200_000;

interface Parts extends StorageParts {
  readonly flights: Flights;
  readonly process: SimulatedProcess;
  readonly real: Database;
}

type Work<T> = (sql: Transaction) => Promise<T>;
/** The client gives each of its transactions what a `Transaction` has. */
type Begun = Database['transaction'];

export function simulatedDatabase(parts: Parts): Database {
  const { order, faults, process, real } = parts;
  return {
    async query(text, parameters) {
      const label = statementLabel(text);
      await order.point(process, label);
      if (faults.happens('database away', label)) throw new DatabaseUnavailable('simulated');
      const rows = await answered(parts, label, () => real.query(text, parameters)).catch(
        (error: unknown) => {
          parts.flights.doubt();
          throw error;
        },
      );
      if (faults.happens('death after a statement', label)) return die(parts);
      if (faults.happens('database answer lost', label)) throw new DatabaseUnavailable('simulated');
      return rows as never;
    },
    transaction: (work) => transact(parts, work, real.transaction),
    snapshot: (work) => transact(parts, work, real.snapshot as Begun),
    session: (work) => real.session(work),
    script: (text) => real.script(text),
    ping: async () => true,
    close: (graceMs) => real.close(graceMs),
  };
}

/** The answer, heard by whoever is alive then. */
async function answered<T>(
  { flights, process, faults }: Parts,
  what: string,
  ask: () => Promise<T>,
): Promise<T> {
  const flight = flights.depart(process, what);
  try {
    const answer = await ask();
    return process.isAlive ? answer : never();
  } catch (error) {
    if (!process.isAlive) return never();
    if (isSerializationFailure(error)) faults.met('deadlock');
    throw error;
  } finally {
    flight.land();
  }
}

/** `work` may run again: the real client repeats what lost against another transaction. */
async function transact<T>(parts: Parts, work: Work<T>, begun: Begun): Promise<T> {
  const { order, faults, flights, process } = parts;
  await order.point(process, 'begin');
  if (faults.happens('database away', 'begin')) throw new DatabaseUnavailable('simulated');
  const connection: Occupied = { by: Promise.resolve() };
  const died = process.died.then(async () => {
    await connection.by;
    throw new Died();
  });
  died.catch(() => undefined);
  let flight = flights.depart(process, 'begin');
  try {
    const result = await begun(
      async (sql) => {
        flight.land();
        try {
          return await Promise.race([toItsEnd(parts, work, occupying(sql, connection)), died]);
        } finally {
          flight = flights.depart(process, 'end of a transaction');
        }
      },
      { timeoutMs: TIMEOUT_MS },
    );
    flight.land();
    if (faults.happens('death after a commit', 'commit')) return die(parts);
    await order.point(process, 'committed');
    if (faults.happens('commit answer lost', 'commit')) throw new DatabaseUnavailable('simulated');
    return result;
  } catch (error) {
    if (!process.isAlive) return never();
    throw error;
  } finally {
    flight.land();
  }
}

/** What the connection of a transaction is asked, answered or not. */
interface Occupied {
  by: Promise<unknown>;
}

function occupying(sql: Transaction, connection: Occupied): Transaction {
  const noted = <T>(answer: Promise<T>): Promise<T> => {
    connection.by = answer.catch(() => undefined);
    return answer;
  };
  return {
    query: (text, parameters) => noted(sql.query(text, parameters)),
    script: (text) => noted(sql.script(text)),
  };
}

async function toItsEnd<T>(parts: Parts, work: Work<T>, sql: Transaction): Promise<T> {
  const { order, faults, process } = parts;
  const inTurn = turns();
  const result = await work({
    query: (text, parameters) =>
      inTurn(async () => {
        const label = statementLabel(text);
        await order.point(process, label);
        if (faults.happens('death in a transaction', label)) return die(parts);
        return answered(parts, label, () => sql.query(text, parameters) as never);
      }),
    script: (text) => inTurn(() => answered(parts, 'settings', () => sql.script(text))),
  });
  // The longer transactions are open, the more of them meet.
  await order.point(process, 'commit', { lingers: true });
  if (faults.happens('death in a transaction', 'commit')) return die(parts);
  if (faults.happens('serialization failure', 'commit'))
    throw new StatementRefused('simulated', { sqlState: '40001', constraint: null, statement: 'commit' });
  return result;
}

/** A connection runs one statement at a time, whatever a repository asks at once. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

function die({ order, process }: Parts): Promise<never> {
  order.kill(process);
  return never();
}
