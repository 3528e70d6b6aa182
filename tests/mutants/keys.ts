/** Bugs in changing API keys and in what webhooks are signed with. */
import { bugs, type Mutant } from './mutant.ts';

const JOURNEY = ['tests/journeys/changing-keys.test.ts'];
const REPOSITORIES = ['tests/adapters/postgres/repositories.test.ts'];
const QUERIES = ['tests/adapters/postgres/queries.test.ts'];

export const KEY_MUTANTS: readonly Mutant[] = [
  ...bugs('src/domain/key-overlap.ts', JOURNEY, [
    ['if (older === null || newestUsed)', 'if (older === null || !newestUsed)'],
    ['return { current: newest, other: older };', 'return { current: newest, other: null };'],
    ['return { current: older, other: newest };', 'return { current: newest, other: older };'],
  ]),
  ...bugs('src/app/authenticate.ts', JOURNEY, [
    ['if (identity?.firstUse === true) await', 'if (identity?.firstUse === true) void'],
    ['if (identity?.firstUse === true)', 'if (identity !== null)'],
    ['if (await deps.unitOfWork.run(({ merchants })', 'if (!await deps.unitOfWork.run(({ merchants })'],
  ]),
  ...bugs('src/app/attempt-delivery.ts', JOURNEY, [
    [
      "const isFinal = verdict === 'rejected' && keys?.other == null;",
      "const isFinal = verdict === 'rejected';",
    ],
  ]),
  ...bugs('src/app/webhook-secrets.ts', JOURNEY, [
    ['seconds === 0 ? null', 'seconds < 0 ? null'],
    ['seconds * 1_000', 'seconds'],
  ]),
  ...bugs(
    'src/app/tell-ending-keys.ts',
    ['tests/app/tell-ending-keys.test.ts'],
    [
      ['if (!told.has(nameOf(key)))', ''],
      ['[merchantId, environment, until.toISOString()]', '[merchantId, environment]'],
      ['2 * 3_600_000', '3 * 3_600_000'],
    ],
  ),
  ...bugs('src/adapters/postgres/merchants.ts', REPOSITORIES, [
    [
      "const IN_ENVIRONMENT = 'merchant_id = $1 and sandbox = $2'",
      "const IN_ENVIRONMENT = 'merchant_id = $1'",
    ],
    ['         where ${IN_ENVIRONMENT} and revoked_at is null', '         where ${IN_ENVIRONMENT}'],
    ['lives_until > $3 as lived', 'lives_until >= $3 as lived'],
    ['where lookup_hash = $1 and first_used_at is null returning', 'where lookup_hash = $1 returning'],
    ['case when older.lived then $4::timestamptz end', '$4::timestamptz'],
    ['and o.lives_until <= $2 and', 'and o.lives_until < $2 and'],
    ['o.lives_until <= $2 and k.first_used_at is null', 'o.lives_until <= $2'],
    ['{ livesOn: revoked.length > 0, ended }', '{ livesOn: true, ended }'],
    ['ended: ended + revoked.length', 'ended: revoked.length'],
  ]),
  ...bugs(
    'src/adapters/postgres/signing-keys.ts',
    [...QUERIES, ...REPOSITORIES],
    [
      [' and k.revoked_at is null', ''],
      ['o.lives_until > ${now}', 'o.lives_until >= ${now}'],
      ['and o.lives_until > ${now}', 'and o.lives_until is not null'],
      [' and ${alias}.sandbox = ${of}.sandbox', ''],
      ['k.first_used_at is not null', 'k.first_used_at is null'],
    ],
  ),
  ...bugs('src/adapters/postgres/signing-keys.ts', REPOSITORIES, [
    ['s.older_until > ${now}', 's.older_until >= ${now}'],
    ['[row.newest_secret, row.older_secret]', '[row.older_secret, row.newest_secret]'],
  ]),
  ...bugs('src/adapters/postgres/webhook-secrets.ts', REPOSITORIES, [
    ['older_until > $3 as signed', 'older_until >= $3 as signed'],
    ['case when older.signed then $4::timestamptz end', '$4::timestamptz'],
    ['case when $5::timestamptz is null then null else webhook_secrets.sealed end', 'webhook_secrets.sealed'],
    ['webhook_secrets.sealed end', 'excluded.sealed end'],
  ]),
  ...bugs('src/app/webhook-headers.ts', JOURNEY, [
    ['secrets.map((secret)', 'secrets.slice(0, 1).map((secret)'],
    [
      "['Signature-Previous', deps.webhookSigner.sign(body, other)]",
      "['Signature-Previous', deps.webhookSigner.sign(body, current)]",
    ],
    ['[OWN_PREFIX, ...deps.webhookHeaderPrefixes]', '[OWN_PREFIX]'],
    ["'webhook-id': id", "'webhook-id': `${id}.${unixSeconds}`"],
  ]),
  ...bugs('src/adapters/webhooks/hmac-signer.ts', JOURNEY, [
    ["Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')", 'Buffer.from(secret)'],
  ]),
  ...bugs('src/adapters/postgres/queries.ts', QUERIES, [
    ['k.lives_until > $2', 'k.lives_until >= $2'],
    ['k.revoked_at is null and k.first_used_at is null and exists', 'k.first_used_at is null and exists'],
    ['k.first_used_at is null and exists', 'exists'],
    ['and o.lives_until is not null) as', ') as'],
  ]),
];
