/**
 * Identifiers and keys from the system's secure random source. The ids of one source sort in the
 * order of their creation.
 */
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { IdSource } from '../../ports/runtime/id-source.ts';

const TAIL_LIMIT = 2 ** 48;
/**
 * Bytes per call to the system's source: one call per id would cost more than the rest of the id.
 */
const POOL_BYTES = 4_096;
/** How long checkouts share their first digits, and how many. */
const SHARED_MS = 3_600_000;
const SHARED_DIGITS = 6;

export function randomIds(clock: Clock): IdSource {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  /** A random number of so many bytes, at most 6, that is used once. */
  function random(bytes: number): number {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.readUIntBE(used - bytes, bytes);
  }

  let lastMs = -1;
  let tail = 0;
  let shared = '';
  let sharedSince = Number.NEGATIVE_INFINITY;

  return {
    id() {
      const nowMs = clock.now().getTime();
      if (nowMs > lastMs) {
        lastMs = nowMs;
        tail = random(6);
      } else {
        // In the same millisecond, or after the clock went back, it continues from the last id by a
        // random step, so that the next id cannot be guessed.
        tail += 1 + random(3);
        if (tail >= TAIL_LIMIT) {
          lastMs += 1;
          tail = random(6);
        }
      }
      return hex48(lastMs) + hex48(tail);
    },
    uuid: () => randomUUID(),
    checkoutId() {
      const nowMs = clock.now().getTime();
      if (Math.abs(nowMs - sharedSince) >= SHARED_MS) {
        sharedSince = nowMs;
        shared = randomUUID().slice(0, SHARED_DIGITS);
      }
      return shared + randomUUID().slice(SHARED_DIGITS);
    },
    apiKey: (environment) => `sk_${environment}_${randomBytes(24).toString('hex')}`,
    webhookSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
    secretToken: () => randomBytes(32).toString('base64url'),
  };
}

function hex48(value: number): string {
  return value.toString(16).padStart(12, '0');
}
