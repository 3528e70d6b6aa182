/**
 * Permanent addresses: at most one active per (merchant, environment, user, family), under any
 * concurrency.
 */
import { sql } from 'drizzle-orm';
import type { PermanentAddressRepository } from '../../../ports/invoices/permanent-address-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { permanentAddresses as p } from '../schema/addresses.ts';
import { statement } from '../statement.ts';
import { insertInto, listOf, names, updateById } from '../statement-parts.ts';
import { PERMANENT_ADDRESS } from './permanent-address-row.ts';

const INSERT = statement({
  given: PERMANENT_ADDRESS,
  selects: { id: p.id },
  text: (values, select) => sql`
    ${insertInto(p, values)}
    on conflict (${names(p.merchantId, p.sandbox, p.userId, p.family)}) where ${names(p.active)} do nothing
    returning ${select}`,
});
const FIND_ACTIVE = statement({
  given: { merchantId: p.merchantId, sandbox: p.sandbox, userId: p.userId, family: p.family },
  selects: PERMANENT_ADDRESS,
  text: ({ merchantId, sandbox, userId, family }, select) => sql`
    select ${select} from ${p} where ${p.merchantId} = ${merchantId} and ${p.sandbox} = ${sandbox}
      and ${p.userId} = ${userId} and ${p.family} = ${family} and ${p.active}`,
});
const FIND = statement({
  given: { id: p.id },
  selects: PERMANENT_ADDRESS,
  text: ({ id }, select) => sql`select ${select} from ${p} where ${p.id} = ${id}`,
});
const FIND_ALL = statement({
  given: { ids: listOf(p.id) },
  selects: PERMANENT_ADDRESS,
  text: ({ ids }, select) => sql`select ${select} from ${p} where ${p.id} = any (${ids})`,
});
const LOCK = statement({
  given: { id: p.id },
  selects: PERMANENT_ADDRESS,
  text: ({ id }, select) => sql`select ${select} from ${p} where ${p.id} = ${id} for no key update`,
});
const SAVE = statement({
  given: {
    id: p.id,
    active: p.active,
    deactivatedAt: p.deactivatedAt,
    metadata: p.metadata,
    notifyUrl: p.notifyUrl,
  },
  selects: { id: p.id },
  text: (given, select) => updateById(p, given, select),
});

export function permanentAddressRepository(on: Sql): PermanentAddressRepository {
  return {
    insertIfAbsent: async (address) => (await INSERT(on, address)).length === 1,
    findActive: async (key) => (await FIND_ACTIVE(on, key))[0] ?? null,
    find: async (id) => (await FIND(on, { id }))[0] ?? null,
    findAll: async (ids) => (ids.length === 0 ? [] : FIND_ALL(on, { ids })),
    lock: async (id) => (await LOCK(on, { id }))[0] ?? null,

    async save(address) {
      theOnly(await SAVE(on, address), `save of permanent address ${address.id}`);
    },
  };
}
