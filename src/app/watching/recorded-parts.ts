/**
 * How many transfers one transaction records. Half as many after one that missed its deadline, or a
 * chain whose storage is slow would try the same ones again for ever.
 */
import { isLate } from '../../ports/repositories.ts';

/** Thousands in one block (safety.md U5) would exceed the deadline of a transaction. */
const RECORDED_AT_ONCE = 250;

export interface RecordedParts {
  /**
   * Passes `all` on, part by part and in their order, to `record`, which stores a part in one
   * transaction; there is a last part also if there is nothing. A part that is late is passed on
   * again in smaller ones: it may have been stored. Returns false, and ends, once `record` does, or
   * between two parts once `stopping` is aborted.
   */
  record<One>(
    all: readonly One[],
    record: (part: readonly One[], isLast: boolean) => Promise<boolean>,
    stopping?: AbortSignal,
  ): Promise<boolean>;
}

/**
 * Remembers what was late. Each stored part is followed by one twice as large, but in the same call
 * by none that is larger than half of one that was late.
 */
export function recordedParts(): RecordedParts {
  let most = RECORDED_AT_ONCE;
  return {
    async record(all, record, stopping) {
      let atMost = RECORDED_AT_ONCE;
      for (let from = 0; ; ) {
        const part = all.slice(from, from + most);
        const to = from + part.length;
        try {
          if (!(await record(part, to === all.length))) return false;
        } catch (error) {
          if (!isLate(error) || part.length <= 1 || stopping?.aborted) throw error;
          atMost = Math.floor(part.length / 2);
          most = atMost;
          continue;
        }
        most = Math.min(2 * most, atMost);
        if (to === all.length) return true;
        if (stopping?.aborted) return false;
        from = to;
      }
    },
  };
}
