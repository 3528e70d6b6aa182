/**
 * Addresses that are not swept: their owner changed on the chain, or they belong to a replaced
 * wallet.
 */
import { type SQLWrapper, sql } from 'drizzle-orm';
import type { FreezeRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { frozenAddresses as f } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { insertInto, listOf, names } from '../statement-parts.ts';

/** Another owner may spend the money there: it is not moved, and no gas is sent there. */
export const isFrozen = (at: { readonly chain: SQLWrapper; readonly address: SQLWrapper }) => sql`
  exists (select from ${f} where ${f.chain} = ${at.chain} and ${f.address} = ${at.address})`;

const FREEZE = statement({
  given: { chain: f.chain, address: f.address, reason: f.reason, frozenAt: f.frozenAt },
  selects: { address: f.address },
  text: (values, select) => sql`
    ${insertInto(f, values)} on conflict (${names(f.chain, f.address)}) do nothing returning ${select}`,
});
const THAW = statement({
  given: { chain: f.chain, address: f.address },
  selects: { address: f.address },
  text: ({ chain, address }, select) => sql`
    delete from ${f} where ${f.chain} = ${chain} and ${f.address} = ${address} and not ${f.formerWallet}
    returning ${select}`,
});
const FROZEN = statement({
  given: { chains: listOf(f.chain), address: f.address },
  text: ({ chains, address }) =>
    sql`select from ${f} where ${f.chain} = any (${chains}) and ${f.address} = ${address} limit 1`,
});
const FIND = statement({
  given: { chain: f.chain, address: f.address },
  selects: { chain: f.chain, address: f.address, reason: f.reason, at: f.frozenAt },
  text: ({ chain, address }, select) =>
    sql`select ${select} from ${f} where ${f.chain} = ${chain} and ${f.address} = ${address}`,
});
const AMONG = statement({
  given: { chain: f.chain, addresses: listOf(f.address) },
  selects: { address: f.address },
  text: ({ chain, addresses }, select) =>
    sql`select ${select} from ${f} where ${f.chain} = ${chain} and ${f.address} = any (${addresses})`,
});

export function freezeRepository(on: Sql): FreezeRepository {
  return {
    freeze: async ({ at, ...frozen }) => (await FREEZE(on, { ...frozen, frozenAt: at })).length === 1,
    thaw: async (place) => (await THAW(on, place)).length === 1,
    isFrozen: async (places) => (await FROZEN(on, places)).length === 1,
    find: async (place) => (await FIND(on, place))[0] ?? null,
    among: async (places) => new Set((await AMONG(on, places)).map(({ address }) => address)),
  };
}
