/** What our wallets hold by our records, without locks. */
import type { OutgoingPurpose } from '../../../domain/sending/outgoing.ts';
import type { TreasuryQueries } from '../../../ports/treasury/treasury-queries.ts';
import type { Database } from '../client/client.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { prefixed } from '../client/statements.ts';
import {
  IS_ACTIVE_SWEEP,
  IS_OPEN_SWEEP,
  isCredited,
  isFrozen,
  isUndecided,
  isWithheld,
  SWEEP_COLUMNS,
  type SweepRow,
  sweepFromRow,
} from '../sweeps/sweep-row.ts';
import { unitsOfAddresses, unitsOfHotWallet } from './wallet-units.ts';

/** Sums over a whole history take longer than a page. */
const LONG_MS = 600_000;

const NOT_SWEPT = `d.swept_by is null and d.status not in ('dropped', 'reversed')`;
const OF_FAILED = `exists (select from sweeps f where f.id = d.swept_by and f.status = 'failed')`;

const ADDRESSES = `
  select distinct d.address from deposits d where d.chain = $1 and ${NOT_SWEPT} and d.address > $2
  order by d.address limit $3`;
const ADDRESSES_WITH_FAILED = `
  select address from (
    (${ADDRESSES})
    union
    (select distinct d.address from sweeps s join deposits d on d.chain = s.chain and d.address = s.address and d.swept_by = s.id
     where s.chain = $1 and s.status = 'failed' and d.address > $2 order by d.address limit $3)) as found
  order by address limit $3`;

const sweepableAt = (which: string, beside: string): string => `
  select d.address, d.asset, sum(d.units)::text as units from deposits d
  where d.chain = $1 and d.address = any ($2::text[]) and ${isCredited('d')} and (${which}) and not ${isFrozen('d')}
    and not exists (
      select from deposits e where e.chain = d.chain and e.address = d.address and ${isWithheld('e')})
    and not exists (
      select from sweeps s where s.chain = d.chain and s.address = d.address and s.asset = d.asset and s.${beside})
  group by d.address, d.asset order by d.address, d.asset`;
const SWEEPABLE = sweepableAt(NOT_SWEPT, IS_OPEN_SWEEP);
const SWEEPABLE_ON_DEMAND = sweepableAt(`d.swept_by is null or ${OF_FAILED}`, IS_ACTIVE_SWEEP);

const WAITING = `
  select asset, count(*) as count, sum(sent_units)::text as units from payouts
  where not sandbox and status = 'pending' and asset = any ($1::text[]) and waiting_code = 'liquidity'
  group by asset order by asset`;

const AT_ADDRESSES = `
  select d.asset,
    coalesce(sum(d.units) filter (where not ${isUndecided('d')}), 0)::text as sweepable,
    coalesce(sum(d.units) filter (where ${isUndecided('d')}), 0)::text as undecided
  from deposits d where d.chain = $1 and ${NOT_SWEPT} group by d.asset order by d.asset`;

// $1 chain, $2 assets, $3 base units of each: what is smaller.
const AMONG_LEAST = `
  select f.asset, count(*)::int as count, sum(f.units)::text as units
  from found f join unnest($2::text[], $3::numeric[]) as l (asset, units) on l.asset = f.asset and f.units < l.units
  group by f.asset order by f.asset`;
const ADDRESSES_BELOW = `
  with found as (
    select d.asset, sum(d.units) as units from deposits d
    where d.chain = $1 and ${NOT_SWEPT} and ${isCredited('d')} and not d.sandbox group by d.asset, d.address)
  ${AMONG_LEAST}`;
const COINS_BELOW = `
  with found as (
    select ($2::text[])[1] as asset, c.units from coins c
    where c.chain = $1 and c.claimed_by is null and c.block_height is not null and not c.doubted)
  ${AMONG_LEAST}`;

const ON_THE_WAY = `
  select purpose, asset, count(*) as count, sum(units)::text as units from outgoing_transfers
  where chain = $1 and status in ('allocated', 'signed') group by purpose, asset order by purpose, asset`;

