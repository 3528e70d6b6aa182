/** Webhook secrets: one row per merchant and environment holds both of an overlap. */
import { sql } from 'drizzle-orm';
import type {
  FoundSecrets,
  StoredSecret,
  WebhookSecretRepository,
} from '../../../ports/webhooks/webhook-secrets.ts';
import type { Sql } from '../client/sql.ts';
import { webhookSecrets as s } from '../schema/merchants.ts';
import { type RowOf, statement } from '../statement.ts';
import { at, insertInto, like, names, nullable, set, toExcluded } from '../statement-parts.ts';

const ENVIRONMENT = { merchantId: s.merchantId, sandbox: s.sandbox };
const SECRET = { ...ENVIRONMENT, sealed: s.sealed, createdAt: s.createdAt };

const PUT_FIRST = statement({
  given: SECRET,
  text: (values) => sql`${insertInto(s, values)} on conflict do nothing`,
});
const PUT = statement({
  given: { ...SECRET, olderUntil: nullable(s.olderUntil) },
  text: ({ olderUntil, ...values }) => sql`
    ${insertInto(s, values)} on conflict (${names(s.merchantId, s.sandbox)}) do update set
      ${set(s, { olderSealed: like(s.olderSealed, sql`case when ${olderUntil} is not null then ${s.sealed} end`) })},
      ${set(s, { olderUntil })}, ${toExcluded(s.sealed, s.createdAt)}`,
});
const FOUND = {
  sealed: s.sealed,
  createdAt: s.createdAt,
  olderSealed: s.olderSealed,
  olderUntil: s.olderUntil,
};
type FoundSecretsRow = RowOf<typeof FOUND>;
const FIND = statement({
  given: ENVIRONMENT,
  selects: FOUND,
  text: ({ merchantId, sandbox }, select) =>
    sql`select ${select} from ${s} where ${s.merchantId} = ${merchantId} and ${s.sandbox} = ${sandbox}`,
});
const END_OLDER = statement({
  given: { ...ENVIRONMENT, now: s.createdAt, until: nullable(s.olderUntil) },
  selects: { signed: sql<boolean>`older.signed` },
  text: ({ merchantId, sandbox, now, until }, select) => sql`
    with older as (
      select ${s.merchantId}, ${s.sandbox}, ${s.olderUntil} > ${now} as signed from ${s}
      where ${s.merchantId} = ${merchantId} and ${s.sandbox} = ${sandbox} and ${s.olderUntil} is not null
      for update)
    update ${s} set ${set(s, {
      olderUntil: like(s.olderUntil, sql`case when older.signed then ${until} end`),
      olderSealed: like(
        s.olderSealed,
        sql`case when older.signed and ${until} is not null then ${s.olderSealed} end`,
      ),
    })}
    from older
    where ${s.merchantId} = ${at('older', s.merchantId)} and ${s.sandbox} = ${at('older', s.sandbox)}
    returning ${select}`,
});

export function webhookSecretRepository(on: Sql): WebhookSecretRepository {
  return {
    async putFirst(secret) {
      await PUT_FIRST(on, rowOf(secret));
    },

    async put(secret, olderUntil) {
      await PUT(on, { ...rowOf(secret), olderUntil });
    },

    async find(merchantId, environment) {
      const [row] = await FIND(on, { merchantId, sandbox: environment === 'sandbox' });
      return row === undefined ? null : secretsFromRow(row);
    },

    async endOlder(merchantId, environment, { now, until }) {
      const ended = await END_OLDER(on, { merchantId, sandbox: environment === 'sandbox', now, until });
      return ended.some(({ signed }) => signed);
    },
  };
}

export function secretsFromRow({
  sealed,
  createdAt,
  olderSealed,
  olderUntil,
}: FoundSecretsRow): FoundSecrets {
  const older =
    olderSealed === null || olderUntil === null ? null : { sealed: olderSealed, until: olderUntil };
  return { sealed, createdAt, older };
}

function rowOf({ merchantId, environment, sealed, createdAt }: StoredSecret) {
  return { merchantId, sandbox: environment === 'sandbox', sealed, createdAt };
}
