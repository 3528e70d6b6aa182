/**
 * The storage in memory: every table of the schema, and transactions one after the other. A
 * transaction that fails takes back all that it wrote. Reads beside a running transaction see what
 * it wrote so far; writes outside of it wait for its end.
 */
import type { PgTable } from 'drizzle-orm/pg-core';
import { SCHEMA } from './schema.ts';
import { type Change, type Journal, Table } from './table.ts';

export type Tables = { readonly [Name in keyof typeof SCHEMA]: Table<(typeof SCHEMA)[Name]> };

export interface MemoryStore {
  readonly tables: Tables;
  /** All of `work`, or nothing of it. Within it there is no other transaction, nor a `write`. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** A transaction that throws at its first write. */
  readOnly<T>(work: () => Promise<T>): Promise<T>;
  /** A transaction of one statement, outside of any other. */
  write<T>(statement: () => T): Promise<T>;
  /** At the end of the running transaction, before it is committed: it may write, or throw. */
  beforeCommit(work: () => void | Promise<void>): void;
  /** What `owner` keeps in the running transaction, made at its first use; it ends with it. */
  keptInTransaction<Kept>(owner: object, make: () => Kept): Kept;
  /** Told the changes of every transaction that is committed. */
  onCommit(told: (changes: readonly Change[]) => void): void;
  /** A copy of all rows, as of a backup; calling it restores them. Nothing may be running. */
  copy(): () => void;
  /** As after the migrations. Nothing may be running. */
  empty(): void;
}

export function memoryStore(): MemoryStore {
  let changes: Change[] | null = null;
  let committed: (changes: readonly Change[]) => void = () => undefined;
  let isReadOnly = false;
  let atCommit: (() => void | Promise<void>)[] = [];
  const kept = new Map<object, unknown>();
  /** Resolves when the last transaction in the queue has ended. */
  let queue: Promise<unknown> = Promise.resolve();
  const journal: Journal = {
    record(change) {
      if (changes === null) throw new Error('a write outside of transactions');
      if (isReadOnly) throw new Error('a write in a transaction that only reads');
      changes.push(change);
    },
  };
  const made = new Map<PgTable, Table<PgTable>>();
  const tableOf = (schema: PgTable): Table<PgTable> => made.get(schema)!;
  const tables = Object.fromEntries(
    Object.entries(SCHEMA).map(([name, schema]) => {
      const table = new Table<PgTable>(schema, { journal, tableOf });
      made.set(schema, table);
      return [name, table];
    }),
  ) as unknown as Tables;

  async function run<T>(work: () => Promise<T>, { reads }: { reads: boolean }): Promise<T> {
    const made: Change[] = [];
    changes = made;
    isReadOnly = reads;
    try {
      const result = await work();
      // What is done at the end may add to it.
      for (let n = 0; n < atCommit.length; n += 1) await atCommit[n]!();
      if (made.length > 0) committed(made);
      return result;
    } catch (error) {
      for (const change of made.toReversed()) change.table.takeBack(change);
      throw error;
    } finally {
      changes = null;
      atCommit = [];
      kept.clear();
    }
  }
  function inTurn<T>(work: () => Promise<T>, options: { reads: boolean }): Promise<T> {
    const turn = queue.then(() => run(work, options));
    queue = turn.catch(() => undefined);
    return turn;
  }
  function fill(): void {
    changes = [];
    isReadOnly = false;
    tables.signingSwitch.insert({ singleton: true, stoppedAt: null, note: '' });
    changes = null;
  }
  fill();

  return {
    tables,
    transaction: (work) => inTurn(work, { reads: false }),
    readOnly: (work) => inTurn(work, { reads: true }),
    write: (statement) => inTurn(async () => statement(), { reads: false }),
    beforeCommit: (work) => void atCommit.push(work),
    keptInTransaction<Kept>(owner: object, make: () => Kept): Kept {
      const there = kept.get(owner) as Kept | undefined;
      if (there !== undefined) return there;
      const made = make();
      kept.set(owner, made);
      return made;
    },
    onCommit(told) {
      committed = told;
    },
    copy() {
      const restores = [...made.values()].map((table) => table.keep());
      return () => {
        for (const restore of restores) restore();
      };
    },
    empty() {
      for (const table of made.values()) table.clear();
      fill();
    },
  };
}
