/**
 * Page 5,000 of a list of a million invoices against its page 1, over HTTP; the totals on both are
 * exact.
 */
import { atMost } from '../harness/finding.ts';
import { httpLeg, type LoadRequest } from '../harness/http-load.ts';
import { alternate, latencyOf, rateText, ratio } from '../harness/legs.ts';
import { millionInvoices } from '../harness/million-invoices.ts';
import type { Row } from '../harness/row.ts';

const CONNECTIONS = 8;
const PER_PAGE = 20;

export const listPages: Row = {
  name: 'list-pages',
  async run(context) {
    const { service, merchants, count } = await millionInvoices(context);
    const headers = { 'x-api-key': merchants[0]?.sandboxKey ?? '' };
    const farPage = Math.min(5_000, count / PER_PAGE / 2);
    const request = (page: number): LoadRequest => ({
      method: 'GET',
      path: `/api/v2/invoices?page=${page}&per_page=${PER_PAGE}`,
      headers,
    });
    for (const page of [1, farPage, count / PER_PAGE])
      await assertExact(service.port, request(page), { page, count });
    const leg = (page: number) =>
      httpLeg(`page ${page}`, {
        port: service.port,
        connections: CONNECTIONS,
        status: 200,
        requests: [request(page)],
      });
    const [near, far] = await alternate([leg(1), leg(farPage)], {
      ...context,
      seconds: Math.min(context.seconds, 2),
    });
    if (!near || !far) throw new Error('unreachable: two legs went in');
    return [
      {
        what: `time of page ${farPage} / page 1 of ${count.toLocaleString('en')} invoices, totals exact`,
        target: atMost(1.3, 'x'),
        unit: 'x',
        measured: ratio(near, far),
        absolute: `${rateText(far)}, ${rateText(near)}`,
        latencies: [latencyOf(far), latencyOf(near)],
      },
    ];
  },
};

/** The youngest invoice is the first of page 1, and every page tells the true total. */
async function assertExact(
  port: number,
  request: LoadRequest,
  wanted: { page: number; count: number },
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${request.path}`, { headers: request.headers });
  const { result, pagination } = (await response.json()) as {
    result: { order_id: string }[];
    pagination: { page: number; pages: number; total: number };
  };
  const first = Number.parseInt(result[0]?.order_id ?? '', 16);
  const expected = wanted.count - (wanted.page - 1) * PER_PAGE;
  if (first !== expected || result.length !== PER_PAGE || pagination.total !== wanted.count) {
    throw new Error(
      `page ${wanted.page} begins with ${first} instead of ${expected}: ${JSON.stringify(pagination)}`,
    );
  }
}
