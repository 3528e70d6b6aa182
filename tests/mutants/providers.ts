/** Bugs in what is believed of nodes, and in what is told while they are away. */
import { bugs, type Mutant } from './mutant.ts';

export const PROVIDER_MUTANTS: readonly Mutant[] = [
  ...bugs(
    'src/adapters/chains/ton/read/omissions.ts',
    ['tests/adapters/chains/ton/read/omissions.test.ts', 'tests/adapters/chains/ton/read/index.test.ts'],
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
    ['tests/adapters/chains/ton/pace.test.ts'],
    [
      ['time.now() < (resting.get(use)?.until', "time.now() < (resting.get('accounts')?.until"],
      ['2 * before - (now - until)', '0'],
      ['2 * before - (now - until)', '2 * before'],
      ['if (now < until) return;', ''],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/checkout/checkout-queries.ts',
    ['tests/adapters/postgres/queries.test.ts'],
    [
      ['${late(seenLate)})) as state', '${seenLate} is null)) as state'],
      ['when ${i.sandbox} or not', 'when not'],
      ["when ${i.asset} is null then nullif(array_to_string(${seenLate}, ','), '')", ''],
    ],
  ),
  ...bugs(
    'src/adapters/http/checkout/client/refresh.ts',
    ['tests/adapters/http/checkout/client/client-live.test.ts'],
    [[" ${said('#seen-late')}`.trim()", '`']],
  ),
  ...bugs(
    'src/app/compose-application.ts',
    ['tests/journeys/chains/chain-health.test.ts'],
    [['liveStates(externalIds, assetsSeenLate(deps))', 'liveStates(externalIds, [])']],
  ),
  ...bugs(
    'src/app/treasury/reconcile-chain.ts',
    ['tests/journeys/chains/unlisted-tokens.test.ts'],
    [['assets: [...listed, ...came]', 'assets: listed']],
  ),
];
