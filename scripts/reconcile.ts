/** `bun run reconcile`: checks the books for consistency, and against the chains. */

import { reconcile } from '../src/app/treasury/reconcile.ts';
import type { ChainReconciliation } from '../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../src/compose/treasury.ts';
import type { AssetCatalog } from '../src/domain/catalog/asset.ts';
import { formatUnits } from '../src/domain/money/decimal.ts';
import { Refused, UsageError } from './support/failures.ts';
import { type Program, runProgram } from './support/program.ts';
import { table } from './support/table.ts';
import { chainName, wholeNumber } from './support/values.ts';

const about =
  'Checks that the books agree with themselves (ledger sums, balances, invoice states against deposits) and with each chain that has a node (every address of ours and the hot wallet, at one block). Prints every difference. Exit code 0: there is none, and every chain could be read. Exit code 1 otherwise.';

/** For Monero, whose view-only wallet sees incoming payments but not outgoing ones. */
const ONLY_RECEIVED = 'not checked: the chain is only received here, so what it should hold is not known';

export const program: Program = {
  name: 'reconcile',
  about,
  commands: [
    {
      name: null,
      about,
      audits: [],
      positionals: [],
      options: {
        chain: { value: 'CHAIN', help: 'only this chain; the books are always checked for consistency' },
        height: {
          value: 'HEIGHT',
          help: 'block to check at, which must have been read (default: the last final one); needs --chain',
        },
        'every-address': {
          help: 'also check addresses that never had a payment: finds a missed one; slow',
        },
        whole: {
          help: 'walk through all rows of the books first, in chunks (default: what is new, and where a fault was)',
        },
        'books-only': { help: 'ask no node' },
      },
      examples: [
        '',
        '--json',
        '--chain ethereum --height 21000000',
        '--every-address',
        '--books-only',
        '--whole --books-only',
      ],
      read(args) {
        const chain = args.read('chain', chainName);
        const height = args.read('height', wholeNumber(0, Number.MAX_SAFE_INTEGER));
        const everyAddress = args.isSet('every-address');
        const booksOnly = args.isSet('books-only');
        const wholeBooks = args.isSet('whole');
        if (height !== null && chain === null) throw new UsageError('--height needs --chain');
        if (booksOnly && chain !== null) throw new UsageError('--books-only asks no chain');
        return async ({ service, progress }) => {
          const chains = treasuryChains(service.chains, service.dependencies);
          const onlyReceived = [...service.watchers.keys()].filter((name) => !chains.has(name));
          if (chain !== null && !chains.has(chain)) {
            const message = onlyReceived.includes(chain)
              ? `${chain}: ${ONLY_RECEIVED}`
              : `${chain} has no node here`;
            throw new Refused({ code: 'NOT_FOUND', message });
          }
          const notChecked = booksOnly || chain !== null ? [] : onlyReceived;
          const report = await reconcile(
            service.dependencies,
            booksOnly ? [] : chains.values(),
          )({
            ...(chain === null ? {} : { chain }),
            height,
            everyAddress,
            wholeBooks,
            progress,
          });
          const { catalog } = service.dependencies;
          return {
            json: {
              agree: report.agree,
              faults: report.faults,
              chains: report.chains.map((checked) => chainJson(checked, catalog)),
              not_checked: notChecked,
            },
            text: [
              table(
                [
                  { title: 'CHECK', cell: (fault) => fault.check },
                  { title: 'REFERENCE', cell: (fault) => fault.reference },
                  { title: 'EXPECTED', cell: (fault) => fault.expected },
                  { title: 'FOUND', cell: (fault) => fault.found },
                ],
                report.faults,
                { empty: 'books agree' },
              ),
              ...report.chains.map((checked) => chainText(checked, catalog)),
              ...notChecked.map((name) => `${name}: ${ONLY_RECEIVED}`),
            ].join('\n\n'),
            exitCode: report.agree ? 0 : 1,
          };
        };
      },
    },
  ],
};

function chainText(checked: ChainReconciliation, catalog: AssetCatalog): string {
  const { chain, height, addresses, differences, unavailable, unreadable } = checked;
  if (unavailable !== null) return `${chain}: could not be checked: ${unavailable}`;
  const but = unreadable.map(({ asset, listed, reason }) => {
    return `${asset}${listed ? '' : ', which is not listed,'} could not be read: ${reason}`;
  });
  const at = `${chain} at block ${height}, ${addresses} addresses`;
  if (differences.length === 0) return [`${at}: chain and books agree`, ...but].join('\n');
  const shown = (units: bigint, asset: string) => formatUnits(units, catalog.require(asset).decimals);
  const found = table(
    [
      { title: 'DIFFERENCE', cell: (difference) => difference.kind },
      { title: 'ADDRESS', cell: (difference) => difference.address ?? 'treasury account' },
      { title: 'ASSET', cell: (difference) => difference.asset },
      { title: 'EXPECTED', align: 'right', cell: ({ expectedUnits, asset }) => shown(expectedUnits, asset) },
      { title: 'FOUND', align: 'right', cell: ({ foundUnits, asset }) => shown(foundUnits, asset) },
    ],
    differences,
    { empty: '' },
  );
  return [`${at}:`, found, ...but].join('\n');
}

function chainJson(checked: ChainReconciliation, catalog: AssetCatalog) {
  return {
    chain: checked.chain,
    height: checked.height,
    addresses: checked.addresses,
    unavailable: checked.unavailable,
    unreadable: checked.unreadable,
    differences: checked.differences.map(({ kind, address, asset, expectedUnits, foundUnits }) => ({
      kind,
      address,
      asset,
      expected: formatUnits(expectedUnits, catalog.require(asset).decimals),
      found: formatUnits(foundUnits, catalog.require(asset).decimals),
    })),
  };
}

if (import.meta.main) await runProgram(program);
