/** Load that comes whether or not what came before was answered: so many requests a second, each timed from when it was due. */
import { join } from 'node:path';
import type { Latency } from './finding.ts';
import type { LoadRequest } from './http-load.ts';
import { runToEnd } from './processes.ts';

export interface OpenStream {
  readonly perSecond: number;
  /** Sent in turn, over and over. */
  readonly requests: readonly LoadRequest[];
}

export interface OpenOrder {
  readonly port: number;
  readonly seconds: number;
  /** Every answer to it must have this status. */
  readonly measured: OpenStream & { readonly status: number };
  readonly beside: OpenStream | null;
}

export interface OpenResult {
  readonly answers: number;
  readonly latency: Latency;
  /** How often the stream beside it was answered with which status. */
  readonly beside: Readonly<Record<string, number>>;
}

const PROGRAM = join(import.meta.dir, '..', 'processes', 'open-load.ts');

export async function openLoad(order: OpenOrder): Promise<OpenResult> {
  const said = await runToEnd([process.execPath, PROGRAM], {
    timeoutMs: (order.seconds + 60) * 1000,
    stdin: JSON.stringify(order),
  });
  return JSON.parse(said) as OpenResult;
}
