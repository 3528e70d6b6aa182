/**
 * The CSV of a million invoices over HTTP: how long it takes, and the most memory that the service
 * has meanwhile.
 */
import { atMost } from '../harness/finding.ts';
import { millionInvoices } from '../harness/million-invoices.ts';
import { cpuSeconds, residentMiB, sessionSeconds } from '../harness/process-figures.ts';
import type { Row } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const SAMPLE_MS = 100;
const LINE_FEED = 10;

export const csv: Row = {
  name: 'csv',
  async run(context) {
    const { service, merchants, count, sql } = await millionInvoices(context);
    const idle = residentMiB(service.pid);
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(residentMiB(service.pid)), SAMPLE_MS);
    const processors = async () => [cpuSeconds(service.pid), await sessionSeconds(sql)] as const;
    const before = await processors();
    const began = performance.now();
    const { lines, bytes } = await read(service.port, merchants[0]?.sandboxKey ?? '');
    const seconds = (performance.now() - began) / 1_000;
    clearInterval(timer);
    const [ours, databases] = (await processors()).map((used, place) => used - (before[place] ?? 0));
    if (lines !== count + 1) throw new Error(`the CSV has ${lines} lines instead of ${count + 1}`);
    const { max } = spread(samples);
    const what = `the CSV of ${count.toLocaleString('en')} invoices`;
    return [
      {
        what: `${what}, from the request to its end`,
        target: atMost(60, 's'),
        unit: 's',
        measured: spread([seconds]),
        absolute: `${(bytes / 1e6).toFixed(0)} MB, ${Math.round(count / seconds).toLocaleString('en')} rows a second; processors ${ours?.toFixed(0)} + ${databases?.toFixed(0)} s (service + database)`,
        latencies: [],
      },
      {
        what: `memory of the service, highest during ${what}`,
        target: atMost(150, 'MB'),
        unit: 'MB',
        measured: { median: max, min: Math.min(...samples), max },
        absolute: `${idle.toFixed(0)} MB before`,
        latencies: [],
      },
    ];
  },
};

async function read(port: number, key: string): Promise<{ lines: number; bytes: number }> {
  const url = `http://127.0.0.1:${port}/api/v2/invoices?format=csv`;
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  if (response.body === null || response.status !== 200) throw new Error(`CSV: ${response.status}`);
  let [lines, bytes] = [0, 0];
  for await (const chunk of response.body) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  }
  return { lines, bytes };
}
