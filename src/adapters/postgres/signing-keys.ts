/** What the webhooks of a merchant and environment are signed with, joined to the rows that need it. */
import { inSigningOrder } from '../../domain/key-overlap.ts';
import type { SigningKeys } from '../../ports/webhook-signer.ts';

/** `of` names rows with merchant_id and sandbox, `now` a parameter. Each join is by an index with one row for each of them. */
export function signingKeysOf(of: string, now: string): { readonly columns: string; readonly joins: string } {
  const its = (alias: string) =>
    `${alias}.merchant_id = ${of}.merchant_id and ${alias}.sandbox = ${of}.sandbox`;
  return {
    columns: `
    k.sealed as newest_key, k.first_used_at is not null as newest_used, o.sealed as older_key,
    s.sealed as newest_secret, case when s.older_until > ${now} then s.older_sealed end as older_secret`,
    joins: `
  left join api_keys k on ${its('k')} and k.revoked_at is null
  left join api_keys o on ${its('o')} and o.lives_until > ${now}
  left join webhook_secrets s on ${its('s')}`,
  };
}

export interface SigningRow {
  readonly newest_key: string | null;
  readonly newest_used: boolean;
  readonly older_key: string | null;
  readonly newest_secret: string | null;
  readonly older_secret: string | null;
}

/** Null when no key was ever issued. */
export function signingKeysFromRow(row: SigningRow): SigningKeys | null {
  if (row.newest_key === null) return null;
  const order = inSigningOrder({ newest: row.newest_key, newestUsed: row.newest_used, older: row.older_key });
  return { ...order, secrets: [row.newest_secret, row.older_secret].filter((secret) => secret !== null) };
}
