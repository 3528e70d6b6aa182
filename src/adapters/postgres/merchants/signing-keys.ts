/** What the webhooks of a merchant and environment are signed with, joined to the rows that need it. */
import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { inSigningOrder } from '../../../domain/merchants/key-overlap.ts';
import type { SigningKeys } from '../../../ports/webhooks/webhook-signer.ts';
import { apiKeys, webhookSecrets } from '../schema/merchants.ts';
import type { RowOf } from '../statement.ts';
import { names, outer } from '../statement-parts.ts';

const k = alias(apiKeys, 'k');
const o = alias(apiKeys, 'o');
const s = alias(webhookSecrets, 's');

export const SIGNING_KEYS = {
  ...outer({ newestKey: k.sealed, olderKey: o.sealed, newestSecret: s.sealed, olderSecret: s.olderSealed }),
  newestUsed: sql<boolean>`${k.firstUsedAt} is not null`,
};

/** Of rows with these; each join is by an index with one row for each of them. */
export function signingJoins(of: { readonly merchantId: SQL; readonly sandbox: SQL }, now: SQL): SQL {
  const its = (one: { merchantId: unknown; sandbox: unknown }): SQL =>
    sql`${one.merchantId} = ${of.merchantId} and ${one.sandbox} = ${of.sandbox}`;
  const { merchantId, sandbox, sealed, olderSealed, olderUntil } = webhookSecrets;
  return sql`
    left join ${apiKeys} k on ${its(k)} and ${k.revokedAt} is null
    left join ${apiKeys} o on ${its(o)} and ${o.livesUntil} > ${now}
    left join (
      select ${merchantId}, ${sandbox}, ${sealed},
        case when ${olderUntil} > ${now} then ${olderSealed} end as ${names(olderSealed)}
      from ${webhookSecrets}) s on ${its(s)}`;
}

/** The same as text, for statements that are not made from the schema yet. */
export function signingKeysOf(of: string, now: string): { readonly columns: string; readonly joins: string } {
  const its = (alias: string) =>
    `${alias}.merchant_id = ${of}.merchant_id and ${alias}.sandbox = ${of}.sandbox`;
  return {
    columns: `
    k.sealed as "newestKey", k.first_used_at is not null as "newestUsed", o.sealed as "olderKey",
    s.sealed as "newestSecret", case when s.older_until > ${now} then s.older_sealed end as "olderSecret"`,
    joins: `
  left join api_keys k on ${its('k')} and k.revoked_at is null
  left join api_keys o on ${its('o')} and o.lives_until > ${now}
  left join webhook_secrets s on ${its('s')}`,
  };
}

export type SigningRow = RowOf<typeof SIGNING_KEYS>;

/** Null when no key was ever issued. */
export function signingKeysFromRow(row: SigningRow): SigningKeys | null {
  if (row.newestKey === null) return null;
  const order = inSigningOrder({ newest: row.newestKey, newestUsed: row.newestUsed, older: row.olderKey });
  return { ...order, secrets: [row.newestSecret, row.olderSecret].filter((secret) => secret !== null) };
}
