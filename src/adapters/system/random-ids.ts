/** Identifiers and keys from the system's secure random source; the ids of one source sort in the order they were drawn. */
import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { IdSource } from '../../ports/runtime/id-source.ts';

const TAIL_LIMIT = 2 ** 48;
/** Drawn from the system's source at once: a call for each id costs more than the rest of the id. */
const POOL_BYTES = 4_096;

export function randomIds(clock: Clock): IdSource {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  /** A random number of so many bytes, at most 6, that is given out once. */
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

  return {
    id() {
      const nowMs = clock.now().getTime();
      if (nowMs > lastMs) {
        lastMs = nowMs;
        tail = random(6);
      } else {
        // Same millisecond, or the clock went back: stay on the last one seen and count on from there, by a random
        // step, so that a neighbour's id is not simply the next number.
        tail += 1 + random(3);
        if (tail >= TAIL_LIMIT) {
          lastMs += 1;
          tail = random(6);
        }
      }
      return hex48(lastMs) + hex48(tail);
    },
    uuid: () => randomUUID(),
    apiKey: (environment) => `sk_${environment}_${randomBytes(24).toString('hex')}`,
    webhookSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
  };
}

function hex48(value: number): string {
  return value.toString(16).padStart(12, '0');
}
