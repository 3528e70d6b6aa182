/**
 * What a view of a checkout page costs the service. Each page is looked at repeatedly, as a
 * customer's browser does: it asks again whenever the invoice changes, and after a reload.
 */
import { atMost } from '../harness/finding.ts';
import { prepareService } from '../harness/prepared-service.ts';
import { cpuSeconds } from '../harness/process-figures.ts';
import { createInvoiceRequest, send } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { serviceEnvironment, startService } from '../harness/service.ts';
import { latency, spread } from '../harness/statistics.ts';

const PAGES = 100;
/** Of all pages: the first round draws what the others find. */
const VIEWS = 10;

export const checkoutViews: Row = {
  name: 'checkout-views',
  async run({ database, rounds }) {
    const prepared = await prepareService(database, { name: 'bench_checkout_views', merchants: 1 });
    let { service } = prepared;
    try {
      const [merchant] = prepared.merchants;
      if (!merchant) throw new Error('unreachable: one was made');
      const pages: string[] = [];
      for (let number = 0; number < PAGES; number++) {
        const { external_id: id } = await send(service.port, createInvoiceRequest(merchant));
        pages.push(`/checkout/${String(id)}`);
      }
      await service.stop();
      service = await startService({
        ...serviceEnvironment(prepared.databaseUrl),
        DATA_DIR: prepared.dataDir,
        // Each customer has an address of its own, as behind a proxy.
        TRUSTED_PROXIES: '127.0.0.1',
      });
      const { port, pid } = service;
      const times: number[] = [];
      const view = async (views: number) => {
        for (let number = 0; number < views * PAGES; number++) {
          const began = performance.now();
          const response = await fetch(`http://127.0.0.1:${port}${pages[number % PAGES]}`, {
            headers: { 'x-forwarded-for': `10.0.${number >> 8}.${number & 255}` },
          });
          await response.arrayBuffer();
          if (response.status !== 200) throw new Error(`a page answered ${response.status}`);
          times.push(performance.now() - began);
        }
      };
      await view(VIEWS);
      const costs: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const before = cpuSeconds(pid);
        await view(VIEWS);
        costs.push(((cpuSeconds(pid) - before) * 1_000) / (VIEWS * PAGES));
      }
      return [
        {
          what: 'processor time of the service for a view of a checkout page',
          target: atMost(1, 'ms'),
          unit: 'ms',
          measured: spread(costs),
          absolute: `${PAGES} pages, each ${VIEWS} times in a round`,
          latencies: [latency(times)],
        },
      ];
    } finally {
      await service.stop();
      await prepared.stop();
    }
  },
};
