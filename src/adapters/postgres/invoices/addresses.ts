/** The directory of issued addresses, and their derivation indexes. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { AddressRepository } from '../../../ports/invoices/address-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { addresses as a, derivedAddresses as d, derivationIndexes as i } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { utxos as c } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import {
  at,
  insertInto,
  insertSelect,
  like,
  listOf,
  names,
  nullable,
  set,
  value,
} from '../statement-parts.ts';

const { retired: _, ...ADDRESS } = getTableColumns(a);
const INSERT = statement({ given: ADDRESS, text: (values) => insertInto(a, values) });
const FIND = statement({
  given: { family: a.family, addresses: listOf(a.address) },
  selects: ADDRESS,
  text: ({ family, addresses }, select) =>
    sql`select ${select} from ${a} where ${a.family} = ${family} and ${a.address} = any (${addresses})`,
});
const RETIRE = statement({
  given: { invoiceId: nullable(a.invoiceId), family: a.family },
  text: ({ invoiceId, family }) => {
    const ofInvoice = sql`${a.invoiceId} = ${invoiceId} and ${a.family} = ${family}`;
    const last = sql`select max(${a.retired}) from ${a} where ${ofInvoice}`;
    return sql`
      update ${a} set ${set(a, { retired: sql<number>`1 + (${last})` })}
      where ${ofInvoice} and ${a.retired} = 0`;
  },
});
const IS_OURS = statement({
  given: { family: a.family, address: a.address },
  selects: { ours: sql<boolean>`ours` },
  text: ({ family, address }, select) => sql`
    select ${select} from (
      select exists (select from ${a} where ${a.family} = ${family} and ${a.address} = ${address})
        or exists (select from ${c} where ${equals(c.keyRole, 'change')} and ${c.address} = ${address}) as ours)`,
});
const RESERVE = statement({
  given: { deriver: i.deriver, count: value<number>('bigint'), atLeast: value<number>('bigint') },
  selects: { next: i.next },
  text: ({ deriver, count, atLeast }, select) => sql`
    ${insertInto(i, { deriver, next: sql<number>`${atLeast} + ${count}` })}
    on conflict (${names(i.deriver)}) do update
      set ${set(i, { next: sql<number>`greatest(${i.next}, ${atLeast}) + ${count}` })}
    returning ${select}`,
});
const RESERVED = statement({
  given: { deriver: i.deriver },
  selects: { next: i.next },
  text: ({ deriver }, select) => sql`select ${select} from ${i} where ${i.deriver} = ${deriver}`,
});
const ALL_RESERVED = statement({
  selects: { deriver: i.deriver, next: i.next },
  text: (_given, select) => sql`select ${select} from ${i}`,
});
const ISSUED = statement({
  selects: { deriver: a.deriver, next: like(a.derivationIndex, sql`max(${a.derivationIndex}) + 1`) },
  text: (_given, select) => sql`select ${select} from ${a} group by ${a.deriver}`,
});
const DERIVED = statement({
  given: { family: d.family },
  selects: { next: like(d.derivationIndex, sql`coalesce(max(${d.derivationIndex}) + 1, 0)`) },
  text: ({ family }, select) => sql`select ${select} from ${d} where ${d.family} = ${family}`,
});
// Workers extend a pool one after the other: "on conflict" only settles a race for its own index,
// and the losing rows could still violate the index that makes each address unique.
const ADD_DERIVED = statement({
  given: { family: nullable(d.family), from: value<number>('bigint'), addresses: listOf(d.address) },
  text: ({ family, from, addresses }) => sql`
    with alone as materialized (
      select pg_advisory_xact_lock(hashtextextended('derived_addresses ' || ${family}, 0)))
    ${insertSelect(d, {
      family: sql<string>`${family}`,
      derivationIndex: sql<number>`${from} + place - 1`,
      address: at('a', d.address),
    })}
    from alone, unnest(${addresses}) with ordinality as a (${names(d.address)}, place)
    on conflict (${names(d.family, d.derivationIndex)}) do nothing`,
});

export function addressRepository(on: Sql): AddressRepository {
  return {
    async insert(issued) {
      await INSERT(on, issued);
    },

    async retire({ invoiceId, family }) {
      await RETIRE(on, { invoiceId, family });
    },

    find: async (family, addresses) => (addresses.length === 0 ? [] : FIND(on, { family, addresses })),

    isOurs: async (family, address) =>
      theOnly(await IS_OURS(on, { family, address }), `whose ${address} is`).ours,

    async reserveIndexes({ deriver, count, atLeast }) {
      const rows = await RESERVE(on, { deriver, count, atLeast });
      return theOnly(rows, `derivation indexes of ${deriver}`).next - count;
    },

    reservedIndexes: async (deriver) => (await RESERVED(on, { deriver }))[0]?.next ?? 0,

    allReservedIndexes: async () =>
      new Map((await ALL_RESERVED(on)).map(({ deriver, next }) => [deriver, next])),

    issuedIndexes: async () => new Map((await ISSUED(on)).map(({ deriver, next }) => [deriver, next])),

    derivedIndexes: async (family) =>
      theOnly(await DERIVED(on, { family }), `derived addresses of ${family}`).next,

    async addDerived({ family, from, addresses }) {
      await ADD_DERIVED(on, { family, from, addresses });
    },
  };
}
