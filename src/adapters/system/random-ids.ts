/** Identifiers and keys from the system's secure random source; the ids of one source sort in the order they were drawn. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { IdSource } from '../../ports/id-source.ts';

const TAIL_LIMIT = 2 ** 48;
/** Within a millisecond the tail grows by a random step, so a neighbour's id is not simply the next number. */

export function randomIds(clock: Clock): IdSource {
  let lastMs = -1;
  let tail = 0;

  return {
    id() {
      const nowMs = clock.now().getTime();
      if (nowMs > lastMs) {
        lastMs = nowMs;
        tail = randomBytes(6).readUIntBE(0, 6);
      } else {
        // Same millisecond, or the clock went back: stay on the last one seen and count on from there, by a random
        // step, so that a neighbour's id is not simply the next number.
        tail += 1 + randomBytes(3).readUIntBE(0, 3);
        if (tail >= TAIL_LIMIT) {
          lastMs += 1;
          tail = randomBytes(6).readUIntBE(0, 6);
        }
      }
      return hex48(lastMs) + hex48(tail);
    },
    uuid: () => randomUUID(),
    apiKey: (environment) => `sk_${environment}_${randomBytes(24).toString('hex')}`,
  };
}

function hex48(value: number): string {
  return value.toString(16).padStart(12, '0');
}
