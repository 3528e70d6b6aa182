/**
 * POST /invoices of some merchants while another one, who has a million, asks for heavy lists as
 * often as the rate limit lets it, against the same without. Open loop: a request is timed from
 * when it was due. The legs take turns.
 */
import { atMost } from '../harness/finding.ts';
import type { LoadRequest } from '../harness/http-load.ts';
import { type MillionInvoices, millionInvoices } from '../harness/million-invoices.ts';
import { type OpenResult, openLoad } from '../harness/open-load.ts';
import { cpuSeconds, sessionSeconds } from '../harness/process-figures.ts';
import { createInvoiceRequest } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { median, spread } from '../harness/statistics.ts';

const CREATES_PER_SECOND = 50;
/** The rate limit's default: 600 a minute. */
const LISTS_PER_SECOND = 10;

interface Measured extends OpenResult {
  /**
   * Processor time by second of the leg, in milliseconds: the service's, and the database's for it.
   */
  readonly serviceMs: number;
  readonly databaseMs: number;
}

export const createBesideLists: Row = {
  name: 'create-beside-lists',
  async run(context) {
    const million = await millionInvoices(context);
    const seconds = context.quick ? 2 : 10;
    const heavy = heavyLists(million);
    const [alone, beside]: [Measured[], Measured[]] = [[], []];
    await leg(million, { seconds: 2, lists: heavy });
    for (let round = 0; round < context.rounds; round += 1) {
      alone.push(await leg(million, { seconds, lists: null }));
      beside.push(await leg(million, { seconds, lists: heavy }));
    }
    const p99 = (results: readonly Measured[]) => results.map(({ latency }) => latency.p99);
    const times = (results: readonly Measured[]) => ({
      p50: median(results.map(({ latency }) => latency.p50)),
      p99: median(p99(results)),
    });
    const work = (results: readonly Measured[]) =>
      `processors ${Math.round(median(results.map(({ serviceMs }) => serviceMs)))} + ${Math.round(
        median(results.map(({ databaseMs }) => databaseMs)),
      )} ms a second (service + database)`;
    return [
      {
        what: `99th percentile of POST /invoices (${CREATES_PER_SECOND}/s) beside ${LISTS_PER_SECOND} heavy lists a second of a merchant with ${million.count.toLocaleString('en')} invoices / without`,
        target: atMost(2, 'x'),
        unit: 'x',
        measured: spread(p99(beside).map((time, round) => time / (p99(alone)[round] ?? Number.NaN))),
        absolute: `with lists: ${work(beside)}; without: ${work(alone)}; lists answered ${answersOf(beside)}`,
        latencies: [times(beside), times(alone)],
      },
    ];
  },
};

async function leg(
  { service, merchants, sql }: MillionInvoices,
  given: { seconds: number; lists: readonly LoadRequest[] | null },
): Promise<Measured> {
  const before = [cpuSeconds(service.pid), await sessionSeconds(sql)] as const;
  const result = await openLoad({
    port: service.port,
    seconds: given.seconds,
    measured: {
      perSecond: CREATES_PER_SECOND,
      requests: merchants.slice(1).map(createInvoiceRequest),
      status: 201,
    },
    beside: given.lists === null ? null : { perSecond: LISTS_PER_SECOND, requests: given.lists },
  });
  return {
    ...result,
    serviceMs: ((cpuSeconds(service.pid) - before[0]) * 1000) / given.seconds,
    databaseMs: (((await sessionSeconds(sql)) - before[1]) * 1000) / given.seconds,
  };
}

/**
 * Filters, sorts and pages that took 70 to 1,300 ms each before totals were counted beside the
 * lists.
 */
function heavyLists({ merchants, count }: MillionInvoices): LoadRequest[] {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const queries = [
    'status=success',
    'asset=btc_bitcoin',
    'status=success&asset=usdt_tron',
    'status=success&sort=amount',
    'status=high_risk&sort=amount',
    `date_from=${daysAgo(300)}&status=success&asset=usdt_tron&sort=amount`,
    `date_from=${daysAgo(200)}&date_to=${daysAgo(20)}&status=success`,
    `date_from=${daysAgo(100)}&asset=btc_bitcoin&sort=amount&order=asc`,
    `status=success&page=${Math.floor(count / 200)}&per_page=100`,
  ];
  return queries.map((query) => ({
    method: 'GET',
    path: `/api/v2/invoices?${query}`,
    headers: { 'x-api-key': merchants[0]?.sandboxKey ?? '' },
  }));
}

function answersOf(results: readonly Measured[]): string {
  const all: Record<string, number> = {};
  for (const { beside } of results)
    for (const [status, answers] of Object.entries(beside)) all[status] = (all[status] ?? 0) + answers;
  return Object.entries(all)
    .map(([status, answers]) => `${status}: ${answers}`)
    .join(', ');
}
