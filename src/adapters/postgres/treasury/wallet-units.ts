/** What wallets of ours should have after a block, by our records. */

import type { HotWalletAt } from '../../../ports/treasury/hot-wallet-at.ts';
import type { TreasuryQueries } from '../../../ports/treasury/treasury-queries.ts';
import type { Sql } from '../client/sql.ts';
import { MOVES_MONEY } from '../sending/outgoing-row.ts';
import { asText } from '../statement.ts';

// $1 chain, $2 height, $3 native asset, $4 transfers that are counted apart, $5 wallets, $6 whether deposits lie in the hot wallet
const LEFT = `
  select wallet as address, asset, -units as units from outgoing_transfers
  where chain = $1 and wallet = any ($5::text[]) and status = 'confirmed' and block_height <= $2
    and id <> all ($4::text[]) and ${asText(MOVES_MONEY)}
  union all
  select t.wallet, $3, t.hot_fee_units - t.fee_units from outgoing_transfers t
  where t.chain = $1 and t.wallet = any ($5::text[]) and t.block_height <= $2 and t.id <> all ($4::text[])`;

const OF_ADDRESSES = `
  select address, asset, sum(units)::text as units from (
    select d.address, d.asset, d.units from deposits d
    where d.chain = $1 and d.address = any ($5::text[]) and d.block_height <= $2
      and d.status not in ('dropped', 'reversed')
    union all
    select s.address, t.asset, t.units from sweeps s join outgoing_transfers t on t.id = s.topup_id
    where s.chain = $1 and s.address = any ($5::text[]) and t.status = 'confirmed' and t.block_height <= $2
      and t.id <> all ($4::text[])
    union all ${LEFT}) as moved
  group by address, asset`;

const OF_HOT_WALLET = `
  select asset, sum(units)::text as units from (
    select t.asset, t.units from outgoing_transfers t
    where t.chain = $1 and t.purpose = 'sweep' and t.status = 'confirmed' and t.block_height <= $2
      and t.id <> all ($4::text[])
    union all
    select p.asset, -p.sent_units from found_paid f join payouts p on p.id = f.payout_id
    join unknown_transactions u on u.chain = f.chain and u.txid = f.txid
    where f.chain = $1 and u.wallet = any ($5::text[]) and u.block_height <= $2
    union all
    select c.asset, c.units from capital_bookings c where c.chain = $1 and c.block_height <= $2
    union all
    select $3, -t.hot_fee_units from outgoing_transfers t
    where t.chain = $1 and t.hot_fee_units <> 0 and t.block_height <= $2 and t.id <> all ($4::text[])
    union all
    select d.asset, d.units from deposits d
    where $6 and d.chain = $1 and d.block_height <= $2 and d.status not in ('dropped', 'reversed') and not d.sandbox
    union all
    select $3, f.units from coins f where $6 and f.chain = $1 and not f.booked and f.block_height <= $2
    union all select asset, units from (${LEFT}) as gone) as moved
  group by asset`;

export async function unitsOfAddresses(
  sql: Sql,
  at: Parameters<TreasuryQueries['unitsOfAddresses']>[0],
): ReturnType<TreasuryQueries['unitsOfAddresses']> {
  if (at.addresses.length === 0) return [];
  const rows = await sql.query<{ address: string; asset: string; units: string }>(OF_ADDRESSES, [
    at.chain,
    at.height,
    at.nativeAsset,
    [...at.apart],
    [...at.addresses],
  ]);
  return rows.map(({ address, asset, units }) => ({ address, asset, units: BigInt(units) }));
}

export async function unitsOfHotWallet(sql: Sql, at: HotWalletAt): Promise<ReadonlyMap<string, bigint>> {
  const rows = await sql.query<{ asset: string; units: string }>(OF_HOT_WALLET, [
    at.chain,
    at.height,
    at.nativeAsset,
    [...at.apart],
    [at.wallet],
    at.pooled,
  ]);
  return new Map(rows.map(({ asset, units }) => [asset, BigInt(units)]));
}
