/** `bun run rescan`: reads blocks of a chain again and records payments that were missed. */
import { Refused } from './support/failures.ts';
import { type Program, runProgram } from './support/program.ts';
import { chainName, wholeNumber } from './support/values.ts';

const about =
  'Reads blocks again, and records the payments that were missed. Known payments are not recorded twice. The running service credits what is found.';

export const program: Program = {
  name: 'rescan',
  about,
  commands: [
    {
      name: null,
      about,
      audits: ['chain.rescanned'],
      positionals: [],
      options: {
        chain: { value: 'CHAIN', required: true, help: 'a chain of CONFIG_FILE, ethereum for example' },
        from: { value: 'HEIGHT', required: true, help: 'first block' },
        to: { value: 'HEIGHT', required: true, help: 'last block (included)' },
      },
      examples: ['--chain ethereum --from 21000000 --to 21000500'],
      read(args) {
        const chain = args.readNeeded('chain', chainName);
        const from = args.readNeeded('from', wholeNumber(0, Number.MAX_SAFE_INTEGER));
        const to = args.readNeeded('to', wholeNumber(from, Number.MAX_SAFE_INTEGER));
        return async ({ service, record, progress }) => {
          const watcher = service.watchers.get(chain);
          if (!watcher) throw notWatched(chain, [...service.watchers.keys()]);
          await service.refreshRates();
          // Before it: one that is stopped on the way has recorded payments, too.
          await record({ action: 'chain.rescanned', subject: 'chain', id: chain }, { after: { from, to } });
          const { transfers } = await watcher.rescan({ from, to }, (height, found) => {
            progress(`${chain}: read to ${height} of ${to}, ${found} transfers found`);
          });
          return {
            json: { chain, from, to, transfers },
            text: `${chain}: ${transfers} transfers to our addresses in blocks ${from} to ${to}`,
          };
        };
      },
    },
  ],
};

function notWatched(chain: string, watched: readonly string[]): Error {
  const names = watched.join(', ') || 'none';
  return new Refused({
    code: 'NOT_FOUND',
    message: `${chain} is not configured here (chains in CONFIG_FILE: ${names})`,
  });
}

if (import.meta.main) await runProgram(program);
