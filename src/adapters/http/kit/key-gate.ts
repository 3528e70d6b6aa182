/**
 * The first gate: it finds the merchant of a request's key and limits the requests of that key.
 * Requests without a valid key count per network, before the key is looked up. Valid keys of the
 * same network keep working (safety.md W4).
 */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import { appError } from '../../../domain/errors.ts';
import { err, ok } from '../../../domain/result.ts';
import type { Identity } from '../../../ports/list-queries.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import { networkOf } from './caller-ip.ts';
import { type Quota, RateLimiter } from './rate-limit.ts';
import { type Gate, tooMany } from './refusal.ts';

export interface KeyGateDependencies {
  readonly application: Pick<Application, 'authenticate'>;
  readonly clock: Clock;
  readonly rateLimitPerMinute: number;
  callerIp(request: Request): string | null;
}

const MAX_KEY_LENGTH = 128;

/** Finds the API key of a request. It looks nothing up unless `admits` returns true. */
export type KeyFinder = (admits: () => boolean) => string | null | Promise<string | null>;

export class KeyGate {
  readonly #deps: KeyGateDependencies;
  readonly #perKey: RateLimiter;
  readonly #misses: RateLimiter;

  constructor(dependencies: KeyGateDependencies) {
    this.#deps = dependencies;
    this.#perKey = new RateLimiter(dependencies.rateLimitPerMinute);
    this.#misses = new RateLimiter(dependencies.rateLimitPerMinute);
  }

  async caller(
    request: Request,
    findKey: KeyFinder = () => request.headers.get('x-api-key'),
  ): Promise<Gate<Caller>> {
    const nowMs = this.#deps.clock.now().getTime();
    const miss = new KeylessRequest(this.#misses, () => this.#networkOf(request), nowMs);
    const identity = await this.#identity(findKey, miss);
    if (identity === null) {
      const wait = miss.count();
      if (wait !== null) return err(tooMany(wait));
      return err({ error: appError('UNAUTHORIZED', 'Send a valid API key in the x-api-key header.') });
    }
    const { merchant, environment } = identity;
    const wait = this.#perKey.take(limitedAs(identity), nowMs);
    if (wait !== null) {
      const quota = this.#perKey.left(limitedAs(identity));
      return err({ ...tooMany(wait), merchantId: merchant.id, quota });
    }
    const scope = { merchantId: merchant.id, sandbox: environment === 'sandbox' };
    return ok({ merchant, environment, scope });
  }

  /**
   * Counts a request to an endpoint without a key, per network. Null when it may pass, otherwise
   * the seconds to wait.
   */
  withoutKey(request: Request): number | null {
    return this.#misses.take(this.#networkOf(request), this.#deps.clock.now().getTime());
  }

  /** The quota that is left to an admitted caller; null without a limit. */
  quotaOf(caller: Caller): Quota | null {
    return this.#perKey.left(limitedAs(caller));
  }

  #networkOf(request: Request): string {
    return networkOf(this.#deps.callerIp(request));
  }

  async #identity(findKey: KeyFinder, miss: KeylessRequest): Promise<Identity | null> {
    const admits = () => miss.count() === null;
    let isMiss = false;
    try {
      const key = await findKey(admits);
      const isKey = key !== null && key.length <= MAX_KEY_LENGTH;
      const identity = isKey ? await this.#deps.application.authenticate(key, admits) : null;
      isMiss = identity === null;
      return identity;
    } finally {
      if (!isMiss) miss.takeBack();
    }
  }
}

const limitedAs = ({ merchant, environment }: Identity): string => `${merchant.id}:${environment}`;

/**
 * A request that may have no valid key. It is counted at most once, and not at all when its key is
 * valid.
 */
class KeylessRequest {
  readonly #limiter: RateLimiter;
  readonly #callerOf: () => string;
  readonly #nowMs: number;
  #counted: { readonly caller: string; readonly wait: number | null } | null = null;

  constructor(limiter: RateLimiter, callerOf: () => string, nowMs: number) {
    this.#limiter = limiter;
    this.#callerOf = callerOf;
    this.#nowMs = nowMs;
  }

  /** Null when the request may pass, otherwise the seconds to wait. */
  count(): number | null {
    if (this.#counted === null) {
      const caller = this.#callerOf();
      this.#counted = { caller, wait: this.#limiter.take(caller, this.#nowMs) };
    }
    return this.#counted.wait;
  }

  takeBack(): void {
    if (this.#counted?.wait === null) this.#limiter.giveBack(this.#counted.caller);
    this.#counted = null;
  }
}
