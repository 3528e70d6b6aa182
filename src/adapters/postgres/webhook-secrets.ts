/** Webhook secrets: one row of each merchant and environment holds both of an overlap. */
import type { StoredSecret, WebhookSecretRepository } from '../../ports/webhook-secrets.ts';
import type { Sql } from './client.ts';
import { insertInto } from './statements.ts';

const INSERT = insertInto('webhook_secrets', ['merchant_id', 'sandbox', 'sealed', 'created_at']);
const PUT_FIRST = `${INSERT} on conflict do nothing`;
const PUT = `
  ${INSERT} on conflict (merchant_id, sandbox) do update set
    older_sealed = case when $5::timestamptz is null then null else webhook_secrets.sealed end, older_until = $5,
    sealed = excluded.sealed, created_at = excluded.created_at`;
const FIND =
  'select sealed, older_sealed, older_until from webhook_secrets where merchant_id = $1 and sandbox = $2';
const END_OLDER = `
  with older as (
    select merchant_id, sandbox, older_until > $3 as signed from webhook_secrets
    where merchant_id = $1 and sandbox = $2 and older_until is not null for update)
  update webhook_secrets s set
    older_until = case when older.signed then $4::timestamptz end,
    older_sealed = case when older.signed and $4 is not null then s.older_sealed end
  from older where s.merchant_id = older.merchant_id and s.sandbox = older.sandbox
  returning older.signed`;

type SecretRow = { readonly sealed: string } & (
  | { readonly older_sealed: string; readonly older_until: Date }
  | { readonly older_sealed: null }
);

export function webhookSecretRepository(sql: Sql): WebhookSecretRepository {
  const valuesOf = ({ merchantId, environment, sealed, createdAt }: StoredSecret) => [
    ...[merchantId, environment === 'sandbox', sealed, createdAt],
  ];
  return {
    async putFirst(secret) {
      await sql.query(PUT_FIRST, valuesOf(secret));
    },

    async put(secret, olderUntil) {
      await sql.query(PUT, [...valuesOf(secret), olderUntil]);
    },

    async find(merchantId, environment) {
      const [row] = await sql.query<SecretRow>(FIND, [merchantId, environment === 'sandbox']);
      if (row === undefined) return null;
      const older = row.older_sealed === null ? null : { sealed: row.older_sealed, until: row.older_until };
      return { sealed: row.sealed, older };
    },

    async endOlder(merchantId, environment, { now, until }) {
      const parameters = [merchantId, environment === 'sandbox', now, until];
      return (await sql.query<{ signed: boolean }>(END_OLDER, parameters)).some(({ signed }) => signed);
    },
  };
}
