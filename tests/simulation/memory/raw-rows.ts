/** Rows in memory, changed past their repositories. */
import type { PgTable } from 'drizzle-orm/pg-core';
import type { RawRows, TableOf } from '../../support/ledger/raw-rows.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { SCHEMA } from './store/schema.ts';

interface Writable<Row> {
  where(test: (row: Row) => boolean): Row[];
  update(row: Row, changes: Partial<Row>): Row;
  delete(row: Row): void;
}

export function memoryRawRows(store: MemoryStore): RawRows {
  const tableOf = <Row>(schema: TableOf<Row>): Writable<Row> => {
    const found = Object.entries(SCHEMA).find(([, of]) => of === (schema as PgTable));
    if (found === undefined) throw new Error('no table of the schema');
    return store.tables[found[0] as keyof typeof SCHEMA] as unknown as Writable<Row>;
  };
  return {
    rows: async (schema) => tableOf(schema).where(() => true),
    change: (schema, which, to) =>
      store.write(() => {
        const table = tableOf(schema);
        for (const row of table.where(which)) table.update(row, typeof to === 'function' ? to(row) : to);
      }),
    remove: (schema, which) =>
      store.write(() => {
        const table = tableOf(schema);
        for (const row of table.where(which)) table.delete(row);
      }),
  };
}
