/**
 * GET /invoices/{id} over HTTP against a bare Elysia route with one primary-key select through the
 * same database client.
 */
import { atLeast } from '../harness/finding.ts';
import { httpLeg, httpLoad, type LoadRequest } from '../harness/http-load.ts';
import { alternate, latencyOf, rateText, ratio } from '../harness/legs.ts';
import { startListening } from '../harness/listening-process.ts';
import { prepareService } from '../harness/prepared-service.ts';
import { createInvoiceRequest } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';

const CONNECTIONS = 16;
const MERCHANTS = 10;
const IDS = 1_000;

export const getInvoice: Row = {
  name: 'get-invoice',
  async run(context) {
    const prepared = await prepareService(context.database, { name: 'bench_get', merchants: MERCHANTS });
    const { service, merchants, sql, databaseUrl } = prepared;
    const bare = await startListening('bare-route.ts', { environment: { DATABASE_URL: databaseUrl } });
    try {
      const requests = merchants.map(createInvoiceRequest);
      await httpLoad({ port: service.port, connections: CONNECTIONS, seconds: 1, requests, status: 201 });
      await sql.unsafe('vacuum analyze invoices');
      const keys = new Map(merchants.map(({ id, sandboxKey }) => [id, sandboxKey]));
      const rows: { id: string; merchant_id: string }[] = await sql.unsafe(
        `select id, merchant_id from invoices limit ${IDS}`,
      );
      const read = (path: string, headers: LoadRequest['headers']): LoadRequest => ({
        method: 'GET',
        path,
        headers,
      });
      const [ours, theirs] = await alternate(
        [
          httpLeg('GET /invoices/{id}', {
            port: service.port,
            connections: CONNECTIONS,
            status: 200,
            requests: rows.map((row) =>
              read(`/api/v2/invoices/${row.id}`, { 'x-api-key': keys.get(row.merchant_id) ?? '' }),
            ),
          }),
          httpLeg('bare route', {
            port: bare.port,
            connections: CONNECTIONS,
            status: 200,
            requests: rows.map((row) => read(`/invoices/${row.id}`, {})),
          }),
        ],
        context,
      );
      if (!ours || !theirs) throw new Error('unreachable: two legs went in');
      return [
        {
          what: `GET /invoices/{id} / a bare route with one select, ${CONNECTIONS} connections`,
          target: atLeast(0.95),
          unit: 'x',
          measured: ratio(ours, theirs),
          absolute: `${rateText(ours)}, ${rateText(theirs)}`,
          latencies: [latencyOf(ours), latencyOf(theirs)],
        },
      ];
    } finally {
      await bare.stop();
      await prepared.stop();
    }
  },
};
