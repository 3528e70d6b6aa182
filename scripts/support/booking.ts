/**
 * `bun run treasury book`: one difference between the chain and the books as the operator's
 * capital, or, after a restore, all of them.
 */
import type { TreasuryChain } from '../../src/app/sweeps/sweep-needs.ts';
import { bookCapital, type CapitalFound } from '../../src/app/treasury/book-capital.ts';
import { bookDifference, type Difference, differencesOf } from '../../src/app/treasury/book-differences.ts';
import { outpointText } from '../../src/domain/chains/outpoint.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import { ChainUnavailable } from '../../src/ports/chains/chain-scanner.ts';
import { orRefuse, UsageError } from './failures.ts';
import type { Command, CommandContext, CommandReport } from './program.ts';
import { table } from './table.ts';
import { chosen, known } from './treasury-chains.ts';
import { address as anAddress, assetKey, chainName, reason } from './values.ts';

interface Booking {
  readonly note: string;
  readonly dryRun: boolean;
}

export const book: Command = {
  name: 'book',
  about:
    'Books the difference between the chain and the books as owner funding (capital), as of the last final block: of an asset at the hot wallet, or with --address at a deposit address from which something left without the gateway. Refused while transfers from or to it are on their way, and where a deposit address has more than the books say: that is a payment (with --address just what was booked out there is booked in again). With --restored it books all differences that bun run reconcile shows, what lost transactions spent on UTXO chains as well, and exits with 1 if one is refused, or if something could not be compared or is no capital.',
  audits: ['capital.booked'],
  positionals: [],
  options: {
    chain: { value: 'CHAIN', help: 'the chain; with --restored all that have a node, if left out' },
    asset: { value: 'ASSET', help: 'an asset, eth_ethereum for example' },
    address: { value: 'ADDRESS', help: 'the deposit address (default: the hot wallet); needs --asset' },
    restored: { help: 'all differences: after an older backup was restored, and the chains are read' },
    note: { value: 'TEXT', help: 'what it was, kept with the booking' },
    'dry-run': { help: 'show what would be booked, without booking it' },
  },
  examples: [
    '--asset eth_ethereum --note "gas for March" --dry-run',
    '--restored --dry-run',
    '--restored --note "backup of January 31"',
  ],
  read(args) {
    const given = args.read('chain', chainName);
    const { asset, chain: ofAsset } = args.read('asset', assetKey) ?? { asset: null, chain: null };
    const address = args.read('address', anAddress);
    const booking = { note: args.read('note', reason) ?? '', dryRun: args.isSet('dry-run') };
    const restored = args.isSet('restored');
    if (restored === (asset !== null)) throw new UsageError('name an --asset, or --restored');
    if (restored && address !== null) throw new UsageError('--restored is about all addresses');
    if (asset !== null && given !== null && ofAsset !== given)
      throw new UsageError(`--asset ${asset} is not on ${given}`);
    return asset === null || ofAsset === null
      ? (context) => bookAll(context, chosen(context, given), booking)
      : (context) => bookOne(context, { chain: ofAsset, asset, address }, booking);
  },
};

async function bookOne(
  context: CommandContext,
  { chain, asset, address }: { chain: string; asset: string; address: string | null },
  { note, dryRun }: Booking,
): Promise<CommandReport> {
  const { dependencies } = context.service;
  const { decimals } = known(dependencies.catalog, asset);
  const [on] = chosen(context, chain);
  const work = (deps: typeof dependencies) =>
    bookCapital(deps, on)({ asset, address, note, dryRun, takesBack: true });
  const found = orRefuse(await (dryRun ? context.trial(work) : context.act(actionOf(on, asset, note), work)));
  const shown = (units: bigint) => formatUnits(units, decimals);
  const what = found.booked ? 'booked as capital' : dryRun ? 'would be booked' : 'nothing to book';
  return {
    json: {
      ...{ chain, asset, address: found.address, height: found.height },
      ...{ expected: shown(found.expectedUnits), found: shown(found.foundUnits) },
      ...{ difference: shown(found.units), booked: found.booked },
    },
    text: `${chain} at block ${found.height}: ${found.address ?? 'the hot wallet'} has ${shown(found.foundUnits)} ${asset}, the books say ${shown(found.expectedUnits)}; difference ${shown(found.units)}: ${what}`,
  };
}

function actionOf({ chain }: TreasuryChain, asset: string, note: string) {
  return { action: 'capital.booked', subject: 'capital', id: `${chain}:${asset}`, note } as const;
}

/** A difference, and what became of it. */
interface Row extends Difference {
  readonly chain: string;
  readonly found: CapitalFound | null;
  readonly refused: string | null;
}

async function bookAll(
  context: CommandContext,
  chains: readonly TreasuryChain[],
  booking: Booking,
): Promise<CommandReport> {
  const rows: Row[] = [];
  /** What nobody can book here, a line each. */
  const besides: string[] = [];
  const unread: string[] = [];
  for (const on of chains) {
    context.progress(`${on.chain}: comparing with the books`);
    try {
      const { found, ledger, unreadable } = await differencesOf(context.service.dependencies, on);
      for (const difference of found) rows.push(await bookRow(context, on, { difference, booking }));
      for (const { asset, reason } of unreadable)
        besides.push(`${on.chain}: ${asset} could not be read, and is not compared: ${reason}`);
      for (const { asset } of ledger)
        besides.push(`${on.chain}: the ledger of ${asset} is not the sum of its records: bun run reconcile`);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      unread.push(`${on.chain}: no node answers: ${error.message}`);
    }
  }
  const isWhole = besides.length + unread.length === 0;
  const { catalog } = context.service.dependencies;
  const shown = ({ units, asset }: Difference) => formatUnits(units, catalog.require(asset).decimals);
  const placeOf = ({ utxo, address }: Row) => (utxo === null ? address : outpointText(utxo));
  const outcome = ({ found, refused }: Row) =>
    refused ?? (found?.booked ? 'booked' : booking.dryRun ? 'would be booked' : 'nothing to book any more');
  const listed = table<Row>(
    [
      { title: 'CHAIN', cell: (row) => row.chain },
      { title: 'AT', cell: (row) => placeOf(row) ?? 'hot wallet' },
      { title: 'DIFFERENCE', align: 'right', cell: shown },
      { title: 'ASSET', cell: (row) => row.asset },
      { title: 'RESULT', cell: outcome },
    ],
    rows,
    { empty: isWhole ? 'nothing to book: chain and books agree' : 'nothing to book' },
  );
  return {
    json: {
      differences: rows.map((row) => ({
        ...{ chain: row.chain, asset: row.asset, address: row.address },
        ...{ utxo: row.utxo && outpointText(row.utxo), difference: shown(row) },
        ...{ booked: row.found?.booked ?? false, refused: row.refused },
      })),
      unavailable: unread,
      besides,
    },
    text: [listed, ...besides, ...unread].join('\n'),
    exitCode: !isWhole || rows.some(({ refused }) => refused !== null) ? 1 : 0,
  };
}

async function bookRow(
  { service, act, trial }: CommandContext,
  on: TreasuryChain,
  { difference, booking }: { difference: Difference; booking: Booking },
): Promise<Row> {
  const work = (deps: typeof service.dependencies) => bookDifference(deps, on)(difference, booking);
  const action = actionOf(on, difference.asset, booking.note);
  const done = await (booking.dryRun ? trial(work) : act(action, work));
  const row = { ...difference, chain: on.chain };
  return done.ok
    ? { ...row, units: done.value.units, found: done.value, refused: null }
    : { ...row, found: null, refused: done.error.message };
}
