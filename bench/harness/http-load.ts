/** Orders for the HTTP load generator (processes/http-load.ts), and the leg that runs it. */
import type { Latency } from './finding.ts';
import type { Leg } from './legs.ts';
import { runOrder } from './processes.ts';

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** A header that has another value each time it is sent. */
  readonly fresh?: 'x-uniq-id' | 'idempotency-key';
}

export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Sent in turn, over and over. */
  readonly requests: readonly LoadRequest[];
  /** The status every answer must have. */
  readonly status: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly rate: number;
  readonly latency: Latency;
}

export const httpLoad = (order: LoadOrder): Promise<LoadResult> => runOrder('http-load.ts', order);

/** `onAnswers` is told how many answers came, for counting them against the database. */
export function httpLeg(
  name: string,
  order: Omit<LoadOrder, 'seconds'>,
  onAnswers: (count: number) => void = () => undefined,
): Leg {
  return {
    name,
    async run(seconds) {
      const result = await httpLoad({ ...order, seconds });
      onAnswers(result.answers);
      return result;
    },
  };
}
