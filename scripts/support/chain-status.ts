/**
 * The output of `bun run chains status`: the health of each chain, and the use of its nodes' plans.
 */
import { nodeLabel } from '../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { timeByOthers } from '../../src/app/chains/record-health.ts';
import { knownTip, standingOf } from '../../src/app/chains/watch-health.ts';
import type { ComposedDatabase } from '../../src/compose/database.ts';
import { healthTerms } from '../../src/compose/health.ts';
import type { Config, NodeConfig } from '../../src/config/types.ts';
import { CHAINS } from '../../src/domain/catalog/chain.ts';
import { callsAMonth, costMicroUsd, type NodeState } from '../../src/domain/chains/node-plan.ts';
import { formatUnits, parseDecimal } from '../../src/domain/money/decimal.ts';
import type { ChainStanding } from '../../src/ports/chains/chain-standing.ts';
import type { NotedUse } from '../../src/ports/chains/node-usage.ts';
import type { CommandReport } from './program.ts';
import { shownTime, table } from './table.ts';

/** Days from which the calls of a month are estimated, today included. */
const DAYS_LOOKED_AT = 7;
const DAY_MS = 86_400_000;

interface ChainRow {
  readonly chain: string;
  /** Null until a worker has stored it. */
  readonly standing: ChainStanding | null;
  readonly height: number | null;
  readonly tip: number | null;
  readonly answeredAt: Date | null;
  readonly fault: string | null;
}

interface NodeRow {
  readonly chain: string;
  readonly node: string;
  /** Null where it was not called today. */
  readonly state: NodeState | null;
  /** Null where it has no stream, or no process listens to it. */
  readonly stream: boolean | null;
  readonly calls: number;
  readonly perMinute: number | null;
  readonly refusals: number;
  readonly bytes: number;
  readonly maxPerDay: number | null;
  readonly aMonth: number | null;
  /** Null where the configuration has no price. */
  readonly microUsdAMonth: bigint | null;
}

export async function chainStatus(
  config: Config,
  { ports }: ComposedDatabase,
  now: Date,
): Promise<CommandReport> {
  const today = Math.floor(now.getTime() / DAY_MS);
  const { followed, uses } = await ports.unitOfWork.run(async ({ chainHealth, nodeUsage }) => ({
    followed: await chainHealth.all(),
    uses: await nodeUsage.since(today - DAYS_LOOKED_AT + 1),
  }));
  const configured = CHAINS.filter(({ name }) => config.fakeChains || config.chains[name] !== undefined);
  const terms = new Map(configured.map((each) => [each.name, healthTerms(config, each)]));
  const chains = [...terms].map(([chain, its]): ChainRow => {
    const { read = null, noted = null } = followed.get(chain) ?? {};
    const time = { now, chainNow: timeByOthers(followed, terms, { chain, now }) };
    return {
      chain,
      standing: noted && standingOf(read, noted, its, time),
      height: read?.height ?? null,
      tip: knownTip({ read, noted }),
      answeredAt: noted?.answeredAt ?? null,
      fault: noted?.fault ?? null,
    };
  });
  const nodes = configured.flatMap(({ name }) =>
    nodesOf(config, name, uses, today).map(([node, settings]) =>
      nodeRow({ chain: name, node, settings, today }, uses),
    ),
  );
  return { json: { chains: chains.map(chainJson), nodes: nodes.map(nodeJson) }, text: shown(chains, nodes) };
}

/** Configured nodes, and those that were called today before the configuration changed. */
function nodesOf(
  { chains }: Config,
  chain: string,
  uses: readonly NotedUse[],
  today: number,
): readonly (readonly [node: string, settings: NodeConfig | null])[] {
  const { rpc = [], esplora = [], electrum = [] } = chains[chain] ?? {};
  const configured = [...rpc, ...esplora, ...electrum].map(
    (settings, position) => [nodeLabel(position, new URL(settings.url)), settings] as const,
  );
  const known = new Set(configured.map(([node]) => node));
  const others = uses.filter((use) => use.chain === chain && use.used.day === today && !known.has(use.node));
  return [...configured, ...others.map(({ node }) => [node, null] as const)];
}

