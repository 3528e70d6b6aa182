/** Bugs in what is believed of nodes, and in what is told while they are away. */
import { bugs, type Mutant } from './mutant.ts';

const CHAINS = 'tests/adapters/chains';

export const PROVIDER_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/ton/omissions.ts',
    [`${CHAINS}/ton-omissions.test.ts`, `${CHAINS}/ton-index.test.ts`],
    [
      ['larger(0n, times.reduce(smaller) - LOOKED_BACK)', 'times.reduce(smaller)'],
      ['if (recorded.has(outputKey(transfer))) continue;', ''],
      ['moved.slice(0, LOOKED_AT_ONCE)', 'moved'],
      ['found.flatMap((each) => each.left)', '[]'],
      ['found.length === 0 ? asked :', ''],
    ],
  ),
  ...bugs(
    'src/adapters/chains/ton/index-api.ts',
    [`${CHAINS}/ton-pace.test.ts`],
    [
      ['time.now() < (resting.get(use)?.until', "time.now() < (resting.get('accounts')?.until"],
      ['2 * before - (now - until)', '0'],
      ['2 * before - (now - until)', '2 * before'],
      ['if (now < until) return;', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/checkout-queries.ts',
    ['tests/adapters/postgres/queries.test.ts'],
    [
      ["then 'gone' end, ${LATE})) as state", "then 'gone' end)) as state"],
      ['when i.sandbox or i.status not in', 'when i.status not in'],
      ["when i.asset is null then nullif(array_to_string($2::text[], ','), '')", ''],
    ],
  ),
  ...bugs(
    'src/adapters/http/checkout/client/refresh.ts',
    ['tests/http/checkout-client-live.test.ts'],
    [[" ${said('#seen-late')}`.trim()", '`']],
  ),
  ...bugs(
    'src/app/build-application.ts',
    ['tests/journeys/chain-health.test.ts'],
    [['liveStates(externalIds, assetsSeenLate(deps))', 'liveStates(externalIds, [])']],
  ),
  ...bugs(
    'src/app/reconcile-chain.ts',
    ['tests/journeys/unlisted-tokens.test.ts'],
    [['assets: [...listed, ...came]', 'assets: listed']],
  ),
];
