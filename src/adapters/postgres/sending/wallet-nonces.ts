/**
 * The nonces of the wallets, taken, given back and skipped; and the transfers that leave a wallet.
 */
import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { OutgoingRepository } from '../../../ports/sending/outgoing-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { outgoingTransfers as t, wallets as w, signedTransactions as x } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import {
  at,
  insertInto,
  insertSelect,
  like,
  listOf,
  names,
  records,
  set,
  value,
} from '../statement-parts.ts';
import { MOVES_MONEY } from './outgoing-row.ts';

const WALLET = { chain: w.chain, address: w.address };
/** The same for transfers. */
const OF_WALLET = { chain: t.chain, address: t.wallet };
const ofWallet = ({ chain, address }: Record<keyof typeof OF_WALLET, SQL>) =>
  sql`${t.chain} = ${chain} and ${t.wallet} = ${address}`;

// A wallet's row is created at its first use; the upsert locks it in any case.
const upsert = (
  wallet: { readonly chain: SQL<string>; readonly address: SQL<string> },
  next: { readonly first: SQL<bigint>; readonly later: SQL<bigint> },
) => sql`
  ${insertInto(w, { chain: wallet.chain, address: wallet.address, nextNonce: next.first })}
  on conflict (${names(w.chain, w.address)}) do update set ${set(w, { nextNonce: next.later })}`;
const TAKE_NONCES = statement({
  given: { ...WALLET, atLeast: value<bigint>('bigint'), count: value<bigint>('bigint') },
  selects: { next: w.nextNonce },
  text: ({ atLeast, count, ...wallet }, select) => {
    const first = sql<bigint>`${atLeast} + ${count}`;
    const later = sql<bigint>`greatest(${w.nextNonce}, ${atLeast}) + ${count}`;
    return sql`${upsert(wallet, { first, later })} returning ${select}`;
  },
});
const TAKE_OF_EACH = statement({
  given: { chain: w.chain, rows: records('g', { address: w.address, atLeast: w.nextNonce }) },
  selects: { address: w.address, next: w.nextNonce },
  text: ({ chain, rows }, select) => {
    const given = { address: at('g', w.address), atLeast: at('g', w.nextNonce) };
    return sql`
      ${insertSelect(w, { chain, address: given.address, nextNonce: sql`${given.atLeast} + 1` })}
      from ${rows} order by ${given.address}
      on conflict (${names(w.chain, w.address)}) do update
        set ${set(w, { nextNonce: sql`greatest(${w.nextNonce} + 1, ${at('excluded', w.nextNonce)})` })}
      returning ${select}`;
  },
});
// Only for its lock.
const LOCK_WALLET = statement({
  given: WALLET,
  text: (wallet) => upsert(wallet, { first: sql`0`, later: sql`${w.nextNonce}` }),
});
const LOCK_WALLETS = statement({
  given: { chain: w.chain, addresses: listOf(w.address) },
  text: ({ chain, addresses }) => sql`
    ${insertSelect(w, { chain, address: at('g', w.address), nextNonce: sql`0` })}
    from unnest(${addresses}) as g (${names(w.address)}) order by ${at('g', w.address)}
    on conflict (${names(w.chain, w.address)}) do update set ${set(w, { nextNonce: sql`${w.nextNonce}` })}`,
});
const SKIP = statement({
  given: { ...WALLET, below: w.nextNonce },
  text: ({ below, ...wallet }) =>
    upsert(wallet, {
      first: below,
      later: sql`greatest(${w.nextNonce}, ${at('excluded', w.nextNonce)})`,
    }),
});

// The lowest nonces that were given back and not taken since.
const o = alias(t, 'o');
const IS_GIVEN_BACK = sql`
  ${t.takenOut} and not exists (
    select from ${t} o
    where ${o.chain} = ${t.chain} and ${o.wallet} = ${t.wallet} and ${o.nonce} = ${t.nonce}
      and not ${o.takenOut})`;
