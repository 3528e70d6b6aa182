/**
 * Load that comes whether or not what came before was answered: so many requests a second, each
 * timed from when it was due.
 */
import type { Latency } from './finding.ts';
import type { LoadRequest } from './http-load.ts';
import { runOrder } from './processes.ts';

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

export const openLoad = (order: OpenOrder): Promise<OpenResult> => runOrder('open-load.ts', order);
