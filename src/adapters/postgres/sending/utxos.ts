/** Coins that our keys can spend, and the bundles that claimed them. */

import type { Outpoint } from '../../../domain/chains/outpoint.ts';
import type { Block } from '../../../domain/sending/outgoing.ts';
import type { Coin } from '../../../ports/sending/chain-sender.ts';
import type { WalletKey } from '../../../ports/sending/signer.ts';
import type { CoinRepository } from '../../../ports/sending/utxo-repository.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';

const COLUMNS = 'txid, vout, address, key_role, key_index, units';
const INSERT = `
  insert into coins (chain, ${COLUMNS}, booked) values ($1, $2, $3, $4, $5, $6, $7, case when $5 = 'hot' then true end)
  on conflict (chain, txid, vout) do nothing`;
// Only outputs of chains of coins are named vout:<n>; the key is that of the address, which the wallet's deriver gave out.
const INSERT_DEPOSIT = `
  insert into coins (chain, ${COLUMNS}, block_height)
  select d.chain, d.txid, substr(d.output, 6)::bigint, d.address, 'deposit', a.derivation_index, d.units, d.block_height
  from deposits d join addresses a on a.family = $2 and a.address = d.address and a.deriver = a.family
  where d.id = $1 and d.output like 'vout:%' and not d.encumbered and not d.sandbox
  on conflict (chain, txid, vout) do update set block_height = excluded.block_height, units = excluded.units`;
const REMOVE_DEPOSIT = `
  update coins set block_height = null where chain = $1 and txid = $2 and $3 = 'vout:' || vout`;
const INSERT_IN_BLOCK = `
  insert into coins (chain, ${COLUMNS}, block_height, block_hash, booked)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, case when $5 = 'hot' then false end)
  on conflict (chain, txid, vout) do update set block_height = excluded.block_height, block_hash = excluded.block_hash
  where coins.block_hash is distinct from excluded.block_hash`;
// Only what comes from outside has the hash of its block. What our own transactions give back goes by their transfers.
const ORPHAN_ARRIVALS = `
  update coins set block_height = null, block_hash = null
  where chain = $1 and (key_role = 'deposit' or block_hash is not null) and block_height > $2`;
// Not those of a wallet that was replaced: their keys are not here.
const IS_OURS =
  'not exists (select from frozen_addresses f where f.chain = coins.chain and f.address = coins.address)';
const FREE = `chain = $1 and claimed_by is null and not doubted and block_height <= $2 and ${IS_OURS}`;
const CLAIM = `
  update coins c set claimed_by = $2
  from unnest($3::text[], $4::bigint[]) as wanted (txid, vout)
  where c.chain = $1 and c.txid = wanted.txid and c.vout = wanted.vout
    and c.claimed_by is null and not c.doubted and ($5 or c.block_height is not null)
  returning c.vout`;
const RELEASE = `
  update coins set claimed_by = null
  where claimed_by = $1 and (txid, vout) not in (select * from unnest($2::text[], $3::bigint[]))`;
const NAMED = `
  select ${COLUMNS} from coins
  where chain = $1 and (txid, vout) in (select * from unnest($2::text[], $3::bigint[])) order by txid, vout`;
const DOUBT = `
  update coins c set doubted = $4
  from unnest($2::text[], $3::bigint[]) as given (txid, vout)
  where c.chain = $1 and c.txid = given.txid and c.vout = given.vout`;
const DOUBTED = `
  select ${COLUMNS} from coins where chain = $1 and doubted and block_height is not null and ${IS_OURS}
  order by txid, vout limit $2`;
// What was booked last for it is that it came.
const BOOKED_IN_VAIN = `
  select ${COLUMNS}, b.block_height, b.block_hash from coins c
  join lateral (
    select k.block_height, k.block_hash from capital_bookings k
    where k.chain = c.chain and k.coin = c.txid || ':' || c.vout order by k.at desc, k.id desc limit 1) b on true
  where c.chain = $1 and c.booked and c.block_height is null order by c.txid, c.vout limit $2
  for no key update of c`;
const SETTLE = `
  update coins set block_height = $3 where chain = $1 and txid = $2 and block_height is distinct from $3`;
