/** The directory of issued addresses and the derivation indexes they come from. */
import type { AddressRepository, IssuedAddress } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import { insertInto, theOnly } from './statements.ts';

const COLUMNS = [
  'family',
  'address',
  'deriver',
  'derivation_index',
  'merchant_id',
  'sandbox',
  'invoice_id',
  'permanent_address_id',
  'issued_at',
] as const;
const INSERT = insertInto('addresses', COLUMNS);
const FIND = `select ${COLUMNS.join(', ')} from addresses where family = $1 and address = any($2::text[])`;
const RETIRE = `
  update addresses set retired = 1 + (
    select max(retired) from addresses where invoice_id = $1 and family = $2)
  where invoice_id = $1 and family = $2 and retired = 0`;
const IS_OURS = `
  select exists (select from addresses where family = $1 and address = $2)
    or exists (select from coins where key_role = 'change' and address = $2) as ours`;
const RESERVE = `
  insert into derivation_indexes as d (deriver, next) values ($1, $3::bigint + $2)
  on conflict (deriver) do update set next = greatest(d.next, $3::bigint) + $2
  returning next - $2 as first`;
const ALL_RESERVED = 'select deriver, next from derivation_indexes';
const ISSUED = 'select deriver, max(derivation_index) + 1 as next from addresses group by deriver';
const RESERVED = 'select next from derivation_indexes where deriver = $1';
const DERIVED = 'select max(derivation_index) + 1 as next from derived_addresses where family = $1';
// Workers that add to a pool do it one after the other: "on conflict" settles a race for its own index only,
// and the rows that lost it can still break the index that keeps each address once.
const ADD_DERIVED = `
  with alone as materialized (select pg_advisory_xact_lock(hashtextextended('derived_addresses ' || $1, 0)))
  insert into derived_addresses (family, derivation_index, address)
  select $1, $2::bigint + place - 1, address
  from alone, unnest($3::text[]) with ordinality as a (address, place)
  on conflict (family, derivation_index) do nothing`;

interface AddressRow {
  readonly family: string;
  readonly address: string;
  readonly deriver: string;
  readonly derivation_index: string;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly invoice_id: string | null;
  readonly permanent_address_id: string | null;
  readonly issued_at: Date | null;
}

export function addressRepository(sql: Sql): AddressRepository {
  return {
    async insert(issued) {
      await sql.query(INSERT, [
        issued.family,
        issued.address,
        issued.deriver,
        issued.derivationIndex,
        issued.merchantId,
        issued.sandbox,
        issued.invoiceId,
        issued.permanentAddressId,
        issued.issuedAt,
      ]);
    },

    async retire({ invoiceId, family }) {
      await sql.query(RETIRE, [invoiceId, family]);
    },

    async find(family, addresses) {
      if (addresses.length === 0) return [];
      const rows = await sql.query<AddressRow>(FIND, [family, addresses]);
      return rows.map(addressFromRow);
    },

    async isOurs(family, address) {
      const rows = await sql.query<{ ours: boolean }>(IS_OURS, [family, address]);
      return theOnly(rows, `whose ${address} is`).ours;
    },

    async reserveIndexes({ deriver, count, atLeast }) {
      const rows = await sql.query<{ first: string }>(RESERVE, [deriver, count, atLeast]);
      return Number(theOnly(rows, `derivation indexes of ${deriver}`).first);
    },

    async reservedIndexes(deriver) {
      const [row] = await sql.query<{ next: string }>(RESERVED, [deriver]);
      return row === undefined ? 0 : Number(row.next);
    },

    async allReservedIndexes() {
      const rows = await sql.query<{ deriver: string; next: string }>(ALL_RESERVED);
      return new Map(rows.map(({ deriver, next }) => [deriver, Number(next)]));
    },

    async issuedIndexes() {
      const rows = await sql.query<{ deriver: string; next: string }>(ISSUED);
      return new Map(rows.map(({ deriver, next }) => [deriver, Number(next)]));
    },

    async derivedIndexes(family) {
      const rows = await sql.query<{ next: string | null }>(DERIVED, [family]);
      return Number(theOnly(rows, `derived addresses of ${family}`).next ?? 0);
    },

    async addDerived({ family, from, addresses }) {
      await sql.query(ADD_DERIVED, [family, from, addresses]);
    },
  };
}

function addressFromRow(row: AddressRow): IssuedAddress {
  return {
    family: row.family,
    address: row.address,
    deriver: row.deriver,
    derivationIndex: Number(row.derivation_index),
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    invoiceId: row.invoice_id,
    permanentAddressId: row.permanent_address_id,
    issuedAt: row.issued_at,
  };
}
