/**
 * Column types and CHECKs that all tables share. The CHECKs repeat invariants of the domain, so
 * that an impossible row cannot be stored.
 */
import { type AnyColumn, type GetColumnData, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, customType, numeric, timestamp } from 'drizzle-orm/pg-core';
import type { JsonObject } from '../../../domain/money/json.ts';
import { jsonOf } from '../client/json-text.ts';
import { packed, unpacked } from '../client/packed-text.ts';

/** Integer amount of base units or micros. 78 digits hold 2^256 - 1 (safety.md E11). */
export function units(name: string) {
  return numeric(name, { precision: 78, scale: 0, mode: 'bigint' });
}

export function instant(name: string) {
  return timestamp(name, { withTimezone: true });
}

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** Millionths, the domain's unit of percentages. */
export const ppm = customType<{ data: bigint; driverData: number }>({
  dataType: () => 'integer',
  toDriver: (millionths) => Number(millionths),
  fromDriver: (millionths) => BigInt(millionths),
});

/** A bit for each number of a block of a list, the first one on the left (lists/list-counts.ts). */
export const blockBits = customType<{ data: string }>({ dataType: () => 'bit(16384)' });

/** Text that is stored in fewer bytes. */
export const packedText = customType<{ data: string; driverData: string | Uint8Array }>({
  dataType: () => 'bytea',
  toDriver: (text) => `\\x${packed(text).toHex()}`,
  fromDriver: (bytes) => unpacked(bytes as Uint8Array),
});

/** A JSON object as text: jsonb would reorder keys and rewrite numbers. */
export const jsonText = customType<{ data: JsonObject; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: jsonOf,
});

/** A day (UTC) as the number of days since 1970. */
export const dayNumber = customType<{ data: number; driverData: string | Date }>({
  dataType: () => 'date',
  toDriver: (day) => new Date(day * DAY_MS).toISOString().slice(0, 10),
  fromDriver: (day) => new Date(day).getTime() / DAY_MS,
});
const DAY_MS = 86_400_000;

/** 24 hex digits (specification, "Conventions" 5). */
export function isId(column: AnyPgColumn): SQL {
  return sql`${column} ~ '^[0-9a-f]{24}$'`;
}

/** The name of a family. Which there are is the domain's to say: a new one changes no table. */
export function isFamily(column: AnyPgColumn): SQL {
  return sql`${column} ~ '^[a-z]+$'`;
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

export function oneOf<Of extends AnyColumn>(column: Of, values: readonly LiteralOf<Of>[]): SQL {
  return sql`${column} in (${literals(values)})`;
}

export function equals<Of extends AnyColumn>(column: Of, value: LiteralOf<Of>): SQL {
  return sql`${column} = ${literals([value])}`;
}

/** The values of a column of codes. */
type LiteralOf<Of extends AnyColumn> = GetColumnData<Of, 'raw'> & string;

/** `'a', 'b'` */
export function literals(texts: readonly string[]): SQL {
  return sql.raw(texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(', '));
}

/** All of the columns are null, or none is. */
export function allOrNone(...columns: AnyPgColumn[]): SQL {
  return sql`num_nulls(${sql.join(columns, sql`, `)}) in (0, ${sql.raw(String(columns.length))})`;
}

/** domain/chains/last-change.ts, lastChange. */
export function lastChange(t: Record<'updatedAt' | 'processedAt' | 'createdAt', AnyPgColumn>): SQL {
  return sql`coalesce(${t.updatedAt}, ${t.processedAt}, ${t.createdAt})`;
}
