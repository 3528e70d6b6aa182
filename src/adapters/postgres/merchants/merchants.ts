/**
 * Merchants and their keys. A merchant is inserted with its counters and balance rows, so that no
 * hot path has to create them.
 */
import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Environment } from '../../../domain/environment.ts';
import type { MerchantRepository } from '../../../ports/merchants/merchant-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { literals } from '../schema/columns.ts';
import {
  balances,
  counters,
  apiKeys as k,
  merchants as m,
  STREAMS,
  type Stream,
} from '../schema/merchants.ts';
import { statement } from '../statement.ts';
import {
  at,
  insertInto,
  insertSelect,
  like,
  listOf,
  names,
  notNull,
  nullable,
  outer,
  set,
  updateById,
} from '../statement-parts.ts';
import { MERCHANT } from './merchant-row.ts';
import { SIGNING_KEYS, signingJoins, signingKeysFromRow } from './signing-keys.ts';

/** Both environments of the merchant that the statement inserts. */
const OF_MERCHANT = { merchantId: at('merchant', m.id), sandbox: sql<boolean>`sandbox` };
const NO_MONEY = sql<bigint>`0`;
const INSERT = statement({
  given: MERCHANT,
  text: (values) => sql`
    with merchant as (${insertInto(m, values)} returning ${names(m.id)}),
    numbers as (
      ${insertSelect(counters, {
        ...OF_MERCHANT,
        stream: sql<Stream>`stream`,
        value: sql<bigint>`0`,
        lastAt: sql<Date>`to_timestamp(0)`,
      })}
      from merchant, unnest(array[false, true]) as sandbox, unnest(array[${literals(STREAMS)}]) as stream)
    ${insertSelect(balances, {
      ...OF_MERCHANT,
      incomeMicroUsd: NO_MONEY,
      payoutsMicroUsd: NO_MONEY,
      refundsMicroUsd: NO_MONEY,
    })}
    from merchant, unnest(array[false, true]) as sandbox`,
});
const FIND_ALL = statement({
  given: { ids: listOf(m.id) },
  selects: MERCHANT,
  text: ({ ids }, select) => sql`select ${select} from ${m} where ${m.id} = any (${ids})`,
});
export const FIND_MERCHANT = statement({
  given: { id: m.id },
  selects: MERCHANT,
  text: ({ id }, select) => sql`select ${select} from ${m} where ${m.id} = ${id}`,
});
const { createdAt: _, ...CHANGEABLE } = MERCHANT;
const UPDATE = statement({
  given: CHANGEABLE,
  selects: { id: m.id },
  text: (given, select) => updateById(m, given, select),
});
const LOCK = statement({
  given: { id: m.id },
  selects: MERCHANT,
  text: ({ id }, select) => sql`select ${select} from ${m} where ${m.id} = ${id} for no key update`,
});
const LOCK_KEYS = statement({
  given: { id: m.id },
  selects: { id: m.id },
  text: ({ id }, select) => sql`select ${select} from ${m} where ${m.id} = ${id} for update`,
});
const CALLBACK_URLS = statement({
  given: { ids: listOf(m.id) },
  selects: { id: m.id, callbackUrl: notNull(m.callbackUrl) },
  text: ({ ids }, select) =>
    sql`select ${select} from ${m} where ${m.id} = any (${ids}) and ${m.callbackUrl} is not null`,
});
const PAYOUT_CALLBACKS = statement({
  given: { ids: listOf(m.id) },
  selects: { id: m.id, callbackUrl: m.callbackUrl },
  text: ({ ids }, select) =>
    sql`select ${select} from ${m} where ${m.id} = any (${ids}) and ${m.payoutWebhooks}`,
});

const KEY = {
  merchantId: k.merchantId,
  sandbox: k.sandbox,
  lookupHash: k.lookupHash,
  sealed: k.sealed,
  createdAt: k.createdAt,
};
const ENVIRONMENT = { merchantId: k.merchantId, sandbox: k.sandbox };
const inEnvironment = ({ merchantId, sandbox }: Record<keyof typeof ENVIRONMENT, SQL>): SQL =>
  sql`${k.merchantId} = ${merchantId} and ${k.sandbox} = ${sandbox}`;