const STANDING = `
  select ${COLUMNS} from coins
  where chain = $1 and block_height is not null and (txid, vout) > ($2, $3::bigint) and ${IS_OURS}
    and (claimed_by is null or not exists (select 1 from signed_transactions s where s.bundle_id = coins.claimed_by))
  order by txid, vout limit $4`;
// The statuses are those of partial indexes: the history may be long.
const UNCREDITED = `
  select txid, vout from (
    select d.txid, case when d.output like 'vout:%' then substr(d.output, 6)::bigint end as vout from deposits d
    where d.chain = $1 and d.block_height is not null and not d.encumbered and not d.sandbox
      and not exists (select from frozen_addresses f where f.chain = d.chain and f.address = d.address)
      and (d.status = 'confirming' or d.status = 'arrived' or d.status in ('held', 'stray'))) as paid
  where vout is not null and (txid, vout) > ($2, $3::bigint) order by txid, vout limit $4`;

// Looked up one by one: thousands of a block, nearly none of them ours.
const OURS = `
  select o.txid || ':' || o.vout as outpoint from unnest($2::text[], $3::bigint[]) as o (txid, vout)
  cross join lateral (
    select address from coins c where c.chain = $1 and c.txid = o.txid and c.vout = o.vout
    union all
    select address from deposits d where d.chain = $1 and d.txid = o.txid and d.output = 'vout:' || o.vout limit 1) paid
  where not exists (select from frozen_addresses f where f.chain = $1 and f.address = paid.address)`;

interface CoinRow {
  readonly txid: string;
  readonly vout: string;
  readonly address: string;
  readonly key_role: WalletKey['role'];
  readonly key_index: string | null;
  readonly units: string;
}

interface BookedRow extends CoinRow {
  readonly block_height: string;
  readonly block_hash: string;
}