const GIVEN_BACK = statement({
  given: { ...OF_WALLET, from: t.nonce, limit: value<number>('bigint') },
  selects: { nonce: t.nonce },
  text: ({ from, limit, ...wallet }, select) => sql`
    select distinct ${select} from ${t}
    where ${ofWallet(wallet)} and ${t.nonce} >= ${from} and ${IS_GIVEN_BACK}
    order by ${t.nonce} limit ${limit}`,
});
// The lowest of each wallet.
const GIVEN_BACK_OF_EACH = statement({
  given: { chain: t.chain, from: records('g', { wallet: t.wallet, nonce: t.nonce }) },
  selects: { wallet: t.wallet, nonce: like(t.nonce, sql`min(${t.nonce})`) },
  text: ({ chain, from }, select) => sql`
    select ${select} from ${from}
    join ${t} on ${t.chain} = ${chain} and ${t.wallet} = ${at('g', t.wallet)}
    where ${t.nonce} >= ${at('g', t.nonce)} and ${IS_GIVEN_BACK}
    group by ${t.wallet}`,
});
const NEXT_OF = statement({
  given: { chain: w.chain, addresses: listOf(w.address) },
  selects: { address: w.address, nonce: w.nextNonce },
  text: ({ chain, addresses }, select) =>
    sql`select ${select} from ${w} where ${w.chain} = ${chain} and ${w.address} = any (${addresses})`,
});

/**
 * `s (nonce)`, from `from` to below `below`, at most 10,000: the nonces of a wallet are dense, so
 * no more can be missing together.
 */
const series = (from: SQL, below: SQL) =>
  sql`generate_series(${from}, least(${below}, ${from} + 10000) - 1) as s (${names(t.nonce)})`;
const IN_SERIES = at('s', t.nonce);
const UNSIGNED_FROM = statement({
  given: { ...WALLET, from: value<bigint>('bigint') },
  selects: { nonce: like(w.nextNonce, sql`coalesce(${at('free', t.nonce)}, ${w.nextNonce})`) },
  text: ({ chain, address, from }, select) => sql`
    select ${select} from ${w}
    cross join lateral (
      select min(${IN_SERIES}) as ${names(t.nonce)} from ${series(from, sql`${w.nextNonce}`)}
      where not exists (
        select from ${t} join ${x} on ${x.transferBatchId} = ${t.transferBatchId}
        where ${t.chain} = ${w.chain} and ${t.wallet} = ${w.address} and ${t.nonce} = ${IN_SERIES})) as free
    where ${w.chain} = ${chain} and ${w.address} = ${address} and ${w.nextNonce} > 0`,
});
const UNUSED = statement({
  given: {
    ...OF_WALLET,
    from: value<bigint>('bigint'),
    below: value<bigint>('bigint'),
    limit: value<number>('bigint'),
  },
  selects: { nonce: IN_SERIES },
  text: ({ from, below, limit, ...wallet }, select) => sql`
    select ${select} from ${series(from, below)}
    where not exists (
      select from ${t} where ${ofWallet(wallet)} and ${t.nonce} = ${IN_SERIES} and not ${t.takenOut})
    order by ${IN_SERIES} limit ${limit}`,
});

const ON_THE_WAY = oneOf(t.status, ['allocated', 'signed']);
const BATCHES_ON_THE_WAY = statement({
  given: OF_WALLET,
  selects: { count: sql<number>`count(distinct ${t.transferBatchId})::int` },
  text: (wallet, select) => sql`select ${select} from ${t} where ${ofWallet(wallet)} and ${ON_THE_WAY}`,
});
const COMMITTED = {
  asset: t.asset,
  units: like(
    t.units,
    sql`coalesce(sum(${t.units}) filter (where not ${equals(t.status, 'failed')} and ${MOVES_MONEY}), 0)`,
  ),
  payments: sql<number>`count(*)::int`,
};
const COMMITTED_FROM = statement({
  given: { ...OF_WALLET, nonce: t.nonce },
  selects: COMMITTED,
  text: ({ nonce, ...wallet }, select) => sql`
    select ${select} from ${t} where ${ofWallet(wallet)} and not ${t.takenOut} and ${t.nonce} >= ${nonce}
    group by ${t.asset}`,
});
// Transfers settled since by a block above the view; a failed one only lost its fee.
const COMMITTED_SINCE = statement({
  given: { ...OF_WALLET, height: t.blockHeight },
  selects: COMMITTED,
  text: ({ height, ...wallet }, select) => sql`
    select ${select} from ${t} where ${ofWallet(wallet)} and not ${t.takenOut}
      and (${ON_THE_WAY} or ${t.blockHeight} > ${height})
    group by ${t.asset}`,
});
const DELEGATED_SINCE = statement({
  given: { ...OF_WALLET, height: t.blockHeight },
  selects: { units: like(t.units, sql`coalesce(sum(${t.units}), 0)`) },
  text: ({ height, ...wallet }, select) => sql`
    select ${select} from ${t} where ${ofWallet(wallet)} and ${equals(t.purpose, 'lend')}
      and (${ON_THE_WAY} or (${equals(t.status, 'confirmed')} and ${t.blockHeight} > ${height}))`,
});