const INSERT_KEY = statement({ given: KEY, text: (values) => insertInto(k, values) });
const ACTIVE_KEY = statement({
  given: ENVIRONMENT,
  selects: KEY,
  text: (its, select) => sql`
    select ${select} from ${k} where ${inEnvironment(its)} and ${k.revokedAt} is null`,
});
const END_OLDER = statement({
  given: { ...ENVIRONMENT, now: k.createdAt, until: nullable(k.livesUntil) },
  selects: { lived: sql<boolean>`older.lived` },
  text: ({ now, until, ...its }, select) => sql`
    with older as (
      select ${k.lookupHash}, ${k.livesUntil} > ${now} as lived from ${k}
      where ${inEnvironment(its)} and ${k.livesUntil} is not null for update)
    update ${k} set ${set(k, { livesUntil: like(k.livesUntil, sql`case when older.lived then ${until} end`) })}
    from older where ${k.lookupHash} = ${at('older', k.lookupHash)} returning ${select}`,
});
const REVOKE = statement({
  given: { ...ENVIRONMENT, revokedAt: k.createdAt, livesUntil: k.livesUntil },
  selects: { lookupHash: k.lookupHash },
  text: ({ revokedAt, livesUntil, ...its }, select) => sql`
    update ${k} set ${set(k, { revokedAt, livesUntil })} where ${inEnvironment(its)} and ${k.revokedAt} is null
    returning ${select}`,
});
const SIGNING = statement({
  given: { merchantId: nullable(k.merchantId), sandbox: nullable(k.sandbox), now: nullable(k.livesUntil) },
  selects: SIGNING_KEYS,
  text: ({ merchantId, sandbox, now }, select) => sql`
    select ${select} from (select ${merchantId} as merchant_id, ${sandbox} as sandbox) d
    ${signingJoins({ merchantId: at('d', k.merchantId), sandbox: at('d', k.sandbox) }, now)}`,
});
const NOTE_FIRST_USE = statement({
  given: { lookupHash: k.lookupHash, firstUsedAt: k.createdAt },
  selects: { lookupHash: k.lookupHash },
  text: ({ lookupHash, ...values }, select) => sql`
    update ${k} set ${set(k, values)} where ${k.lookupHash} = ${lookupHash} and ${k.firstUsedAt} is null
    returning ${select}`,
});
const o = alias(k, 'o');
const KEY_TIMES = statement({
  given: { merchantId: k.merchantId },
  selects: { sandbox: k.sandbox, createdAt: k.createdAt, olderUntil: outer({ until: o.livesUntil }).until },
  text: ({ merchantId }, select) => sql`
    select ${select} from ${k}
    left join ${k} o on ${o.merchantId} = ${k.merchantId} and ${o.sandbox} = ${k.sandbox}
      and ${o.livesUntil} is not null
    where ${k.merchantId} = ${merchantId} and ${k.revokedAt} is null order by ${k.sandbox}`,
});
const ENDING_UNFOLLOWED = statement({
  given: { now: k.createdAt, until: k.createdAt },
  selects: { merchantId: o.merchantId, sandbox: o.sandbox, until: notNull(o.livesUntil) },
  text: ({ now, until }, select) => sql`
    select ${select} from ${k} o
    join ${k} on ${k.merchantId} = ${o.merchantId} and ${k.sandbox} = ${o.sandbox} and ${k.revokedAt} is null
    where ${o.livesUntil} > ${now} and ${o.livesUntil} <= ${until} and ${k.firstUsedAt} is null
    order by ${o.livesUntil}, ${o.merchantId}`,
});

export function merchantRepository(on: Sql): MerchantRepository {
  return {
    async insert(merchant) {
      await INSERT(on, merchant);
    },

    find: async (id) => (await FIND_MERCHANT(on, { id }))[0] ?? null,
    findAll: async (ids) => new Map((await FIND_ALL(on, { ids })).map((merchant) => [merchant.id, merchant])),
    lock: async (id) => (await LOCK(on, { id }))[0] ?? null,

    async callbackUrls(ids) {
      if (ids.length === 0) return new Map();
      return new Map((await CALLBACK_URLS(on, { ids })).map(({ id, callbackUrl }) => [id, callbackUrl]));
    },

    async payoutCallbacks(ids) {
      return new Map((await PAYOUT_CALLBACKS(on, { ids })).map(({ id, callbackUrl }) => [id, callbackUrl]));
    },

    async update(merchant) {
      theOnly(await UPDATE(on, merchant), `update of merchant ${merchant.id}`);
    },

    async putKey({ merchantId, environment, createdAt, ...key }, olderUntil) {
      // The merchant's row is locked first, so that two calls cannot both find nothing to revoke.
      theOnly(await LOCK_KEYS(on, { id: merchantId }), `merchant ${merchantId}`);
      const its = { merchantId, sandbox: environment === 'sandbox' };
      const older = await END_OLDER(on, { ...its, now: createdAt, until: null });
      const revoked = await REVOKE(on, { ...its, revokedAt: createdAt, livesUntil: olderUntil });
      await INSERT_KEY(on, { ...its, ...key, createdAt });
      const ended = older.filter(({ lived }) => lived).length;
      return olderUntil === null
        ? { livesOn: false, ended: ended + revoked.length }
        : { livesOn: revoked.length > 0, ended };
    },

    async activeKey(merchantId, environment) {
      const [row] = await ACTIVE_KEY(on, { merchantId, sandbox: environment === 'sandbox' });
      return row ? withEnvironment(row) : null;
    },

    keyTimes: async (merchantId) => (await KEY_TIMES(on, { merchantId })).map(withEnvironment),

    async signingKeys(merchantId, environment, now) {
      const rows = await SIGNING(on, { merchantId, sandbox: environment === 'sandbox', now });
      return signingKeysFromRow(theOnly(rows, `signing keys of ${merchantId}`));
    },

    noteFirstUse: async (lookupHash, at) =>
      (await NOTE_FIRST_USE(on, { lookupHash, firstUsedAt: at })).length > 0,

    keysEndingUnfollowed: async (now, until) =>
      (await ENDING_UNFOLLOWED(on, { now, until })).map(withEnvironment),

    async endOlderKey(merchantId, environment, { now, until }) {
      const ended = await END_OLDER(on, { merchantId, sandbox: environment === 'sandbox', now, until });
      return ended.some(({ lived }) => lived);
    },
  };
}

function withEnvironment<Row extends { readonly sandbox: boolean }>({ sandbox, ...row }: Row) {
  return { ...row, environment: environmentOf(sandbox) };
}

export function environmentOf(sandbox: boolean): Environment {
  return sandbox ? 'sandbox' : 'live';
}
