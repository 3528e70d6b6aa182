/** Merchants and their keys. A merchant comes with its counters and balance rows, so that no hot path has to create them. */
import type { Environment } from '../../domain/merchant.ts';
import type { MerchantRepository, StoredKey } from '../../ports/repositories.ts';
import type { Sql } from './client.ts';
import { MERCHANT_COLUMNS, type MerchantRow, merchantFromRow, merchantToRow } from './merchant-row.ts';
import { inOrder, insertInto, theOnly, updateById } from './statements.ts';

const STREAM_LIST = `'invoices', 'payouts', 'ledger', 'notifications', 'events'`;
const INSERT = `
  with merchant as (${insertInto('merchants', MERCHANT_COLUMNS)} returning id),
  numbers as (
    insert into counters (merchant_id, sandbox, stream, value, last_at)
    select merchant.id, sandbox, stream, 0, to_timestamp(0)
    from merchant, unnest(array[false, true]) sandbox, unnest(array[${STREAM_LIST}]) stream)
  insert into balances (merchant_id, sandbox, income_micro_usd, payouts_micro_usd, refunds_micro_usd)
  select merchant.id, sandbox, 0, 0, 0 from merchant, unnest(array[false, true]) sandbox`;
const CHANGEABLE = MERCHANT_COLUMNS.filter((column) => column !== 'id' && column !== 'created_at');
const UPDATE = `${updateById('merchants', CHANGEABLE)} returning id`;
const FIND = `select ${MERCHANT_COLUMNS.join(', ')} from merchants where id = $1`;

const CALLBACK_URLS = `
  select id, callback_url from merchants where id = any ($1::text[]) and callback_url is not null`;

const PAYOUT_CALLBACKS = `
  select id, callback_url from merchants where id = any ($1::text[]) and payout_webhooks`;

interface KeyRow {
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly lookup_hash: string;
  readonly sealed: string;
  readonly created_at: Date;
}

export function merchantRepository(sql: Sql): MerchantRepository {
  return {
    async insert(merchant) {
      await sql.query(INSERT, inOrder(merchantToRow(merchant), MERCHANT_COLUMNS));
    },

    async find(id) {
      const [row] = await sql.query<MerchantRow>(FIND, [id]);
      return row ? merchantFromRow(row) : null;
    },

    async callbackUrls(ids) {
      if (ids.length === 0) return new Map();
      const rows = await sql.query<{ id: string; callback_url: string }>(CALLBACK_URLS, [ids]);
      return new Map(rows.map((row) => [row.id, row.callback_url]));
    },

    async payoutCallbacks(ids) {
      const rows = await sql.query<{ id: string; callback_url: string | null }>(PAYOUT_CALLBACKS, [ids]);
      return new Map(rows.map((row) => [row.id, row.callback_url]));
    },

    async update(merchant) {
      const row = merchantToRow(merchant);
      theOnly(
        await sql.query(UPDATE, [merchant.id, ...inOrder(row, CHANGEABLE)]),
        `update of merchant ${merchant.id}`,
      );
    },

    async putKey(key) {
      // The merchant's row is locked first, so that two calls cannot both find nothing to revoke.
      theOnly(
        await sql.query('select id from merchants where id = $1 for update', [key.merchantId]),
        `merchant ${key.merchantId}`,
      );
      const sandbox = key.environment === 'sandbox';
      await sql.query(
        'update api_keys set revoked_at = $3 where merchant_id = $1 and sandbox = $2 and revoked_at is null',
        [key.merchantId, sandbox, key.createdAt],
      );
      await sql.query(
        insertInto('api_keys', ['merchant_id', 'sandbox', 'lookup_hash', 'sealed', 'created_at']),
        [key.merchantId, sandbox, key.lookupHash, key.sealed, key.createdAt],
      );
    },

    async activeKey(merchantId, environment) {
      const [row] = await sql.query<KeyRow>(
        `select merchant_id, sandbox, lookup_hash, sealed, created_at from api_keys
         where merchant_id = $1 and sandbox = $2 and revoked_at is null`,
        [merchantId, environment === 'sandbox'],
      );
      return row ? keyFromRow(row) : null;
    },
  };
}

function keyFromRow(row: KeyRow): StoredKey {
  return {
    merchantId: row.merchant_id,
    environment: environmentOf(row.sandbox),
    lookupHash: row.lookup_hash,
    sealed: row.sealed,
    createdAt: row.created_at,
  };
}

export function environmentOf(sandbox: boolean): Environment {
  return sandbox ? 'sandbox' : 'live';
}
