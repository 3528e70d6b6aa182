/** The client: https requests with their keys, retries and answers. */
import { attempts, type RefusedAttempt } from './attempts.ts';
import { type Decimals, parseJson, writeJson } from './decimals.ts';
import { type ErrorCode, QuittanceError } from './errors.ts';
import { Operations } from './generated/operations.ts';
import type { Request as ApiRequest, CallOptions, Page } from './types.ts';
import { webCrypto } from './web-crypto.ts';

export type { Decimals } from './decimals.ts';
export { type ErrorCode, QuittanceError, WebhookError, type WebhookFault } from './errors.ts';
export type * from './generated/models.ts';
export type { CallOptions, Page } from './types.ts';
export {
  type TestWebhook,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookOptions,
} from './webhooks.ts';

export interface QuittanceOptions<Mode extends Decimals = 'number'> {
  /** `sk_live_...` or `sk_sandbox_...`. A secret: never in a browser. */
  readonly apiKey: string;
  /** Where the service is, for example `https://pay.example`. */
  readonly baseUrl: string;
  /** Amounts of answers: numbers unless `string` asks for exact digits. Requests take either. */
  readonly decimals?: Mode;
  /** Attempts after the first one of what may be repeated; 3 unless given. */
  readonly retries?: number;
  /** Of each attempt; 30,000 unless given. */
  readonly timeoutMs?: number;
  /** Instead of the platform's. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** What the API's answers are wrapped in. */
interface Envelope {
  readonly ok: true;
  readonly result: unknown;
  readonly pagination?: ListPlace;
}

/** Where a list goes on: by pages, or after the last row. */
type ListPlace =
  | { readonly page: number; readonly pages: number; readonly total: number }
  | { readonly next_after: number; readonly has_more: boolean };

/**
 * The API as methods by the ids of its operations. A call that failed throws a QuittanceError. What
 * reads, deletes or takes an Idempotency-Key is tried again after 408, 425, 429, 5xx and faults of
 * the network, with the same keys.
 */
export class Quittance<Mode extends Decimals = 'number'> extends Operations<
  Mode extends 'string' ? string : number
> {
  readonly #options: QuittanceOptions<Mode>;
  readonly #baseUrl: string;

  constructor(options: QuittanceOptions<Mode>) {
    super();
    if (!options.apiKey) throw new TypeError('Quittance needs an apiKey');
    this.#options = options;
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '');
  }

  protected override async one<Result>(request: ApiRequest, options: CallOptions): Promise<Result> {
    return (await this.#call(request, options)).result as Result;
  }

  protected override async page<Item, At>(
    request: ApiRequest,
    options: CallOptions,
  ): Promise<Page<Item, At>> {
    const { result, pagination } = await this.#call(request, options);
    return { items: result as Item[], pagination: pagination as At };
  }

  protected override async *walk<Item>(request: ApiRequest, options: CallOptions): AsyncGenerator<Item> {
    const given = new GivenRows();
    let next: object | null = {};
    while (next !== null) {
      const query: object = { ...request.query, ...next };
      const page: Page<Item, ListPlace> = await this.page({ ...request, query }, options);
      yield* request.youngest ? given.without(page) : page.items;
      next = after(page.pagination);
    }
  }

  async #call(request: ApiRequest, options: CallOptions): Promise<Envelope> {
    const { fetch = globalThis.fetch, decimals = 'number', ...own } = this.#options;
    const { method, body } = request;
    const url = `${this.#baseUrl}${request.path}${queryOf(request.query)}`;
    const init = {
      method,
      headers: await this.#headersOf(request, options),
      // the key must not follow to another host
      redirect: 'manual' as const,
      ...(body === undefined ? {} : { body: writeJson(body) }),
    };
    const repeatable = method !== 'POST' || request.keyed === true;
    return await attempts(
      async (signal) => {
        const response = await fetch(url, { ...init, signal });
        const text = await response.text();
        const envelope = read(text, decimals);
        return response.ok && envelope?.ok === true
          ? { result: envelope as Envelope }
          : refusal(response, envelope);
      },
      {
        retries: repeatable ? (options.retries ?? own.retries ?? 3) : 0,
        timeoutMs: options.timeoutMs ?? own.timeoutMs ?? 30_000,
        signal: options.signal,
      },
    );
  }

  /** Made once for all attempts of a call. */
  async #headersOf(request: ApiRequest, options: CallOptions): Promise<Record<string, string>> {
    const crypto = await webCrypto();
    return {
      'x-api-key': this.#options.apiKey,
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(request.keyed ? { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(request.payout ? { 'x-uniq-id': options.uniqId ?? crypto.randomUUID() } : {}),
    };
  }
}

/** How many ids are kept: those of ten pages. */
const GIVEN_MOST = 1_000;

/**
 * What a walk has given of a list that begins with the youngest row: rows that are added meanwhile
 * move it to further pages.
 */
class GivenRows {
  readonly #ids = new Set<unknown>();
  #total = Number.POSITIVE_INFINITY;

  /**
   * The rows of the next page that were not given: by their ids, or by how many were added where
   * rows have none.
   */
  without<Item>({ items, pagination }: Page<Item, ListPlace>): Item[] {
    const total = 'total' in pagination ? pagination.total : 0;
    const added = total - this.#total;
    this.#total = total;
    return items.filter((item, place) => {
      const { id } = item as { id?: string };
      return id === undefined ? place >= added : this.#add(id);
    });
  }

  /** False where it was there. */
  #add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > GIVEN_MOST) this.#ids.delete(this.#ids.values().next().value);
    return true;
  }
}

function after(place: ListPlace): object | null {
  if ('has_more' in place) return place.has_more ? { after: place.next_after } : null;
  return place.page < place.pages ? { page: place.page + 1 } : null;
}

/** Absent values are left out, lists are joined by commas. */
function queryOf(query: object = {}): string {
  const given = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** What the service answered; null where it is no object of JSON. */
function read(text: string, decimals: Decimals): Partial<Envelope & ErrorBody> | null {
  try {
    const value = parseJson(text, decimals);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint?: string;
    readonly details?: unknown;
  };
}

function refusal({ status, headers }: Response, answered: Partial<ErrorBody> | null): RefusedAttempt {
  const requestId = headers.get('x-request-id');
  const { message, ...said } = isOurs(answered?.error)
    ? answered.error
    : { code: 'UNEXPECTED_ANSWER' as const, message: `the answer with status ${status} is not of this API` };
  return {
    error: new QuittanceError(message, { ...said, status, requestId }),
    retryAfter: headers.get('retry-after'),
  };
}

/** Others may stand between, and have errors of their own. */
function isOurs(error: ErrorBody['error'] | undefined): error is ErrorBody['error'] {
  return typeof error?.code === 'string' && typeof error.message === 'string';
}
