/** The wallets' holdings by the records, without locks. */
import { type SQL, sql } from 'drizzle-orm';
import type { TreasuryQueries } from '../../../ports/treasury/treasury-queries.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { ledgerPostings as l, ledgerEntries } from '../schema/ledger.ts';
import { utxos as c, outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { frozenAddresses as f, capitalBookings as k, sweeps as s } from '../schema/treasury.ts';
import { foundPaid } from '../schema/unknown-transactions.ts';
import { LEAVES_US } from '../sending/outgoing-row.ts';
import { statement } from '../statement.ts';
import { at, like, listOf, names, nullable, total, value } from '../statement-parts.ts';
import {
  IS_CREDITED,
  IS_NOT_SWEPT,
  IS_OPEN_SWEEP,
  IS_UNDECIDED,
  SWEEP,
  sweepFromRow,
} from '../sweeps/sweep-row.ts';
import { depositAddressQueries } from './deposit-addresses.ts';
import { unitsOfAddresses, unitsOfHotWallet } from './wallet-units.ts';

/** Sums over a whole history take longer than a page. */
const LONG_MS = 600_000;

const COUNT = sql`count(*)`.mapWith(Number);
const WAITING = statement({
  given: { assets: listOf(p.asset) },
  selects: { asset: p.asset, count: COUNT, units: total(p.sentUnits) },
  text: ({ assets }, select) => sql`
    select ${select} from ${p}
    where not ${p.sandbox} and ${equals(p.status, 'pending')} and ${p.asset} = any (${assets})
      and ${equals(p.waitingCode, 'liquidity')}
    group by ${p.asset} order by ${p.asset}`,
});

const AT_ADDRESSES = statement({
  given: { chain: d.chain },
  selects: {
    asset: d.asset,
    sweepableUnits: like(d.units, sql`coalesce(sum(${d.units}) filter (where not ${IS_UNDECIDED}), 0)`),
    undecidedUnits: like(d.units, sql`coalesce(sum(${d.units}) filter (where ${IS_UNDECIDED}), 0)`),
  },
  text: ({ chain }, select) => sql`
    select ${select} from ${d} where ${d.chain} = ${chain} and ${IS_NOT_SWEPT}
    group by ${d.asset} order by ${d.asset}`,
});

/** `pieces` selects asset and units; a piece counts if it is below its asset's `least`. */
const below = (pieces: (given: { readonly chain: SQL; readonly assets: SQL }) => SQL) =>
  statement({
    given: { chain: d.chain, assets: listOf(d.asset), least: listOf(d.units) },
    selects: { asset: d.asset, count: COUNT, units: total(d.units) },
    text: ({ least, ...given }, select) => sql`
      with found as (${pieces(given)})
      select ${select} from found ${d}
      join unnest(${given.assets}, ${least}) as l (asset, units) on l.asset = ${d.asset} and ${d.units} < l.units
      group by ${d.asset} order by ${d.asset}`,
  });
const ADDRESSES_BELOW = below(
  ({ chain }) => sql`
    select ${d.asset}, sum(${d.units}) as ${names(d.units)} from ${d}
    where ${d.chain} = ${chain} and ${IS_NOT_SWEPT} and ${IS_CREDITED} and not ${d.sandbox}
    group by ${d.asset}, ${d.address}`,
);
const COINS_BELOW = below(
  ({ chain, assets }) => sql`
    select (${assets})[1] as ${names(d.asset)}, ${c.units} from ${c}
    where ${c.chain} = ${chain} and ${c.claimedBy} is null and ${c.blockHeight} is not null and not ${c.doubted}`,
);

const IS_ON_THE_WAY = oneOf(t.status, ['allocated', 'signed']);
const ON_THE_WAY = statement({
  given: { chain: t.chain },
  selects: { purpose: t.purpose, asset: t.asset, count: COUNT, units: total(t.units) },
  text: ({ chain }, select) => sql`
    select ${select} from ${t} where ${t.chain} = ${chain} and ${IS_ON_THE_WAY}
    group by ${t.purpose}, ${t.asset} order by ${t.purpose}, ${t.asset}`,
});

const TO_LOOK_AT = statement({
  given: { chain: s.chain, limit: value<number>('bigint') },
  selects: SWEEP,
  text: ({ chain, limit }, select) => sql`
    select ${select} from (
      select ${s}.* from ${s} where ${s.chain} = ${chain} and ${IS_OPEN_SWEEP}
      union all
      select ${s}.* from ${s} where ${s.chain} = ${chain} and ${equals(s.status, 'failed')} and exists (
        select from ${d} where ${d.chain} = ${s.chain} and ${d.address} = ${s.address}
          and ${d.sweptBy} = ${s.id} and ${equals(d.status, 'credited')})
      union
      select ${s}.* from ${t} join ${s} on ${s.id} = ${t.referenceId} and not ${IS_OPEN_SWEEP}
      where ${t.chain} = ${chain} and ${oneOf(t.purpose, ['sweep', 'topup', 'lend', 'reclaim'])}
        and ${IS_ON_THE_WAY}) ${s}
    order by ${s.id} desc limit ${limit}`,
});

const FROZEN = statement({
  given: { chain: f.chain },
  selects: { chain: f.chain, address: f.address, reason: f.reason, at: f.frozenAt },
  text: ({ chain }, select) => sql`
    select ${select} from ${f} where ${f.chain} = ${chain} and not ${f.formerWallet}
    order by ${f.frozenAt}, ${f.address}`,
});

const UNBOOKED = statement({
  given: { chains: listOf(c.chain), limit: value<number>('bigint') },
  selects: {
    chain: c.chain,
    txid: c.txid,
    vout: c.vout,
    address: c.address,
    units: c.units,
    height: c.blockHeight,
  },
  text: ({ chains, limit }, select) => sql`
    select ${select} from ${c} where ${c.chain} = any (${chains}) and not ${c.booked}
    order by ${c.blockHeight}, ${c.chain}, ${c.txid}, ${c.vout} limit ${limit}`,
});

// The expected sum of the treasury account, and its present one.
const BOOKS = statement({
  given: { chain: d.chain, assets: listOf(d.asset), nativeAsset: nullable(d.asset) },
  selects: {
    asset: at('a', d.asset),
    recordedUnits: like(d.units, sql`coalesce(recorded.units, 0)`),
    ledgerUnits: like(d.units, sql`coalesce(booked.units, 0)`),
  },
  text: ({ chain, assets, nativeAsset }, select) => sql`
    with recorded as (
      select asset, sum(units) as units from (
        select ${d.asset}, ${d.units} from ${d}
        where ${d.chain} = ${chain} and not ${d.sandbox}
          and ${oneOf(d.status, ['arrived', 'stray', 'credited', 'held', 'rejected'])}
        union all
        select ${t.asset}, -${t.units} from ${t}
        where ${t.chain} = ${chain} and ${LEAVES_US} and ${equals(t.status, 'confirmed')}
        union all
        select ${p.asset}, -${p.sentUnits} from ${foundPaid} join ${p} on ${p.id} = ${foundPaid.payoutId}
        where ${foundPaid.chain} = ${chain}
        union all
        select ${nativeAsset}, -${t.feeUnits} from ${t} where ${t.chain} = ${chain} and ${t.feeUnits} is not null
        union all
        select ${k.asset}, ${k.units} from ${k} where ${k.chain} = ${chain}) as moved
      group by asset),
    booked as (
      select ${l.currency} as asset, sum(${l.amount}) as units
      from ${l} join ${ledgerEntries} on ${ledgerEntries.id} = ${l.entryId}
      where ${equals(l.account, 'treasury')} and not ${ledgerEntries.sandbox} and ${l.currency} = any (${assets})
      group by ${l.currency})
    select ${select} from unnest(${assets}) as a (asset)
    left join recorded on recorded.asset = a.asset left join booked on booked.asset = a.asset
    order by a.asset`,
});

export function postgresTreasuryQueries(database: Database): TreasuryQueries {
  /** Read-only, with the deadline of long work. */
  const long = <T>(read: (on: Sql) => Promise<T>): Promise<T> =>
    database.snapshot(read, { timeoutMs: LONG_MS });

  return {
    ...depositAddressQueries(database),
    waitingForLiquidity: (assets) => WAITING(database, { assets }),
    atDepositAddresses: (chain) => long((on) => AT_ADDRESSES(on, { chain })),

    async belowCost({ chain, utxos, least }) {
      if (least.size === 0) return [];
      const given = { chain, assets: [...least.keys()], least: [...least.values()] };
      return long((on) => (utxos ? COINS_BELOW : ADDRESSES_BELOW)(on, given));
    },

    unbookedFunding: (chains, limit) => UNBOOKED(database, { chains, limit }),
    onTheWay: (chain) => ON_THE_WAY(database, { chain }),
    sweepsToLookAt: async (chain, limit) =>
      (await long((on) => TO_LOOK_AT(on, { chain, limit }))).map(sweepFromRow),
    frozenAddresses: (chain) => FROZEN(database, { chain }),
    unitsOfAddresses: (at) => unitsOfAddresses(database, at),
    unitsOfHotWallet: (at) => long((on) => unitsOfHotWallet(on, at)),
    treasuryBooks: (chain, assets, nativeAsset) => long((on) => BOOKS(on, { chain, assets, nativeAsset })),
  };
}
