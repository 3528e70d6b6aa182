/** Column types and CHECKs that every table shares. The CHECKs repeat invariants of the domain, so that an impossible row cannot be stored. */
import { type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, customType, numeric, timestamp } from 'drizzle-orm/pg-core';

/** Integer amount of base units or micros. 78 digits hold 2^256 - 1 (safety.md E11). */
export function units(name: string) {
  return numeric(name, { precision: 78, scale: 0 });
}

export function instant(name: string) {
  return timestamp(name, { withTimezone: true });
}

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** 24 hex digits (specification, "Conventions" 5). */
export function isId(column: AnyPgColumn): SQL {
  return sql`${column} ~ '^[0-9a-f]{24}$'`;
}

/** `NaN >= 0` is true in PostgreSQL, so every bound on a numeric names it. Null passes. */
export function notNegative(...columns: AnyPgColumn[]): SQL {
  return sql.join(
    columns.map((column) => sql`${column} >= 0 and ${column} <> 'NaN'`),
    sql` and `,
  );
}

export function positive(...columns: AnyPgColumn[]): SQL {
  return sql.join(
    columns.map((column) => sql`${column} > 0 and ${column} <> 'NaN'`),
    sql` and `,
  );
}

export function oneOf(column: AnyPgColumn, values: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;
}

/** All of the columns are null, or none is. */
export function allOrNone(...columns: AnyPgColumn[]): SQL {
  return sql`num_nulls(${sql.join(columns, sql`, `)}) in (0, ${sql.raw(String(columns.length))})`;
}

/** domain/last-change.ts, lastChange. */
export function lastChange(t: Record<'updatedAt' | 'processedAt' | 'createdAt', AnyPgColumn>): SQL {
  return sql`coalesce(${t.updatedAt}, ${t.processedAt}, ${t.createdAt})`;
}
