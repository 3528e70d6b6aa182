import { describe, expect, test } from 'bun:test';
import {
  type ConnectionPool,
  openConnectionPool,
} from '../../../../src/adapters/postgres/client/connection-pool.ts';

/** A connection that only knows whether it is open. */
interface Toy {
  open: boolean;
  close(): void;
}

function toyPool(size: number): { pool: ConnectionPool<Toy>; opened: Toy[] } {
  const opened: Toy[] = [];
  const pool = openConnectionPool<Toy>({
    size,
    async open(onLost) {
      const toy: Toy = {
        open: true,
        close() {
          toy.open = false;
          onLost();
        },
      };
      opened.push(toy);
      return toy;
    },
    failure: (reason) => new Error(reason),
    busy: (reason) => new Error(reason),
    late: (reason) => new Error(reason),
  });
  return { pool, opened };
}

const PATIENT = { waitMs: 5_000, runMs: 5_000 };
const HASTY = { waitMs: 5_000, runMs: 20 };
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => String(error),
  );
const openOnes = (toys: readonly Toy[]) => toys.filter(({ open }) => open).length;

describe('a pool of connections', () => {
  /** So many idle connections, opened by as many uses at once. */
  async function warm(pool: ConnectionPool<Toy>, count: number): Promise<void> {
    const all = Promise.withResolvers<void>();
    const uses = Array.from({ length: count }, () => pool.use(PATIENT, () => all.promise));
    await Bun.sleep(0);
    all.resolve();
    await Promise.all(uses);
  }

  test('W2: who waited too long is told so, and no connection is closed for it', async () => {
    const { pool, opened } = toyPool(2);
    await warm(pool, 2);
    const busy = Promise.withResolvers<void>();
    const uses = [pool.use(PATIENT, () => busy.promise), pool.use(PATIENT, () => busy.promise)];
    expect(await failureOf(pool.use({ waitMs: 20, runMs: 5_000 }, async () => {}))).toContain(
      'no connection within 20 ms',
    );
    busy.resolve();
    await Promise.all(uses);
    expect(openOnes(opened)).toBe(2);
    expect(opened).toHaveLength(2);
  });

  test('W2: the time to run begins with the connection, however long it was waited for', async () => {
    const { pool, opened } = toyPool(1);
    const busy = Promise.withResolvers<void>();
    const first = pool.use(PATIENT, () => busy.promise);
    const second = pool.use({ waitMs: 5_000, runMs: 400 }, () => Bun.sleep(50).then(() => 'answered'));
    await Bun.sleep(420);
    busy.resolve();
    await first;
    expect(await second).toBe('answered');
    expect(openOnes(opened)).toBe(1);
  });

  test('W2: one that is silent is closed alone; when a second is, so are the idle ones', async () => {
    const { pool, opened } = toyPool(5);
    await warm(pool, 5);
    const never = () => new Promise<never>(() => {});
    expect(await failureOf(pool.use(HASTY, never))).toContain('no answer within 20 ms');
    expect(openOnes(opened)).toBe(4);
    await pool.use(PATIENT, async () => {});
    await failureOf(pool.use(HASTY, never));
    expect(openOnes(opened)).toBe(3);
    await failureOf(pool.use(HASTY, never));
    expect(openOnes(opened)).toBe(0);
    expect(await pool.use(PATIENT, async (toy) => toy.open)).toBe(true);
  });
});
