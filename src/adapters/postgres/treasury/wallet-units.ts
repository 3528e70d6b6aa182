/** The expected holdings of the wallets after a block, by the records. */
import { type SQL, sql } from 'drizzle-orm';
import type { AddressesAt, HotWalletAt, UnitsAtAddress } from '../../../ports/treasury/hot-wallet-at.ts';
import type { Sql } from '../client/sql.ts';
import { IS_THERE } from '../deposits/deposit-row.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { utxos as c, outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { capitalBookings as k, sweeps as s } from '../schema/treasury.ts';
import { foundPaid as f, unknownTransactions as u } from '../schema/unknown-transactions.ts';
import { MOVES_MONEY } from '../sending/outgoing-row.ts';
import { statement } from '../statement.ts';
import { listOf, nullable, total, value } from '../statement-parts.ts';

const AT = {
  chain: d.chain,
  height: d.blockHeight,
  nativeAsset: nullable(d.asset),
  /** Transfers that are counted apart. */
  apart: listOf(t.id),
  wallets: listOf(t.wallet),
};
type At = Readonly<Record<keyof typeof AT, SQL>>;

const isCounted = ({ chain, height, apart }: At) =>
  sql`${t.chain} = ${chain} and ${t.blockHeight} <= ${height} and ${t.id} <> all (${apart})`;
const isConfirmed = (at: At) => sql`${isCounted(at)} and ${equals(t.status, 'confirmed')}`;
const left = (at: At) => sql`
  select ${t.wallet} as address, ${t.asset}, -${t.units} as units from ${t}
  where ${isConfirmed(at)} and ${t.wallet} = any (${at.wallets}) and ${MOVES_MONEY}
  union all
  select ${t.wallet}, ${at.nativeAsset}, ${t.hotFeeUnits} - ${t.feeUnits} from ${t}
  where ${isCounted(at)} and ${t.wallet} = any (${at.wallets})`;

const OF_ADDRESSES = statement({
  given: AT,
  selects: { address: d.address, asset: d.asset, units: total(d.units) },
  text: (at, select) => sql`
    select ${select} from (
      select ${d.address}, ${d.asset}, ${d.units} from ${d}
      where ${d.chain} = ${at.chain} and ${d.address} = any (${at.wallets}) and ${d.blockHeight} <= ${at.height}
        and ${IS_THERE}
      union all
      select ${s.address}, ${t.asset}, ${t.units} from ${s} join ${t} on ${t.id} = ${s.topupId}
      where ${s.chain} = ${at.chain} and ${s.address} = any (${at.wallets}) and ${isConfirmed(at)}
      union all
      select ${k.address}, ${k.asset}, ${k.units} from ${k}
      where ${k.chain} = ${at.chain} and ${k.address} = any (${at.wallets}) and ${k.blockHeight} <= ${at.height}
      union all ${left(at)}) ${d}
    group by ${d.address}, ${d.asset}`,
});

const OF_HOT_WALLET = statement({
  given: { ...AT, pooled: value<boolean>('boolean') },
  selects: { asset: t.asset, units: total(t.units) },
  text: ({ pooled, ...at }, select) => sql`
    select ${select} from (
      select ${t.asset}, ${t.units} from ${t} where ${isConfirmed(at)} and ${equals(t.purpose, 'sweep')}
      union all
      select ${p.asset}, -${p.sentUnits} from ${f} join ${p} on ${p.id} = ${f.payoutId}
      join ${u} on ${u.chain} = ${f.chain} and ${u.txid} = ${f.txid}
      where ${f.chain} = ${at.chain} and ${u.wallet} = any (${at.wallets}) and ${u.blockHeight} <= ${at.height}
      union all
      select ${k.asset}, ${k.units} from ${k}
      where ${k.chain} = ${at.chain} and ${k.address} is null and ${k.blockHeight} <= ${at.height}
      union all
      select ${at.nativeAsset}, -${t.hotFeeUnits} from ${t} where ${isCounted(at)} and ${t.hotFeeUnits} <> 0
      union all
      select ${d.asset}, ${d.units} from ${d}
      where ${pooled} and ${d.chain} = ${at.chain} and ${d.blockHeight} <= ${at.height} and ${IS_THERE}
        and not ${d.sandbox}
      union all
      select ${at.nativeAsset}, ${c.units} from ${c}
      where ${pooled} and ${c.chain} = ${at.chain} and not ${c.booked} and ${c.blockHeight} <= ${at.height}
      union all select asset, units from (${left(at)}) as gone) ${t}
    group by ${t.asset}`,
});

export async function unitsOfAddresses(
  on: Sql,
  { addresses, ...at }: AddressesAt,
): Promise<readonly UnitsAtAddress[]> {
  return addresses.length === 0 ? [] : OF_ADDRESSES(on, { ...at, wallets: addresses });
}

export async function unitsOfHotWallet(
  on: Sql,
  { wallet, ...at }: HotWalletAt,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await OF_HOT_WALLET(on, { ...at, wallets: [wallet] });
  return new Map(rows.map(({ asset, units }) => [asset, units]));
}
