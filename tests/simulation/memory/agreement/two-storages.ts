/**
 * The same rows in PostgreSQL and in memory, written past the repositories and by them, and the
 * same questions to both. Whatever one refuses, the other refuses too; only CHECKs are
 * PostgreSQL's alone, and rows that they refuse are left out.
 */
import { expect } from 'bun:test';
import { getTableColumns, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { postgresOperatorQueries } from '../../../../src/adapters/postgres/operator-queries.ts';
import { statement } from '../../../../src/adapters/postgres/statement.ts';
import { insertInto } from '../../../../src/adapters/postgres/statement-parts.ts';
import { postgresTreasuryQueries } from '../../../../src/adapters/postgres/treasury/treasury-queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { OperatorQueries } from '../../../../src/ports/operator-queries.ts';
import type { Repositories, UnitOfWork } from '../../../../src/ports/repositories.ts';
import type { TreasuryQueries } from '../../../../src/ports/treasury/treasury-queries.ts';
import { testDatabase } from '../../../support/postgres/postgres.ts';
import { memoryDatabase } from '../memory-database.ts';
import { type MemoryStore, memoryStore } from '../store/memory-store.ts';
import { SCHEMA } from '../store/schema.ts';

export interface ComparedPorts {
  readonly unitOfWork: UnitOfWork;
  readonly treasuryQueries: TreasuryQueries;
  readonly operatorQueries: OperatorQueries;
}

type Name = keyof typeof SCHEMA;
/** A row for the table of that name, with all of its columns. */
export type RowFor<Of extends Name> = (typeof SCHEMA)[Of]['$inferSelect'];

export interface TwoStorages {
  /** False if both refuse it. */
  put<Of extends Name>(name: Of, row: RowFor<Of>): Promise<boolean>;
  /** In one transaction of each. */
  run(work: (repositories: Repositories) => Promise<unknown>): Promise<void>;
  /** `what` is for the message of a difference. */
  ask(what: unknown, question: (ports: ComparedPorts) => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

const inserts = new Map<Name, ReturnType<typeof insertOf>>();

export async function twoStorages(): Promise<TwoStorages> {
  const { database, drop } = await testDatabase();
  const store = memoryStore();
  const postgres: ComparedPorts = {
    unitOfWork: postgresUnitOfWork(database),
    treasuryQueries: postgresTreasuryQueries(database),
    operatorQueries: postgresOperatorQueries(database),
  };
  const memory: ComparedPorts = memoryDatabase(store).ports;
  const ask: TwoStorages['ask'] = async (what, question) => {
    const expected = await outcomeOf(() => question(postgres));
    const found = await outcomeOf(() => question(memory));
    expect({ what, outcome: found }).toEqual({ what, outcome: expected });
  };
  return {
    async put(name, row) {
      const insert = inserts.get(name) ?? insertOf(SCHEMA[name]);
      inserts.set(name, insert);
      const expected = await outcomeOf(async () => {
        await insert(database, row as never);
      });
      if (expected.refused?.startsWith('23514')) return false;
      const found = await outcomeOf(() => insertRow(store, name, row));
      expect({ name, row, outcome: found }).toEqual({ name, row, outcome: expected });
      return expected.refused === undefined;
    },
    run: (work) => ask('a transaction', ({ unitOfWork }) => unitOfWork.run(work)),
    ask,
    close: drop,
  };
}

function insertOf(table: PgTable) {
  return statement({
    given: getTableColumns(table),
    text: (values) => insertInto(table, values as Record<string, SQL<never>>),
  });
}

async function insertRow<Of extends Name>(store: MemoryStore, name: Of, row: RowFor<Of>): Promise<void> {
  const table = store.tables[name] as { insert(row: RowFor<Of>): unknown };
  await store.write(() => void table.insert(row));
}

interface Outcome {
  readonly answer?: unknown;
  /** The code, and the constraint. */
  readonly refused?: string;
}

async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error;
    return { refused: `${error.sqlState} ${error.constraint}` };
  }
}