export type WalletNonces = Pick<
  OutgoingRepository,
  | 'takeNonce'
  | 'takeNonces'
  | 'takeNonceOfEach'
  | 'nextOf'
  | 'nextOfEach'
  | 'unsignedFrom'
  | 'skipNonces'
  | 'batchesOnTheWay'
  | 'unusedNonces'
  | 'commitmentsSince'
  | 'delegatedSince'
  | 'lockWallet'
  | 'lockWallets'
>;

export function walletNonces(on: Sql): WalletNonces {
  const takeNonces: WalletNonces['takeNonces'] = async (
    { chain, address, atLeast, givenBackFrom: from },
    count,
  ) => {
    let free: readonly bigint[] = [];
    if (from !== undefined && count > 0) {
      await LOCK_WALLET(on, { chain, address });
      const rows = await GIVEN_BACK(on, { chain, address, from, limit: count });
      free = rows.map(({ nonce }) => nonce);
    }
    const more = count - free.length;
    if (more === 0) return free;
    const taken = await TAKE_NONCES(on, { chain, address, atLeast, count: BigInt(more) });
    const first = theOnly(taken, `nonces of ${address}`).next - BigInt(more);
    return [...free, ...Array.from({ length: more }, (_, place) => first + BigInt(place))];
  };
  const lockWallets = async (chain: string, addresses: readonly string[]): Promise<void> => {
    if (addresses.length > 0) await LOCK_WALLETS(on, { chain, addresses: [...new Set(addresses)] });
  };
  const nextOfEach: WalletNonces['nextOfEach'] = async (chain, addresses) => {
    const rows = addresses.length === 0 ? [] : await NEXT_OF(on, { chain, addresses });
    return new Map(rows.map(({ address, nonce }) => [address, nonce]));
  };
  return {
    takeNonces,
    takeNonceOfEach: async (chain, given) => {
      const free = new Map<string, bigint>();
      const from = given.flatMap(({ address: wallet, givenBackFrom: nonce }) =>
        nonce === undefined ? [] : [{ wallet, nonce }],
      );
      if (from.length > 0) {
        await lockWallets(
          chain,
          from.map(({ wallet }) => wallet),
        );
        for (const { wallet, nonce } of await GIVEN_BACK_OF_EACH(on, { chain, from }))
          free.set(wallet, nonce);
      }
      const rows = given.filter(({ address }) => !free.has(address));
      if (rows.length > 0)
        for (const { address, next } of await TAKE_OF_EACH(on, { chain, rows })) free.set(address, next - 1n);
      return free;
    },
    takeNonce: async (wallet) => theOnly(await takeNonces(wallet, 1), `nonce of ${wallet.address}`),

    nextOf: async ({ chain, address }) => (await nextOfEach(chain, [address])).get(address) ?? 0n,
    nextOfEach,
    unsignedFrom: async (wallet) => (await UNSIGNED_FROM(on, wallet))[0]?.nonce ?? wallet.from,

    async skipNonces(wallet) {
      await SKIP(on, wallet);
    },

    async batchesOnTheWay(wallet) {
      return theOnly(await BATCHES_ON_THE_WAY(on, wallet), `open batches of ${wallet.address}`).count;
    },

    unusedNonces: async (wallet) => (await UNUSED(on, wallet)).map(({ nonce }) => nonce),

    commitmentsSince: ({ chain, address, since }) =>
      'nonce' in since
        ? COMMITTED_FROM(on, { chain, address, nonce: since.nonce })
        : COMMITTED_SINCE(on, { chain, address, height: since.height }),

    delegatedSince: async (wallet) =>
      theOnly(await DELEGATED_SINCE(on, wallet), `delegations of ${wallet.address}`).units,

    async lockWallet(wallet) {
      await LOCK_WALLET(on, wallet);
    },
    lockWallets,
  };
}
