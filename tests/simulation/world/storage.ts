/**
 * The storage of one process in the simulation: the ports of the real one or of that in memory,
 * each call a point with its faults. One process at a time holds the database, so transactions are
 * serial; which of them comes first is the seed's choice.
 */
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import { type Repositories, StorageUnavailable, type UnitOfWork } from '../../../src/ports/repositories.ts';
import type { Faults } from './faults.ts';
import { type Interleaving, never, type SimulatedProcess } from './interleaving.ts';

/** The transaction lost against another; the client repeats it (client.ts). */
class LostRace extends Error {}
/** Its process died within the transaction, which is rolled back. */
class Died extends Error {}

const REPETITIONS_MAX = 5;

export interface StorageParts {
  readonly order: Interleaving;
  readonly faults: Faults;
}

export function storageOf(
  parts: StorageParts,
  process: SimulatedProcess,
  real: ComposedDatabase,
): ComposedDatabase {
  const { unitOfWork, ...queries } = real.ports;
  const asked = Object.fromEntries(
    Object.entries(queries).map(([name, port]) => [name, askedPort(parts, process, { name, port })]),
  ) as Omit<ComposedDatabase['ports'], 'unitOfWork'>;
  const port = <Port extends object>(name: string, target: Port): Port =>
    askedPort(parts, process, { name, port: target });
  return {
    ports: { ...asked, unitOfWork: transactionsOf(parts, process, unitOfWork) },
    readOnly: transactionsOf(parts, process, real.readOnly),
    accountQueries: port('accountQueries', real.accountQueries),
    walletKeys: real.walletKeys,
    chainRecords: real.chainRecords,
    assetsInUse: () => real.assetsInUse(),
    addressPool: (family) => port('addressPool', real.addressPool(family)),
    ping: async () => true,
    close: async () => undefined,
  };
}

/** Each call of the port is one statement. */
function askedPort<Port extends object>(
  { order, faults }: StorageParts,
  process: SimulatedProcess,
  { name, port }: { name: string; port: Port },
): Port {
  return new Proxy(port, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key);
      if (typeof found !== 'function') return found;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const label = `${name}.${String(key)}`;
        await order.point(process, label, { holds: true });
        try {
          if (faults.happens('database away', label)) throw new StorageUnavailable('simulated');
          const result = await order.real(async () => found.apply(target, args) as unknown);
          if (faults.happens('death after a statement', label)) return await dieHolding(order, process);
          if (faults.happens('database answer lost', label)) throw new StorageUnavailable('simulated');
          return result;
        } finally {
          order.letGo(process);
        }
      };
    },
  });
}

function transactionsOf(
  { order, faults }: StorageParts,
  process: SimulatedProcess,
  real: UnitOfWork,
): UnitOfWork {
  /** Undefined where the process died. */
  async function once<T>(
    work: (repositories: Repositories) => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    const died = process.died.then(() => {
      throw new Died();
    });
    try {
      return await order.real(() =>
        real.run(async (repositories) => {
          const within = calledRepositories({ order, faults }, process, repositories);
          const result = await Promise.race([work(within), died]);
          if (faults.happens('serialization failure', 'commit')) throw new LostRace();
          return { result };
        }),
      );
    } catch (thrown) {
      if (thrown instanceof Died) return undefined;
      throw thrown;
    } finally {
      died.catch(() => undefined);
    }
  }
  return {
    async run(work) {
      for (let attempt = 0; ; attempt += 1) {
        await order.point(process, 'transaction', { holds: true });
        try {
          if (faults.happens('database away', 'transaction')) throw new StorageUnavailable('simulated');
          const done = await once(work);
          if (done === undefined || faults.happens('death after a commit', 'transaction'))
            return await dieHolding(order, process);
          if (faults.happens('commit answer lost', 'transaction')) throw new StorageUnavailable('simulated');
          return done.result;
        } catch (thrown) {
          if (!(thrown instanceof LostRace)) throw thrown;
          if (attempt === REPETITIONS_MAX) throw new StorageUnavailable('simulated: lost every race');
        } finally {
          order.letGo(process);
        }
      }
    },
  };
}

/** Within a transaction nothing of another process happens: only its end is a fault. */
function calledRepositories(
  { order, faults }: StorageParts,
  process: SimulatedProcess,
  repositories: Repositories,
): Repositories {
  return new Proxy(repositories, {
    get(target, repository) {
      const found: unknown = Reflect.get(target, repository);
      if (typeof found !== 'object' || found === null) return found;
      return new Proxy(found, {
        get(methods, key) {
          const method: unknown = Reflect.get(methods, key);
          if (typeof method !== 'function') return method;
          return (...args: readonly unknown[]): unknown => {
            const label = `${String(repository)}.${String(key)}`;
            if (!process.isAlive) return never();
            if (faults.happens('death in a transaction', label)) return die(order, process);
            return method.apply(methods, args) as unknown;
          };
        },
      });
    },
  });
}

function die(order: Interleaving, process: SimulatedProcess): Promise<never> {
  order.kill(process);
  return never();
}

/** The same where nothing is to be rolled back: the server notices that its client is gone. */
function dieHolding(order: Interleaving, process: SimulatedProcess): Promise<never> {
  order.letGo(process);
  return die(order, process);
}
