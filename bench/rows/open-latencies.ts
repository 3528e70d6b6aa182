/**
 * Times of POST /invoices when requests come at a constant rate, whether or not earlier ones were
 * answered, each timed from when it was due. The rates are parts of the most that the service
 * answered on 64 connections just before.
 */
import type { Finding } from '../harness/finding.ts';
import { httpLoad } from '../harness/http-load.ts';
import { openLoad } from '../harness/open-load.ts';
import { prepareService } from '../harness/prepared-service.ts';
import { cpuSeconds, sessionSeconds } from '../harness/process-figures.ts';
import { createInvoiceRequest } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const CONNECTIONS = 64;
const MERCHANTS = 100;
const PARTS = [25, 50, 75, 90];

export const openLatencies: Row = {
  name: 'open-latencies',
  async run({ database, rounds, seconds }) {
    const prepared = await prepareService(database, { name: 'bench_open', merchants: MERCHANTS });
    const { service, merchants, sql } = prepared;
    const { port, pid } = service;
    try {
      const requests = merchants.map(createInvoiceRequest);
      const most: number[] = [];
      for (let round = 0; round < rounds; round++)
        most.push((await httpLoad({ port, connections: CONNECTIONS, seconds, requests, status: 201 })).rate);
      const { median: rate } = spread(most);
      const findings: Finding[] = [];
      for (const part of PARTS) {
        const perSecond = Math.round((rate * part) / 100);
        const [p50, p99]: [number[], number[]] = [[], []];
        const [before, inDatabase] = [cpuSeconds(pid), await sessionSeconds(sql)];
        let answers = 0;
        for (let round = 0; round < rounds; round++) {
          const result = await openLoad({
            port,
            seconds,
            measured: { perSecond, requests, status: 201 },
            beside: null,
          });
          p50.push(result.latency.p50);
          p99.push(result.latency.p99);
          answers += result.answers;
        }
        const each = (used: number) => Math.round((used / answers) * 1e6);
        findings.push({
          what: `99th percentile of POST /invoices at ${part} % of the most, arrivals constant`,
          target: null,
          unit: 'ms',
          measured: spread(p99),
          absolute: `${perSecond.toLocaleString('en')}/s of ${Math.round(rate).toLocaleString('en')}/s; processors ${each(
            cpuSeconds(pid) - before,
          )} + ${each((await sessionSeconds(sql)) - inDatabase)} microseconds each (process + database)`,
          latencies: [{ p50: spread(p50).median, p99: spread(p99).median }],
        });
      }
      return findings;
    } finally {
      await prepared.stop();
    }
  },
};
