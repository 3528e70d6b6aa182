/** The keys that sign webhooks of a merchant and environment, joined to the rows that need them. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
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

interface Environment {
  readonly merchantId: SQLWrapper;
  readonly sandbox: SQLWrapper;
}

/** For rows with these columns; each join uses an index with one row for each of them. */
export function signingJoins(of: Environment, now: SQL): SQL {
  const its = (one: Environment): SQL =>
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

type SigningRow = RowOf<typeof SIGNING_KEYS>;

/** Null if no key was ever issued. */
export function signingKeysFromRow(row: SigningRow): SigningKeys | null {
  if (row.newestKey === null) return null;
  const order = inSigningOrder({ newest: row.newestKey, newestUsed: row.newestUsed, older: row.olderKey });
  return { ...order, secrets: [row.newestSecret, row.olderSecret].filter((secret) => secret !== null) };
}
