/**
 * The service's resident memory under load: creating and reading on 32 connections, no chain
 * configured. The target leaves room for the garbage between two collections, of which a faster
 * machine makes more (decision 0030).
 */
import { atMost } from '../harness/finding.ts';
import { httpLoad, type LoadRequest } from '../harness/http-load.ts';
import { prepareService } from '../harness/prepared-service.ts';
import { residentMiB } from '../harness/process-figures.ts';
import { createInvoiceRequest, send } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const CONNECTIONS = 32;
const MERCHANTS = 100;
const SECONDS = 10;
const SAMPLE_MS = 100;

export const memory: Row = {
  name: 'memory',
  async run({ database, quick }) {
    const { service, merchants, stop } = await prepareService(database, {
      name: 'bench_memory',
      merchants: MERCHANTS,
    });
    try {
      const [idle, program] = [residentMiB(service.pid), residentMiB(service.pid, 'RssFile')];
      const seconds = quick ? 1 : SECONDS;
      const load = { port: service.port, connections: CONNECTIONS, seconds };
      const creates = merchants.map(createInvoiceRequest);
      const reads = await Promise.all(merchants.map((merchant) => readRequest(service.port, merchant)));
      const samples: number[] = [];
      const timer = setInterval(() => samples.push(residentMiB(service.pid)), SAMPLE_MS);
      await httpLoad({ ...load, requests: creates, status: 201 });
      await httpLoad({ ...load, requests: reads, status: 200 });
      clearInterval(timer);
      const { max } = spread(samples);
      return [
        {
          what: `memory of the service, highest under load on ${CONNECTIONS} connections, no chain configured`,
          target: atMost(144, 'MB'),
          unit: 'MB',
          measured: { median: max, min: Math.min(...samples), max },
          absolute: `${idle.toFixed(0)} MB before the load, ${program.toFixed(0)} MB of it Bun's own program`,
          latencies: [],
        },
      ];
    } finally {
      await stop();
    }
  },
};

async function readRequest(
  port: number,
  merchant: Parameters<typeof createInvoiceRequest>[0],
): Promise<LoadRequest> {
  const { order_id: id } = await send(port, createInvoiceRequest(merchant));
  return {
    method: 'GET',
    path: `/api/v2/invoices/${String(id)}`,
    headers: { 'x-api-key': merchant.sandboxKey },
  };
}
