/**
 * The index of the chain that a node with toncenter's API (version 3) has beside its lite server.
 * It returns a whole range of blocks in one call. It may lag, be incomplete or be absent: then it
 * is not used for a while, and the lite server's own lists are read.
 */
import { type BudgetTime, systemTime } from '../shared/nodes/call-log.ts';
import { NodeLimited } from '../shared/nodes/node-errors.ts';
import { type NodeHttp, nodeHttp } from '../shared/nodes/node-http.ts';

export interface TonIndex {
  /**
   * Queries the index, and returns what `read` makes of the result. Throws IndexUnfit where there
   * is none, or `read` throws; NodeLimited like all calls.
   */
  ask<T>(
    path: string,
    query: Readonly<Record<string, string | number | readonly string[]>>,
    read: (answer: unknown) => T,
  ): Promise<T>;
  /** Whether it is not used for now. */
  rests(use: IndexUse): boolean;
  /** Stops its use for some seconds, and for longer each time until it has worked for long. */
  rest(use: IndexUse, why: IndexUnfit): void;
}

/** The kinds of query: the index may fail at one and work for the other. */
export type IndexUse = 'blocks' | 'places' | 'accounts';

/** The index is absent, or does not show what it should: the lite server is asked instead. */
export class IndexUnfit extends Error {
  override readonly name = 'IndexUnfit';
}

/** A poll or two. */
const REST_MS = 5_000;
const LONGEST_REST_MS = 300_000;
const LITE_SERVER = '/api/v2/jsonRPC';
const INDEX = '/api/v3';

/** Null where the URL's path is not that of the API: then the place of an index is unknown. */
export function tonIndex(
  options: Parameters<typeof nodeHttp>[0] & {
    inTurn: <T>(ask: () => Promise<T>) => Promise<T>;
    time?: BudgetTime | undefined;
    /** Called with the reason when it is not used for a while. */
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
      // Two queries failed together.
      if (now < until) return;
      // The time for which it worked is set off against its failures.
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

/** What `work` reads from the node's index; null where it has none that can be used now. */
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

/**
 * The index writes amounts as text, so JSON.parse is exact enough. Throws for text that is not
 * JSON.
 */
async function answerOf({ request }: NodeHttp, path: string): Promise<unknown> {
  const { status, bytes } = await request({ method: 'GET', path });
  if (status !== 200) throw new IndexUnfit(`HTTP ${status}`);
  return JSON.parse(bytes.toString('utf8'));
}
