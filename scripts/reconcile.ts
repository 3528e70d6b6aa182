/** `bun run reconcile`: holds the books against themselves. */
import { reconcile } from '../src/app/reconcile.ts';
import { runProgram } from './support/program.ts';
import { table } from './support/table.ts';

const about =
  'Checks that the books agree: ledger sums, balances, invoice states against deposits. Prints every difference. Exit code 0 when there is none, 1 otherwise.';

await runProgram({
  name: 'reconcile',
  about,
  commands: [
    {
      name: null,
      about,
      positionals: [],
      options: {},
      examples: ['', '--json'],
      read:
        () =>
        async ({ service }) => {
          const { faults } = await reconcile(service.dependencies)();
          return {
            json: { agree: faults.length === 0, faults },
            text: table(
              [
                { title: 'CHECK', cell: (fault) => fault.check },
                { title: 'REFERENCE', cell: (fault) => fault.reference },
                { title: 'EXPECTED', cell: (fault) => fault.expected },
                { title: 'FOUND', cell: (fault) => fault.found },
              ],
              faults,
              { empty: 'books agree' },
            ),
            exitCode: faults.length === 0 ? 0 : 1,
          };
        },
    },
  ],
});