export function coinRepository(sql: Sql): CoinRepository {
  const outpoints = (coins: readonly Outpoint[]) => [
    coins.map(({ txid }) => txid),
    coins.map(({ vout }) => vout),
  ];

  return {
    async insert(chain, coins) {
      for (const { txid, vout, address, key, units } of coins) {
        const index = key.role === 'hot' ? null : key.index;
        await sql.query(INSERT, [chain, txid, vout, address, key.role, index, units.toString()]);
      }
    },

    async insertDeposit(deposit, family) {
      await sql.query(INSERT_DEPOSIT, [deposit.id, family]);
    },

    async removeDeposit({ chain, txid, output }) {
      await sql.query(REMOVE_DEPOSIT, [chain, txid, output]);
    },

    async insertFunding(chain, { txid, vout, address, units }, { height, hash }) {
      const values = [chain, txid, vout, address, 'hot', null, units.toString(), height, hash];
      await sql.query(INSERT_IN_BLOCK, values);
    },

    async insertChange(chain, { txid, vout, address, key, units }, { height, hash }) {
      if (key.role !== 'change') throw new Error('change comes to an address of ours for change');
      const values = [chain, txid, vout, address, key.role, key.index, units.toString(), height, hash];
      await sql.query(INSERT_IN_BLOCK, values);
    },

    async isFunding(chain, { txid, vout }) {
      const rows = await sql.query(
        `select from coins where chain = $1 and txid = $2 and vout = $3 and key_role = 'hot'`,
        [chain, txid, vout],
      );
      return rows.length > 0;
    },

    async ours(chain, wanted) {
      if (wanted.length === 0) return new Set();
      const [txids, vouts] = [
        wanted.map((outpoint) => outpoint.split(':')[0]!),
        wanted.map((outpoint) => Number(outpoint.split(':')[1])),
      ];
      const rows = await sql.query<{ outpoint: string }>(OURS, [chain, txids, vouts]);
      return new Set(rows.map(({ outpoint }) => outpoint));
    },

    async unbookedUnits(chain, height) {
      const rows = await sql.query<{ units: string }>(
        'select coalesce(sum(units), 0) as units from coins where chain = $1 and not booked and block_height <= $2',
        [chain, height],
      );
      return BigInt(theOnly(rows, `unbooked funding of ${chain}`).units);
    },

    async removeFunding(chain, { txid, vout }) {
      await sql.query('delete from coins where chain = $1 and txid = $2 and vout = $3 and not booked', [
        chain,
        txid,
        vout,
      ]);
    },

    async orphanAbove(chain, height) {
      await sql.query(ORPHAN_ARRIVALS, [chain, height]);
    },

    async free(chain, finalHeight, limit) {
      const rows = await sql.query<CoinRow>(
        `select ${COLUMNS} from coins where ${FREE} order by units desc, txid, vout limit $3`,
        [chain, finalHeight, limit],
      );
      return rows.map(coinFromRow);
    },

    async freeUnits(chain, finalHeight) {
      const rows = await sql.query<{ units: string }>(
        `select coalesce(sum(units), 0) as units from coins where ${FREE}`,
        [chain, finalHeight],
      );
      return BigInt(theOnly(rows, `free coins of ${chain}`).units);
    },

    async claim(chain, bundleId, coins, { waiting = false } = {}) {
      const claimed = await sql.query(CLAIM, [chain, bundleId, ...outpoints(coins), waiting]);
      if (claimed.length === coins.length) return true;
      if (claimed.length > 0)
        await sql.query('update coins set claimed_by = null where claimed_by = $1', [bundleId]);
      return false;
    },

    async ofBundle(bundleId) {
      const rows = await sql.query<CoinRow>(
        `select ${COLUMNS} from coins where claimed_by = $1 order by units desc, txid, vout`,
        [bundleId],
      );
      return rows.map(coinFromRow);
    },

    async named(chain, coins) {
      return (await sql.query<CoinRow>(NAMED, [chain, ...outpoints(coins)])).map(coinFromRow);
    },

    async lostOf(bundleId) {
      const rows = await sql.query<CoinRow>(
        `select ${COLUMNS} from coins where claimed_by = $1 and block_height is null order by txid, vout`,
        [bundleId],
      );
      return rows.map(coinFromRow);
    },

    async doubt(chain, coins, doubted) {
      await sql.query(DOUBT, [chain, ...outpoints(coins), doubted]);
    },

    async doubted(chain, limit) {
      return (await sql.query<CoinRow>(DOUBTED, [chain, limit])).map(coinFromRow);
    },

    async release(bundleId, spent = []) {
      await sql.query(RELEASE, [bundleId, ...outpoints(spent)]);
    },

    async settle(chain, txid, height) {
      await sql.query(SETTLE, [chain, txid, height]);
    },

    async lockUnbooked(chain, finalHeight, limit, txid) {
      const rows = await sql.query<BookedRow>(
        `select ${COLUMNS}, block_height, block_hash from coins
         where chain = $1 and not booked and block_height <= $2 and ($4::text is null or txid = $4)
         order by block_height, txid, vout limit $3 for no key update`,
        [chain, finalHeight, limit, txid ?? null],
      );
      return rows.map(withBlock);
    },

    async lockBookedInVain(chain, limit) {
      return (await sql.query<BookedRow>(BOOKED_IN_VAIN, [chain, limit])).map(withBlock);
    },

    async markBooked(chain, { txid, vout }, booked) {
      await sql.query('update coins set booked = $4 where chain = $1 and txid = $2 and vout = $3', [
        ...[chain, txid, vout],
        booked,
      ]);
    },

    async standing(chain, { after, limit }) {
      const rows = await sql.query<CoinRow>(STANDING, [chain, after?.txid ?? '', after?.vout ?? -1, limit]);
      return rows.map(coinFromRow);
    },

    async uncredited(chain, { after, limit }) {
      const values = [chain, after?.txid ?? '', after?.vout ?? -1, limit];
      const rows = await sql.query<Pick<CoinRow, 'txid' | 'vout'>>(UNCREDITED, values);
      return rows.map(({ txid, vout }) => ({ txid, vout: Number(vout) }));
    },
  };
}

function coinFromRow(row: CoinRow): Coin {
  return {
    txid: row.txid,
    vout: Number(row.vout),
    address: row.address,
    key: keyOf(row),
    units: BigInt(row.units),
  };
}

function withBlock(row: BookedRow): Coin & { readonly block: Block } {
  return { ...coinFromRow(row), block: { height: Number(row.block_height), hash: row.block_hash } };
}

function keyOf({ key_role: role, key_index: index, txid }: CoinRow): WalletKey {
  if (role === 'hot') return { role };
  if (index === null) throw new Error(`the coin of ${txid} has no key`);
  return { role, index: Number(index) };
}