function nodeRow(
  of: { chain: string; node: string; settings: NodeConfig | null; today: number },
  uses: readonly NotedUse[],
): NodeRow {
  const { chain, node, settings } = of;
  const days = uses.filter((use) => use.chain === chain && use.node === node);
  const now = days.find(({ used }) => used.day === of.today);
  const aMonth = callsAMonth(
    days.reduce((sum, { used }) => sum + used.calls, 0),
    days.reduce((sum, use) => sum + secondsCounted(use), 0),
  );
  const price = parseDecimal(settings?.pricePerMillionCalls ?? '');
  const minutes = now ? secondsCounted(now) / 60 : 0;
  return {
    ...{ chain, node, state: now?.state ?? null, stream: now?.stream ?? null, aMonth },
    ...{ calls: 0, refusals: 0, bytes: 0, ...now?.used },
    perMinute: now && minutes >= 1 ? Math.round(now.used.calls / minutes) : null,
    maxPerDay: settings?.maxPerDay ?? null,
    microUsdAMonth: aMonth === null || price === null ? null : costMicroUsd(aMonth, price),
  };
}

const secondsCounted = ({ countedFrom, countedUntil }: NotedUse): number =>
  (countedUntil.getTime() - countedFrom.getTime()) / 1000;

const seconds = (at: Date | null): number | null => at && Math.floor(at.getTime() / 1000);

function chainJson({ chain, standing, height, tip, answeredAt, fault }: ChainRow) {
  return {
    ...{ chain, state: standing?.state ?? null, since: seconds(standing?.since ?? null) },
    ...{ late: standing?.late ?? null, lag_seconds: standing?.lagSeconds ?? null },
    ...{ lag_blocks: standing?.lagBlocks ?? null, height, tip, answered_at: seconds(answeredAt), fault },
  };
}

function nodeJson(row: NodeRow) {
  return {
    ...{ chain: row.chain, node: row.node, state: row.state, stream: row.stream },
    ...{
      calls_today: row.calls,
      calls_a_minute: row.perMinute,
      refusals_today: row.refusals,
      bytes_today: row.bytes,
    },
    ...{ max_per_day: row.maxPerDay, percent_of_day: percentOfDay(row), calls_a_month: row.aMonth },
    usd_a_month: row.microUsdAMonth === null ? null : formatUnits(row.microUsdAMonth, 6),
  };
}

const percentOfDay = ({ calls, maxPerDay }: NodeRow): number | null =>
  maxPerDay === null ? null : Math.round((calls * 1_000) / maxPerDay) / 10;

function shown(chains: readonly ChainRow[], nodes: readonly NodeRow[]): string {
  const followed = table(CHAIN_COLUMNS, chains, { empty: 'no chain is configured' });
  return nodes.length === 0 ? followed : `${followed}\n\n${table(NODE_COLUMNS, nodes, { empty: '' })}`;
}

const right = 'right' as const;
const number = (value: number | null | undefined): string => value?.toLocaleString('en-US') ?? '-';

const CHAIN_COLUMNS = [
  { title: 'CHAIN', cell: ({ chain }: ChainRow) => chain },
  { title: 'STATE', cell: ({ standing }: ChainRow) => standing?.state ?? 'not followed yet' },
  { title: 'SINCE', cell: ({ standing }: ChainRow) => (standing ? shownTime(standing.since) : '-') },
  { title: 'LAG S', align: right, cell: ({ standing }: ChainRow) => number(standing?.lagSeconds) },
  { title: 'LAG BLOCKS', align: right, cell: ({ standing }: ChainRow) => number(standing?.lagBlocks) },
  { title: 'HEIGHT', align: right, cell: ({ height }: ChainRow) => number(height) },
  { title: 'LAST ANSWER', cell: ({ answeredAt }: ChainRow) => (answeredAt ? shownTime(answeredAt) : '-') },
  { title: 'FAULT', cell: ({ fault }: ChainRow) => fault ?? '' },
];

const NODE_COLUMNS = [
  { title: 'CHAIN', cell: ({ chain }: NodeRow) => chain },
  { title: 'NODE', cell: ({ node }: NodeRow) => node },
  { title: 'PLAN', cell: ({ state }: NodeRow) => state ?? '-' },
  { title: 'STREAM', cell: ({ stream }: NodeRow) => (stream === null ? '-' : stream ? 'alive' : 'away') },
  { title: 'CALLS TODAY', align: right, cell: ({ calls }: NodeRow) => number(calls) },
  { title: 'A MINUTE', align: right, cell: ({ perMinute }: NodeRow) => number(perMinute) },
  { title: 'REFUSED', align: right, cell: ({ refusals }: NodeRow) => number(refusals) },
  { title: '% OF DAY', align: right, cell: (row: NodeRow) => number(percentOfDay(row)) },
  { title: 'CALLS A MONTH', align: right, cell: ({ aMonth }: NodeRow) => number(aMonth) },
  {
    title: 'USD A MONTH',
    align: right,
    cell: ({ microUsdAMonth }: NodeRow) =>
      microUsdAMonth === null ? '-' : formatUnits((microUsdAMonth + 9_999n) / 10_000n, 2),
  },
];
