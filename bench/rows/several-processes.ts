/**
 * What an invoice costs PostgreSQL when four API processes create invoices, against one. Each
 * process has as many connections as the one, and groups the writes of its own requests.
 */
import { atMost } from '../harness/finding.ts';
import { httpLoad } from '../harness/http-load.ts';
import { alternate, ratio } from '../harness/legs.ts';
import { prepareService } from '../harness/prepared-service.ts';
import { sessionSeconds } from '../harness/process-figures.ts';
import { createInvoiceRequest } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { type ServiceProcess, serviceEnvironment, startService } from '../harness/service.ts';
import { median } from '../harness/statistics.ts';

const PROCESSES = 4;
const CONNECTIONS = 32;
const MERCHANTS = 100;

export const severalProcesses: Row = {
  name: 'several-processes',
  async run(context) {
    const prepared = await prepareService(context.database, { name: 'bench_several', merchants: MERCHANTS });
    const { databaseUrl, dataDir, merchants, sql } = prepared;
    const others: ServiceProcess[] = [];
    try {
      while (others.length < PROCESSES - 1)
        others.push(
          await startService({ ...serviceEnvironment(databaseUrl), DATA_DIR: dataDir, ROLE: 'api' }),
        );
      const requests = merchants.map(createInvoiceRequest);
      const leg = (name: string, processes: readonly ServiceProcess[]) => ({
        name,
        async run(seconds: number) {
          const before = await sessionSeconds(sql);
          const loads = await Promise.all(
            processes.map(({ port }) =>
              httpLoad({ port, connections: CONNECTIONS, seconds, requests, status: 201 }),
            ),
          );
          const answers = loads.reduce((sum, load) => sum + load.answers, 0);
          const each = ((await sessionSeconds(sql)) - before) / answers;
          const latency = {
            p50: median(loads.map((load) => load.latency.p50)),
            p99: Math.max(...loads.map((load) => load.latency.p99)),
          };
          // The ratio is that of the rates: what each invoice costs, the other way round.
          return { rate: 1 / each, each, invoices: answers / seconds, latency };
        },
      });
      const [one, four] = await alternate(
        [leg('one process', [prepared.service]), leg('four', [prepared.service, ...others])],
        context,
      );
      if (!one || !four) throw new Error('unreachable: two legs went in');
      const told = ({ rounds }: typeof one) =>
        `${Math.round(median(rounds.map(({ each }) => each)) * 1e6)} microseconds of the database each,` +
        ` ${Math.round(median(rounds.map(({ invoices }) => invoices))).toLocaleString('en')} invoices/s`;
      return [
        {
          what: `PostgreSQL's processor time for an invoice, ${PROCESSES} API processes / one, ${CONNECTIONS} connections each`,
          target: atMost(1.3, 'x'),
          unit: 'x',
          measured: ratio(one, four),
          absolute: `${PROCESSES} processes: ${told(four)}; one: ${told(one)}`,
          latencies: [],
        },
      ];
    } finally {
      for (const other of others) await other.stop();
      await prepared.stop();
    }
  },
};
