/**
 * The index of the chain that a node of toncenter's API has beside its lite server (version 3). It
 * tells of a whole range of blocks at once. It may lag, lack something, or not be there at all:
 * then it rests, and the lite server's own lists are read.
 */
import { type BudgetTime, systemTime } from '../shared/nodes/call-log.ts';
import { NodeLimited } from '../shared/nodes/node-errors.ts';
import { type NodeHttp, nodeHttp } from '../shared/nodes/node-http.ts';

export interface TonIndex {
  /**
   * What `read` makes of the answer to a question. Throws IndexUnfit where there is none, or `read`
   * throws; NodeLimited as all calls do.
   */
  ask<T>(
    path: string,
    query: Readonly<Record<string, string | number | readonly string[]>>,
    read: (answer: unknown) => T,
  ): Promise<T>;
  /** Whether it is left alone for now. */
  rests(use: IndexUse): boolean;
  /** Leaves it alone for some seconds, and for longer where it was not fit for long since the last time. */
  rest(use: IndexUse, why: IndexUnfit): void;
}

/** What it is asked for: it may be fit for one and not for the other. */
export type IndexUse = 'blocks' | 'places' | 'accounts';

/** The index is not there, or does not show what it should: the lite server is asked instead. */
export class IndexUnfit extends Error {
  override readonly name = 'IndexUnfit';
}

/** A poll or two. */
const REST_MS = 5_000;
const LONGEST_REST_MS = 300_000;
const LITE_SERVER = '/api/v2/jsonRPC';
const INDEX = '/api/v3';

/**
 * Null where the path of the URL is not the API's own: then nothing says where an index would be.
 */
export function tonIndex(
  options: Parameters<typeof nodeHttp>[0] & {
    inTurn: <T>(ask: () => Promise<T>) => Promise<T>;
    time?: BudgetTime | undefined;
    /** Hears why it rests. */
    unfit?: (why: string) => void;
  },
): TonIndex | null {
  const { endpoint, inTurn, time = systemTime, unfit } = options;
  const url = new URL(endpoint.url);
  if (!url.pathname.endsWith(LITE_SERVER)) return null;
  const ofUrl = Object.fromEntries(url.searchParams);
  const http = nodeHttp({ ...options, endpoint: { ...endpoint, url: indexUrl(url) } });
  const resting = new Map<IndexUse, { readonly until: number; readonly ms: number }>();
  return {
    rests: (use) => time.now() < (resting.get(use)?.until ?? Number.NEGATIVE_INFINITY),
    rest(use, { message }) {
      const now = time.now();
      const { until, ms: before } = resting.get(use) ?? { until: now, ms: 0 };
      // Two questions failed at once.
      if (now < until) return;
      // The time for which it was fit counts against what it failed before.
      const ms = Math.min(LONGEST_REST_MS, Math.max(REST_MS, 2 * before - (now - until)));
      resting.set(use, { until: now + ms, ms });
      unfit?.(message);
    },
    ask: async (path, query, read) => {
      const texts = Object.entries({ ...query, ...ofUrl }).flatMap(([name, value]) =>
        (typeof value === 'object' ? value : [String(value)]).map((text) => [name, text]),
      );
      const asked = `/${path}?${new URLSearchParams(texts)}`;
      try {
        return read(await inTurn(() => answerOf(http, asked)));
      } catch (error) {
        if (error instanceof NodeLimited) throw error;
        throw new IndexUnfit(error instanceof Error ? error.message : 'no answer');
      }
    },
  };
}

/**
 * What `work` reads out of the node's index; null where it has none that could be used at present.
 */
export async function fromIndex<T>(
  { index }: { readonly index?: TonIndex },
  use: IndexUse,
  work: (index: TonIndex) => Promise<T>,
): Promise<T | null> {
  if (index === undefined || index.rests(use)) return null;
  try {
    return await work(index);
  } catch (error) {
    if (!(error instanceof IndexUnfit)) throw error;
    index.rest(use, error);
    return null;
  }
}

function indexUrl(url: URL): string {
  return `${url.origin}${url.pathname.slice(0, -LITE_SERVER.length)}${INDEX}`;
}

/** It writes amounts as text: no number needs more than a float holds. Throws for no JSON. */
async function answerOf({ request }: NodeHttp, path: string): Promise<unknown> {
  const { status, bytes } = await request({ method: 'GET', path });
  if (status !== 200) throw new IndexUnfit(`HTTP ${status}`);
  return JSON.parse(bytes.toString('utf8'));
}
