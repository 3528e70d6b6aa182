/** A token bucket per caller, in memory, for a limited number of callers (decision 0003). */

/** The whole requests that a caller may make. */
export interface Quota {
  readonly perMinute: number;
  readonly left: number;
  /** Until the quota is full again, if no request is made meanwhile. */
  readonly fullInSeconds: number;
}

interface TokenBucket {
  tokens: number;
  filledAtMs: number;
}

/** The headers that report a caller's quota (IETF draft-ietf-httpapi-ratelimit-headers-10). */
export function limitHeaders(quota: Quota | null): Record<string, string> {
  if (quota === null) return {};
  return {
    'ratelimit-policy': `"key";q=${quota.perMinute};w=60`,
    ratelimit: `"key";r=${quota.left};t=${quota.fullInSeconds}`,
  };
}

export class RateLimiter {
  readonly #perMinute: number;
  readonly #maxCallers: number;
  /**
   * In order of last use. The bucket that is unused for longest, which is the fullest, is removed
   * first.
   */
  readonly #buckets = new Map<string, TokenBucket>();

  /** `perMinute` is the burst and also the refill of a minute. 0 switches the limit off. */
  constructor(perMinute: number, maxCallers = 50_000) {
    this.#perMinute = perMinute;
    this.#maxCallers = maxCallers;
  }

  /** Counts one request. Null when it may pass, otherwise the whole seconds to wait. */
  take(caller: string, nowMs: number): number | null {
    if (this.#perMinute === 0) return null;
    const bucket = this.#refilled(caller, nowMs);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return null;
    }
    const secondsPerToken = 60 / this.#perMinute;
    return Math.max(1, Math.ceil((1 - bucket.tokens) * secondsPerToken));
  }

  /** What the caller has left, as of its last request. */
  left(caller: string): Quota | null {
    if (this.#perMinute === 0) return null;
    const tokens = this.#buckets.get(caller)?.tokens ?? this.#perMinute;
    const missing = this.#perMinute - tokens;
    return {
      perMinute: this.#perMinute,
      left: Math.floor(tokens),
      fullInSeconds: Math.ceil((missing * 60) / this.#perMinute),
    };
  }

  /** Returns a token for a request that should not have been counted. */
  giveBack(caller: string): void {
    const bucket = this.#buckets.get(caller);
    if (bucket) bucket.tokens = Math.min(this.#perMinute, bucket.tokens + 1);
  }

  get size(): number {
    return this.#buckets.size;
  }

  #refilled(caller: string, nowMs: number): TokenBucket {
    const known = this.#buckets.get(caller);
    if (known) {
      this.#buckets.delete(caller);
      this.#buckets.set(caller, known);
      const elapsedMs = Math.max(0, nowMs - known.filledAtMs);
      known.tokens = Math.min(this.#perMinute, known.tokens + (elapsedMs * this.#perMinute) / 60_000);
      known.filledAtMs = nowMs;
      return known;
    }
    const fresh = { tokens: this.#perMinute, filledAtMs: nowMs };
    this.#buckets.set(caller, fresh);
    if (this.#buckets.size > this.#maxCallers) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return fresh;
  }
}
