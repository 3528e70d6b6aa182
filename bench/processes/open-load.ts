/**
 * The generator of open-loop load, in a process of its own. Reads its orders as JSON from standard
 * input and prints the result as JSON.
 */
import type { LoadRequest } from '../harness/http-load.ts';
import type { OpenOrder, OpenResult, OpenStream } from '../harness/open-load.ts';
import { latency } from '../harness/statistics.ts';

const { port, seconds, measured, beside } = (await Bun.stdin.json()) as OpenOrder;
const times: number[] = [];
const statuses: Record<string, number> = {};
const started = performance.now();

async function send({ method, path, headers, body }: LoadRequest): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Sends at even intervals, whatever is under way, and resolves when all are answered. */
async function stream(of: OpenStream, answered: (status: number, dueAt: number) => void): Promise<void> {
  const underWay: Promise<void>[] = [];
  for (let number = 0; number < of.perSecond * seconds; number += 1) {
    const dueAt = started + (number * 1000) / of.perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await Bun.sleep(early);
    const request = of.requests[number % of.requests.length];
    if (request) underWay.push(send(request).then((status) => answered(status, dueAt)));
  }
  await Promise.all(underWay);
}

await Promise.all([
  stream(measured, (status, dueAt) => {
    if (status !== measured.status) throw new Error(`a measured request was answered with ${status}`);
    times.push(performance.now() - dueAt);
  }),
  ...(beside === null
    ? []
    : [
        stream(beside, (status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
        }),
      ]),
]);
const result: OpenResult = { answers: times.length, latency: latency(times), beside: statuses };
console.log(JSON.stringify(result));
process.exit(0);
