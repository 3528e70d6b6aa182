/** Merchants and their keys. A merchant comes with its counters and balance rows, so that no hot path has to create them. */
import type { Environment, Merchant } from '../../domain/merchant.ts';
import type { MerchantRepository, StoredKey } from '../../ports/merchant-repository.ts';
import type { Sql } from './client.ts';
import { MERCHANT_COLUMNS, type MerchantRow, merchantFromRow, merchantToRow } from './merchant-row.ts';
import { type SigningRow, signingKeysFromRow, signingKeysOf } from './signing-keys.ts';
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

const IN_ENVIRONMENT = 'merchant_id = $1 and sandbox = $2';
const END_OLDER = `
  with older as (
    select lookup_hash, lives_until > $3 as lived from api_keys
    where ${IN_ENVIRONMENT} and lives_until is not null for update)
  update api_keys k set lives_until = case when older.lived then $4::timestamptz end from older where k.lookup_hash = older.lookup_hash
  returning older.lived`;
const REVOKE = `
  update api_keys set revoked_at = $3, lives_until = $4 where ${IN_ENVIRONMENT} and revoked_at is null
  returning lookup_hash`;
const SIGNING = signingKeysOf('d', '$3::timestamptz');
const SIGNING_KEYS = `
  select ${SIGNING.columns} from (select $1::text as merchant_id, $2::boolean as sandbox) d ${SIGNING.joins}`;
const NOTE_FIRST_USE = `
  update api_keys set first_used_at = $2 where lookup_hash = $1 and first_used_at is null returning lookup_hash`;

const ENDING_UNFOLLOWED = `
  select o.merchant_id, o.sandbox, o.lives_until
  from api_keys o join api_keys k on k.merchant_id = o.merchant_id and k.sandbox = o.sandbox and k.revoked_at is null
  where o.lives_until > $1 and o.lives_until <= $2 and k.first_used_at is null
  order by o.lives_until, o.merchant_id`;

interface KeyRow {
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly lookup_hash: string;
  readonly sealed: string;
  readonly created_at: Date;
}

export function merchantRepository(sql: Sql): MerchantRepository {
  async function one(text: string, id: string): Promise<Merchant | null> {
    const [row] = await sql.query<MerchantRow>(text, [id]);
    return row ? merchantFromRow(row) : null;
  }

  return {
    async insert(merchant) {
      await sql.query(INSERT, inOrder(merchantToRow(merchant), MERCHANT_COLUMNS));
    },

    find: (id) => one(FIND, id),
    lock: (id) => one(`${FIND} for no key update`, id),

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

    async putKey(key, olderUntil) {
      // The merchant's row is locked first, so that two calls cannot both find nothing to revoke.
      theOnly(
        await sql.query('select id from merchants where id = $1 for update', [key.merchantId]),
        `merchant ${key.merchantId}`,
      );
      const sandbox = key.environment === 'sandbox';
      const older = await sql.query<{ lived: boolean }>(END_OLDER, [
        ...[key.merchantId, sandbox, key.createdAt, null],
      ]);
      const revoked = await sql.query(REVOKE, [key.merchantId, sandbox, key.createdAt, olderUntil]);
      await sql.query(
        insertInto('api_keys', ['merchant_id', 'sandbox', 'lookup_hash', 'sealed', 'created_at']),
        [key.merchantId, sandbox, key.lookupHash, key.sealed, key.createdAt],
      );
      const ended = older.filter(({ lived }) => lived).length;
      return olderUntil === null
        ? { livesOn: false, ended: ended + revoked.length }
        : { livesOn: revoked.length > 0, ended };
    },

    async activeKey(merchantId, environment) {
      const [row] = await sql.query<KeyRow>(
        `select merchant_id, sandbox, lookup_hash, sealed, created_at from api_keys
         where ${IN_ENVIRONMENT} and revoked_at is null`,
        [merchantId, environment === 'sandbox'],
      );
      return row ? keyFromRow(row) : null;
    },

    async signingKeys(merchantId, environment, now) {
      const rows = await sql.query<SigningRow>(SIGNING_KEYS, [merchantId, environment === 'sandbox', now]);
      return signingKeysFromRow(theOnly(rows, `signing keys of ${merchantId}`));
    },

    async noteFirstUse(lookupHash, at) {
      return (await sql.query(NOTE_FIRST_USE, [lookupHash, at])).length > 0;
    },

    async keysEndingUnfollowed(now, until) {
      type Row = Pick<KeyRow, 'merchant_id' | 'sandbox'> & { lives_until: Date };
      const rows = await sql.query<Row>(ENDING_UNFOLLOWED, [now, until]);
      return rows.map((row) => ({
        ...{ merchantId: row.merchant_id, environment: environmentOf(row.sandbox), until: row.lives_until },
      }));
    },

    async endOlderKey(merchantId, environment, { now, until }) {
      const ended = await sql.query<{ lived: boolean }>(END_OLDER, [
        merchantId,
        environment === 'sandbox',
        now,
        until,
      ]);
      return ended.some(({ lived }) => lived);
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
