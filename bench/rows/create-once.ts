/**
 * POST /invoices with a fresh Idempotency-Key each time, against the same without: what storing the
 * answers costs.
 */
import { atLeast } from '../harness/finding.ts';
import { httpLoad, type LoadRequest } from '../harness/http-load.ts';
import {
  alternate,
  type Leg,
  type LegResult,
  latencyOf,
  type MeasuredLeg,
  rateText,
  ratio,
} from '../harness/legs.ts';
import { type PreparedService, prepareService } from '../harness/prepared-service.ts';
import { cpuSeconds, sessionSeconds } from '../harness/process-figures.ts';
import { createInvoiceRequest } from '../harness/requests.ts';
import type { Row } from '../harness/row.ts';
import { median } from '../harness/statistics.ts';

const CONNECTIONS = 32;
const MERCHANTS = 100;

interface Costed extends LegResult {
  readonly answers: number;
  /** Processor time of each answer in microseconds: the service's, and the database's for it. */
  readonly service: number;
  readonly database: number;
}

export const createOnce: Row = {
  name: 'create-once',
  async run(context) {
    const prepared = await prepareService(context.database, { name: 'bench_once', merchants: MERCHANTS });
    try {
      const requests = prepared.merchants.map(createInvoiceRequest);
      const keyed = requests.map((request) => ({ ...request, fresh: 'idempotency-key' as const }));
      let answered = 0;
      const [once, plain] = await alternate(
        [
          leg(prepared, 'with', keyed, (count) => {
            answered += count;
          }),
          leg(prepared, 'without', requests),
        ],
        context,
      );
      if (!once || !plain) throw new Error('unreachable: two legs went in');
      const [stored] = await prepared.sql.unsafe(`
        select count(*)::int as answers from stored_answers s
        join invoices i on i.id = s.body::jsonb #>> '{result,order_id}'`);
      if (stored.answers !== answered)
        throw new Error(`${answered} were answered, ${stored.answers} answers are stored`);
      return [
        {
          what: `POST /invoices with Idempotency-Key / without, ${MERCHANTS} merchants, ${CONNECTIONS} connections`,
          target: atLeast(0.9),
          unit: 'x',
          measured: ratio(once, plain),
          absolute: [once, plain].map((each) => `${rateText(each)} (${costOf(each)})`).join(', '),
          latencies: [latencyOf(once), latencyOf(plain)],
        },
      ];
    } finally {
      await prepared.stop();
    }
  },
};

function leg(
  { service, sql }: PreparedService,
  name: string,
  requests: readonly LoadRequest[],
  onAnswers: (count: number) => void = () => undefined,
): Leg<Costed> {
  return {
    name,
    async run(seconds) {
      const before = [cpuSeconds(service.pid), await sessionSeconds(sql)] as const;
      const order = { port: service.port, connections: CONNECTIONS, requests, status: 201, seconds };
      const result = await httpLoad(order);
      onAnswers(result.answers);
      const each = (used: number) => (used / result.answers) * 1e6;
      return {
        ...result,
        service: each(cpuSeconds(service.pid) - before[0]),
        database: each((await sessionSeconds(sql)) - before[1]),
      };
    },
  };
}

function costOf({ rounds }: MeasuredLeg<Costed>): string {
  const of = (pick: (round: Costed) => number) => Math.round(median(rounds.map(pick)));
  return `processors ${of(({ service }) => service)} + ${of(({ database }) => database)} us each, service + database`;
}
