/**
 * `bun run chains`: the health of chains, the chains that the database was used with, and
 * forgetting one without bookings.
 */

import type { ChainRecords } from '../src/adapters/postgres/chains/chain-identities.ts';
import { systemClock } from '../src/adapters/system/system-clock.ts';
import { placeOf } from '../src/compose/place.ts';
import { appError } from '../src/domain/errors.ts';
import { chainStatus } from './support/chain-status.ts';
import { withDatabase, withDatabaseAlone } from './support/database-only.ts';
import { Refused } from './support/failures.ts';
import { type OfflineCommand, type Program, runProgram } from './support/program.ts';
import { table } from './support/table.ts';
import { chainName } from './support/values.ts';

const status: OfflineCommand = {
  name: 'status',
  about:
    'Shows how well each chain is followed, and how much of the plan of each node was used today. A month is estimated from the last seven days; the cost is shown only where the configuration has the price of a million calls.',
  audits: [],
  positionals: [],
  options: {},
  examples: ['', '--json'],
  readOffline: () => (config) =>
    withDatabase(config, (database) => chainStatus(config, database, systemClock.now())),
};

const list: OfflineCommand = {
  name: 'list',
  about: 'Shows the network of each chain that the database was used with, and its first block.',
  audits: [],
  positionals: [],
  options: {},
  examples: ['', '--json'],
  readOffline: () => (config) =>
    withDatabase(config, async ({ chainRecords }) => {
      const chains = await chainRecords.all();
      return { json: { chains }, text: table(COLUMNS, chains, { empty: 'no chain was used yet' }) };
    }),
};

type ChainRecord = Awaited<ReturnType<ChainRecords['all']>>[number];

const COLUMNS = [
  { title: 'CHAIN', cell: ({ chain }: ChainRecord) => chain },
  { title: 'NETWORK', cell: ({ network }: ChainRecord) => network },
  { title: 'FIRST BLOCK', cell: ({ genesis }: ChainRecord) => genesis ?? '' },
];

const forget: OfflineCommand = {
  name: 'forget',
  about:
    'Makes the database forget a chain: its network, its first block, and how far it was read. Use it for a test chain that was reset (anvil, a regtest), or for one that was configured by mistake. Refused when money is booked there, or while the service runs. Move a signer.log with signatures of that chain away first.',
  audits: ['chain.forgotten'],
  positionals: ['chain'],
  options: {},
  examples: ['ethereum'],
  readOffline(args) {
    const chain = args.readPositional('chain', chainName);
    return (config, { by }) =>
      withDatabaseAlone(config, async (database) => {
        const outcome = await database.chainRecords.forget(chain);
        if (outcome.kind !== 'forgotten') throw new Refused(appError('INVALID_TRANSITION', why(outcome)));
        await by(database).record({ action: 'chain.forgotten', subject: 'chain', id: chain });
        const text = `${chain} is forgotten: the next start takes the chain that its nodes serve, and reads it from its tip`;
        return { json: { chain, forgotten: true }, text };

        function why(refusal: Exclude<typeof outcome, { kind: 'forgotten' }>): string {
          const where = placeOf(config).database;
          switch (refusal.kind) {
            case 'unknown':
              return `${where} was never used with ${chain}`;
            case 'in_use':
              return `${where} is in use (${refusal.sessions} sessions): stop the service first`;
            case 'booked': {
              const booked = refusal.booked.map(({ what, count }) => `${what}: ${count}`).join(', ');
              return `money of ${chain} is booked in ${where} (${booked}). Use another DATA_DIR or DATABASE_URL for the new chain`;
            }
          }
        }
      });
  },
};

export const program: Program = {
  name: 'chains',
  about: 'The health of chains, and the chains that the database was used with.',
  commands: [status, list, forget],
};

if (import.meta.main) await runProgram(program);
