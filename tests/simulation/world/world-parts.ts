/** Parts of the world that outlive its processes: ids, and the marks of issued indexes. */
import type { IssuedIndexes } from '../../../src/ports/chains/issued-indexes.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';
import type { IdSource } from '../../../src/ports/runtime/id-source.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Ids that sort by time, as the real ones, and are the same in each run. */
export function countedIds(clock: Clock): IdSource {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const uuid = () => `00000000-0000-4000-8000-${hex(next(), 12)}`;
  return {
    id: () => `${hex(clock.now().getTime(), 12)}${hex(next(), 12)}`,
    uuid,
    checkoutId: uuid,
    apiKey: (environment) => `sk_${environment}_${hex(next(), 48)}`,
    webhookSecret: () => `whsec_${Buffer.from(hex(next(), 64), 'hex').toString('base64')}`,
    secretToken: () => Buffer.from(hex(next(), 64), 'hex').toString('base64url'),
  };
}

export interface KeptMarks extends IssuedIndexes {
  /** A copy of the file; calling it puts it back. */
  keep(): () => void;
}

export function keptMarks(): KeptMarks {
  let marks = new Map<string, number>();
  return {
    keep() {
      const kept = new Map(marks);
      return () => {
        marks = new Map(kept);
      };
    },
    all: async () => new Map(marks),
    async note(issued) {
      for (const [deriver, index] of issued) marks.set(deriver, Math.max(index, marks.get(deriver) ?? -1));
    },
    close: async () => undefined,
  };
}
