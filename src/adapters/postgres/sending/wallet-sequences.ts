/** The sequences of our wallets: taken, given back and passed over; and what leaves a wallet. */
import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { OutgoingRepository } from '../../../ports/sending/outgoing-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { outgoingTransfers as t, wallets as w, signedTransactions as x } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import { at, insertInto, like, names, set, value } from '../statement-parts.ts';
import { MOVES_MONEY } from './outgoing-row.ts';

const WALLET = { chain: w.chain, address: w.address };
/** The same, of transfers. */
const OF_WALLET = { chain: t.chain, address: t.wallet };
const ofWallet = ({ chain, address }: Record<keyof typeof OF_WALLET, SQL>) =>
  sql`${t.chain} = ${chain} and ${t.wallet} = ${address}`;

// A wallet's row is made at its first use; the upsert locks it either way.
const upsert = (
  wallet: { readonly chain: SQL<string>; readonly address: SQL<string> },
  next: { readonly first: SQL<bigint>; readonly later: SQL<bigint> },
) => sql`
  ${insertInto(w, { chain: wallet.chain, address: wallet.address, nextSequence: next.first })}
  on conflict (${names(w.chain, w.address)}) do update set ${set(w, { nextSequence: next.later })}`;
const TAKE_SEQUENCE = statement({
  given: { ...WALLET, atLeast: value<bigint>('bigint') },
  selects: { sequence: like(w.nextSequence, sql`${w.nextSequence} - 1`) },
  text: ({ atLeast, ...wallet }, select) => {
    const first = sql<bigint>`${atLeast} + 1`;
    const later = sql<bigint>`greatest(${w.nextSequence}, ${atLeast}) + 1`;
    return sql`${upsert(wallet, { first, later })} returning ${select}`;
  },
});
// For its lock alone.
const LOCK_WALLET = statement({
  given: WALLET,
  text: (wallet) => upsert(wallet, { first: sql`0`, later: sql`${w.nextSequence}` }),
});
const SKIP = statement({
  given: { ...WALLET, below: w.nextSequence },
  text: ({ below, ...wallet }) =>
    upsert(wallet, {
      first: below,
      later: sql`greatest(${w.nextSequence}, ${at('excluded', w.nextSequence)})`,
    }),
});

// The lowest that was given back and that nobody took since.
const o = alias(t, 'o');
const GIVEN_BACK = statement({
  given: { ...OF_WALLET, from: t.sequence },
  selects: { sequence: t.sequence },
  text: ({ from, ...wallet }, select) => sql`
    select ${select} from ${t}
    where ${ofWallet(wallet)} and ${t.sequence} >= ${from} and ${t.takenOut} and not exists (
      select from ${t} o
      where ${o.chain} = ${t.chain} and ${o.wallet} = ${t.wallet} and ${o.sequence} = ${t.sequence}
        and not ${o.takenOut})
    order by ${t.sequence} limit 1`,
});
const NEXT_OF = statement({
  given: WALLET,
  selects: { sequence: w.nextSequence },
  text: ({ chain, address }, select) =>
    sql`select ${select} from ${w} where ${w.chain} = ${chain} and ${w.address} = ${address}`,
});

/** `s (sequence)`, from `from` to the one before `below`; as many as can be missing at once, since a wallet's are dense. */
const series = (from: SQL, below: SQL) =>
  sql`generate_series(${from}, least(${below}, ${from} + 10000) - 1) as s (${names(t.sequence)})`;
const IN_SERIES = at('s', t.sequence);
const UNSIGNED_FROM = statement({
  given: { ...WALLET, from: value<bigint>('bigint') },
  selects: { sequence: like(w.nextSequence, sql`coalesce(${at('free', t.sequence)}, ${w.nextSequence})`) },
  text: ({ chain, address, from }, select) => sql`
    select ${select} from ${w}
    cross join lateral (
      select min(${IN_SERIES}) as ${names(t.sequence)} from ${series(from, sql`${w.nextSequence}`)}
      where not exists (
        select from ${t} join ${x} on ${x.transferBatchId} = ${t.transferBatchId}
        where ${t.chain} = ${w.chain} and ${t.wallet} = ${w.address} and ${t.sequence} = ${IN_SERIES})) as free
    where ${w.chain} = ${chain} and ${w.address} = ${address} and ${w.nextSequence} > 0`,
});
const UNUSED = statement({
  given: {
    ...OF_WALLET,
    from: value<bigint>('bigint'),
    below: value<bigint>('bigint'),
    limit: value<number>('bigint'),
  },
  selects: { sequence: IN_SERIES },
  text: ({ from, below, limit, ...wallet }, select) => sql`
    select ${select} from ${series(from, below)}
    where not exists (
      select from ${t} where ${ofWallet(wallet)} and ${t.sequence} = ${IN_SERIES} and not ${t.takenOut})
    order by ${IN_SERIES} limit ${limit}`,
});