const TO_LOOK_AT = `
  select ${SWEEP_COLUMNS.join(', ')} from (
    select ${prefixed('s', SWEEP_COLUMNS)} from sweeps s where s.chain = $1 and s.${IS_OPEN_SWEEP}
    union all
    select ${prefixed('s', SWEEP_COLUMNS)} from sweeps s
    where s.chain = $1 and s.status = 'failed'
      and exists (select from deposits d where d.chain = s.chain and d.address = s.address and d.swept_by = s.id and d.status = 'credited')
    union
    select ${prefixed('s', SWEEP_COLUMNS)} from outgoing_transfers t
    join sweeps s on s.id = t.reference_id and not s.${IS_OPEN_SWEEP}
    where t.chain = $1 and t.purpose in ('sweep', 'topup', 'lend', 'reclaim') and t.status in ('allocated', 'signed')) as found
  order by id desc limit $2`;

const FROZEN = `
  select chain, address, reason, frozen_at from frozen_addresses
  where chain = $1 and not former_wallet order by frozen_at, address`;

const UNBOOKED = `
  select chain, txid, vout, address, units::text as units, block_height as height from coins
  where chain = any ($1::text[]) and not booked order by block_height, chain, txid, vout limit $2`;

// What lies at addresses of a wallet that was replaced is moved by other means: it is not compared.
const isOurs = (chain: string, address: string): string => `not exists (
  select from frozen_addresses f where f.chain = ${chain} and f.address = ${address} and f.former_wallet)`;
const EVER = `
  select distinct address from deposits where chain = $1 and address > $2 and ${isOurs('$1', 'address')}
  order by address limit $3`;
const ISSUED = `
  select address from addresses where family = $1 and address > $2 and ${isOurs('$4', 'address')}
  order by address limit $3`;
const UNPAID = `
  select a.address from addresses a where a.family = $1 and a.address > $2 and ${isOurs('$4', 'a.address')}
    and not exists (select from deposits d where d.chain = $4 and d.address = a.address)
  order by a.address limit $3`;

// $1 chain, $2 assets, $3 native asset. What the treasury account must be the sum of, and what it is.
const BOOKS = `
  with recorded as (
    select asset, sum(units) as units from (
      select asset, units from deposits
      where chain = $1 and not sandbox and status in ('arrived', 'stray', 'credited', 'held', 'rejected')
      union all
      select asset, -units from outgoing_transfers where chain = $1 and purpose = 'payout' and status = 'confirmed'
      union all
      select p.asset, -p.sent_units from found_paid f join payouts p on p.id = f.payout_id where f.chain = $1
      union all
      select $3, -fee_units from outgoing_transfers where chain = $1 and fee_units is not null
      union all
      select asset, units from capital_bookings where chain = $1) as moved
    group by asset),
  booked as (
    select p.currency as asset, sum(p.amount) as units
    from ledger_postings p join ledger_entries e on e.id = p.entry_id
    where p.account = 'treasury' and not e.sandbox and p.currency = any ($2::text[]) group by p.currency)
  select a.asset, coalesce(r.units, 0)::text as recorded, coalesce(b.units, 0)::text as ledger
  from unnest($2::text[]) as a (asset)
  left join recorded r on r.asset = a.asset left join booked b on b.asset = a.asset
  order by a.asset`;

