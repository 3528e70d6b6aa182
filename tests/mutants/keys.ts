/** Bugs in changing API keys and in what webhooks are signed with. */
import { bugs, type Mutant } from './mutant.ts';

const JOURNEY = ['tests/journeys/webhooks/changing-keys.test.ts'];
const REPOSITORIES = ['tests/adapters/postgres/repositories.test.ts'];
const QUERIES = ['tests/adapters/postgres/queries.test.ts'];

export const KEY_MUTANTS: readonly Mutant[] = [
  ...bugs('src/domain/merchants/key-overlap.ts', JOURNEY, [
    ['if (older === null || newestUsed)', 'if (older === null || !newestUsed)'],
    ['return { current: newest, other: older };', 'return { current: newest, other: null };'],
    ['return { current: older, other: newest };', 'return { current: newest, other: older };'],
  ]),
  ...bugs('src/app/merchants/authenticate.ts', JOURNEY, [
    ['if (identity?.firstUse === true) await', 'if (identity?.firstUse === true) void'],
    ['if (identity?.firstUse === true)', 'if (identity !== null)'],
    ['if (await deps.unitOfWork.run(({ merchants })', 'if (!await deps.unitOfWork.run(({ merchants })'],
  ]),
  ...bugs('src/app/webhooks/attempt-delivery.ts', JOURNEY, [
    [
      "const isFinal = verdict === 'rejected' && keys?.other == null;",
      "const isFinal = verdict === 'rejected';",
    ],
  ]),
  ...bugs('src/app/merchants/webhook-secrets.ts', JOURNEY, [
    ['seconds === 0 ? null', 'seconds < 0 ? null'],
    ['seconds * 1_000', 'seconds'],
  ]),
  ...bugs(
    'src/app/merchants/warn-ending-keys.ts',
    ['tests/app/merchants/warn-ending-keys.test.ts'],
    [
      ['if (!told.has(nameOf(key)))', ''],
      ['[merchantId, environment, until.toISOString()]', '[merchantId, environment]'],
      ['2 * 3_600_000', '3 * 3_600_000'],
    ],
  ),
  ...bugs('src/adapters/postgres/merchants/merchants.ts', REPOSITORIES, [
    ['= ${merchantId} and ${k.sandbox} = ${sandbox}`', '= ${merchantId} and ${k.sandbox} <= ${sandbox}`'],
    ['${inEnvironment(its)} and ${k.revokedAt} is null`', '${inEnvironment(its)}`'],
    ['${k.livesUntil} > ${now} as lived', '${k.livesUntil} >= ${now} as lived'],
    ['= ${lookupHash} and ${k.firstUsedAt} is null', '= ${lookupHash}'],
    ['case when older.lived then ${until} end', '${until}'],
    ['${o.livesUntil} <= ${until}', '${o.livesUntil} < ${until}'],
    ['<= ${until} and ${k.firstUsedAt} is null', '<= ${until}'],
    ['{ livesOn: revoked.length > 0, ended }', '{ livesOn: true, ended }'],
    ['ended: ended + revoked.length', 'ended: revoked.length'],
  ]),
  ...bugs(
    'src/adapters/postgres/merchants/signing-keys.ts',
    [...QUERIES, ...REPOSITORIES],
    [
      [' and ${k.revokedAt} is null', ''],
      ['${o.livesUntil} > ${now}', '${o.livesUntil} >= ${now}'],
      ['and ${o.livesUntil} > ${now}', 'and ${o.livesUntil} is not null'],
      [' and ${one.sandbox} = ${of.sandbox}', ''],
      ['${k.firstUsedAt} is not null', '${k.firstUsedAt} is null'],
    ],
  ),
  ...bugs('src/adapters/postgres/merchants/signing-keys.ts', REPOSITORIES, [
    ['${olderUntil} > ${now}', '${olderUntil} >= ${now}'],
    ['[row.newestSecret, row.olderSecret]', '[row.olderSecret, row.newestSecret]'],
  ]),
  ...bugs('src/adapters/postgres/webhooks/webhook-secrets.ts', REPOSITORIES, [
    ['${s.olderUntil} > ${now}', '${s.olderUntil} >= ${now}'],
    ['case when older.signed then ${until} end', '${until}'],
    ['case when ${olderUntil} is not null then ${s.sealed} end', '${s.sealed}'],
    ['then ${s.sealed} end', 'then excluded.sealed end'],
  ]),
  ...bugs('src/app/webhooks/webhook-headers.ts', JOURNEY, [
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
    ['${k.livesUntil} > ${now}', '${k.livesUntil} >= ${now}'],
    ['${k.revokedAt} is null and ${k.firstUsedAt} is null and', '${k.firstUsedAt} is null and'],
    ['${k.firstUsedAt} is null and exists', 'exists'],
    ['and ${o.livesUntil} is not null)', ')'],
  ]),
];