const ON_THE_WAY = oneOf(t.status, ['allocated', 'signed']);
const BUNDLES_ON_THE_WAY = statement({
  given: OF_WALLET,
  selects: { count: sql<number>`count(distinct ${t.transferBatchId})::int` },
  text: (wallet, select) => sql`select ${select} from ${t} where ${ofWallet(wallet)} and ${ON_THE_WAY}`,
});
const PROMISED = {
  asset: t.asset,
  units: like(
    t.units,
    sql`coalesce(sum(${t.units}) filter (where not ${equals(t.status, 'failed')} and ${MOVES_MONEY}), 0)`,
  ),
  payments: sql<number>`count(*)::int`,
};
const PROMISED_FROM = statement({
  given: { ...OF_WALLET, sequence: t.sequence },
  selects: PROMISED,
  text: ({ sequence, ...wallet }, select) => sql`
    select ${select} from ${t} where ${ofWallet(wallet)} and not ${t.takenOut} and ${t.sequence} >= ${sequence}
    group by ${t.asset}`,
});
// What a block above the view settled left since then; where one failed, its fee is gone.
const PROMISED_SINCE = statement({
  given: { ...OF_WALLET, height: t.blockHeight },
  selects: PROMISED,
  text: ({ height, ...wallet }, select) => sql`
    select ${select} from ${t} where ${ofWallet(wallet)} and not ${t.takenOut}
      and (${ON_THE_WAY} or ${t.blockHeight} > ${height})
    group by ${t.asset}`,
});
const LENT_SINCE = statement({
  given: { ...OF_WALLET, height: t.blockHeight },
  selects: { units: like(t.units, sql`coalesce(sum(${t.units}), 0)`) },
  text: ({ height, ...wallet }, select) => sql`
    select ${select} from ${t} where ${ofWallet(wallet)} and ${equals(t.purpose, 'lend')}
      and (${ON_THE_WAY} or (${equals(t.status, 'confirmed')} and ${t.blockHeight} > ${height}))`,
});

type WalletSequences = Pick<
  OutgoingRepository,
  | 'takeSequence'
  | 'nextOf'
  | 'unsignedFrom'
  | 'skipSequences'
  | 'batchesOnTheWay'
  | 'unusedSequences'
  | 'promised'
  | 'lentSince'
  | 'lockWallet'
>;

export function walletSequences(on: Sql): WalletSequences {
  return {
    async takeSequence({ chain, address, atLeast, givenBackFrom: from }) {
      if (from !== undefined) {
        await LOCK_WALLET(on, { chain, address });
        const [free] = await GIVEN_BACK(on, { chain, address, from });
        if (free !== undefined) return free.sequence;
      }
      return theOnly(await TAKE_SEQUENCE(on, { chain, address, atLeast }), `sequence of ${address}`).sequence;
    },

    nextOf: async (wallet) => (await NEXT_OF(on, wallet))[0]?.sequence ?? 0n,
    unsignedFrom: async (wallet) => (await UNSIGNED_FROM(on, wallet))[0]?.sequence ?? wallet.from,

    async skipSequences(wallet) {
      await SKIP(on, wallet);
    },

    async batchesOnTheWay(wallet) {
      return theOnly(await BUNDLES_ON_THE_WAY(on, wallet), `open bundles of ${wallet.address}`).count;
    },

    unusedSequences: async (wallet) => (await UNUSED(on, wallet)).map(({ sequence }) => sequence),

    promised: ({ chain, address, since }) =>
      'sequence' in since
        ? PROMISED_FROM(on, { chain, address, sequence: since.sequence })
        : PROMISED_SINCE(on, { chain, address, height: since.height }),

    lentSince: async (wallet) => theOnly(await LENT_SINCE(on, wallet), `loans of ${wallet.address}`).units,

    async lockWallet(wallet) {
      await LOCK_WALLET(on, wallet);
    },
  };
}