export function postgresTreasuryQueries(database: Database): TreasuryQueries {
  /** With the deadline of long work, and changing nothing. */
  const long = <Row extends object>(text: string, parameters: readonly SqlParameter[]) =>
    longRead(database, (sql) => sql.query<Row>(text, parameters));

  return {
    async sweepable(chain, { after, limit, onDemand }) {
      const page = await database.query<{ address: string }>(onDemand ? ADDRESSES_WITH_FAILED : ADDRESSES, [
        chain,
        after,
        limit,
      ]);
      const addresses = page.map(({ address }) => address);
      const last = addresses.length < limit ? null : (addresses.at(-1) ?? null);
      if (addresses.length === 0) return { rows: [], last };
      const rows = await database.query<{ address: string; asset: string; units: string }>(
        onDemand ? SWEEPABLE_ON_DEMAND : SWEEPABLE,
        [chain, addresses],
      );
      return { rows: rows.map((row) => ({ ...row, units: BigInt(row.units) })), last };
    },

    async waitingForLiquidity(assets) {
      const rows = await database.query<{ asset: string; count: string; units: string }>(WAITING, [
        [...assets],
      ]);
      return rows.map(({ asset, count, units }) => ({ asset, count: Number(count), units: BigInt(units) }));
    },

    async atDepositAddresses(chain) {
      const rows = await long<{ asset: string; sweepable: string; undecided: string }>(AT_ADDRESSES, [chain]);
      return rows.map(({ asset, sweepable, undecided }) => ({
        asset,
        sweepableUnits: BigInt(sweepable),
        undecidedUnits: BigInt(undecided),
      }));
    },

    async belowCost({ chain, coins, least }) {
      if (least.size === 0) return [];
      const rows = await long<{ asset: string; count: number; units: string }>(
        coins ? COINS_BELOW : ADDRESSES_BELOW,
        [chain, [...least.keys()], [...least.values()].map(String)],
      );
      return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
    },

    async unbookedFunding(chains, limit) {
      type Row = {
        chain: string;
        txid: string;
        vout: string;
        address: string;
        units: string;
        height: string | null;
      };
      const rows = await database.query<Row>(UNBOOKED, [[...chains], limit]);
      return rows.map((row) => ({
        ...row,
        vout: Number(row.vout),
        units: BigInt(row.units),
        height: row.height === null ? null : Number(row.height),
      }));
    },

    async onTheWay(chain) {
      type Row = { purpose: OutgoingPurpose; asset: string; count: string; units: string };
      const rows = await database.query<Row>(ON_THE_WAY, [chain]);
      return rows.map((row) => ({ ...row, count: Number(row.count), units: BigInt(row.units) }));
    },

    sweepsToLookAt: async (chain, limit) =>
      (await long<SweepRow>(TO_LOOK_AT, [chain, limit])).map(sweepFromRow),

    async depositAddresses(chain, { after, limit }) {
      const rows = await database.query<{ address: string }>(EVER, [chain, after, limit]);
      return rows.map(({ address }) => address);
    },

    async issuedAddresses({ chain, family }, { after, limit }) {
      const rows = await database.query<{ address: string }>(ISSUED, [family, after, limit, chain]);
      return rows.map(({ address }) => address);
    },

    async unpaidAddresses({ chain, family }, { after, limit }) {
      const rows = await database.query<{ address: string }>(UNPAID, [family, after, limit, chain]);
      return rows.map(({ address }) => address);
    },

    async frozenAddresses(chain) {
      type Row = { chain: string; address: string; reason: string; frozen_at: Date };
      const rows = await database.query<Row>(FROZEN, [chain]);
      return rows.map(({ frozen_at: at, ...frozen }) => ({ ...frozen, at }));
    },

    unitsOfAddresses: (at) => unitsOfAddresses(database, at),
    unitsOfHotWallet: (at) => longRead(database, (sql) => unitsOfHotWallet(sql, at)),

    async treasuryBooks(chain, assets, nativeAsset) {
      type Row = { asset: string; recorded: string; ledger: string };
      const rows = await long<Row>(BOOKS, [chain, [...assets], nativeAsset]);
      return rows.map(({ asset, recorded, ledger }) => ({
        asset,
        recordedUnits: BigInt(recorded),
        ledgerUnits: BigInt(ledger),
      }));
    },
  };
}

function longRead<T>(database: Database, read: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(
    async (sql) => {
      await sql.script('set transaction read only');
      return read(sql);
    },
    { timeoutMs: LONG_MS },
  );
}
