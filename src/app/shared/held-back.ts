/** Parts of repositories that hold back what is written, to write many rows with one statement. */
import type { EntryKind } from '../../domain/ledger.ts';
import type { NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';

interface Lockable<Row> {
  lock(id: string): Promise<Row | null>;
  lockAll(ids: readonly string[]): Promise<readonly Row[]>;
}

export interface HeldBack<Row> {
  /** A new row; what is saved of it before it is taken is a part of it. */
  add(row: Row): void;
  /** The new rows that were not taken yet, in the order in which they came. */
  added(): readonly Row[];
  isAdded(id: string): boolean;
  /** Takes those of them that `wanted` selects. */
  takeAdded(wanted?: (row: Row) => boolean): readonly Row[];
  save(row: Row): void;
  /** It is locked by this transaction, as a new row is. */
  know(row: Row): void;
  /** A known row as it was saved last. */
  find(id: string): Row | undefined;
  /** What was saved and not taken yet, without new rows. */
  saved(): readonly Row[];
  take(): readonly Row[];
  /** All but the new rows. */
  forget(): void;
  known(): readonly Row[];
  /** Locks by a port. What is known is returned as it was saved last, without a statement. */
  locking(port: Lockable<Row>): Lockable<Row>;
  /** The same by `lock`, which is given what is not known. */
  lockingBy(
    lock: (ids: readonly string[]) => Promise<readonly Row[]>,
  ): (ids: readonly string[]) => Promise<readonly Row[]>;
}

export function heldBack<Row extends { readonly id: string }>(): HeldBack<Row> {
  const known = new Map<string, Row>();
  const saved = new Map<string, Row>();
  const added = new Map<string, Row>();
  const know = (row: Row) => void known.set(row.id, row);
  const knownOf = (ids: readonly string[]) =>
    [...new Set(ids)].toSorted().flatMap((id) => known.get(id) ?? []);
  const lockingBy: HeldBack<Row>['lockingBy'] = (lock) => async (ids) => {
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0) for (const row of await lock(unknown)) know(row);
    return knownOf(ids);
  };
  return {
    know,
    find: (id) => known.get(id),
    add(row) {
      added.set(row.id, row);
      know(row);
    },
    added: () => [...added.values()],
    isAdded: (id) => added.has(id),
    takeAdded(wanted = () => true) {
      const rows = [...added.values()].filter(wanted);
      for (const { id } of rows) added.delete(id);
      return rows;
    },
    save(row) {
      (added.has(row.id) ? added : saved).set(row.id, row);
      know(row);
    },
    saved: () => [...saved.values()],
    take() {
      const rows = [...saved.values()];
      saved.clear();
      return rows;
    },
    forget() {
      known.clear();
      for (const row of added.values()) know(row);
    },
    known: () => [...known.values()],
    locking: (port) => ({
      async lock(id) {
        const row = known.get(id) ?? (await port.lock(id));
        if (row !== null) know(row);
        return row;
      },
      lockAll: lockingBy((ids) => port.lockAll(ids)),
    }),
    lockingBy,
  };
}

/** The port, each of whose methods first writes. */
export function writing<Port extends object>(port: Port, write: () => Promise<void>): Port {
  const methods = Object.entries(port).map(([name, method]: [string, (...given: unknown[]) => unknown]) => [
    name,
    async (...given: unknown[]) => {
      await write();
      return method(...given);
    },
  ]);
  return Object.fromEntries(methods) as Port;
}

type Ledger = Repositories['ledger'];

/**
 * The ledger that holds back entries of the kinds that may be posted together. For any other entry,
 * and any other method, it calls `write` first.
 */
export function heldBackEntries(
  ledger: Ledger,
  together: readonly EntryKind[],
  write: () => Promise<void>,
): { readonly ledger: Ledger; take(): readonly NewEntry[] } {
  let entries: NewEntry[] = [];
  return {
    ledger: {
      ...writing(ledger, write),
      async post(entry) {
        if (together.includes(entry.kind)) entries.push(entry);
        else {
          await write();
          await ledger.post(entry);
        }
      },
    },
    take() {
      const taken = entries;
      entries = [];
      return taken;
    },
  };
}
