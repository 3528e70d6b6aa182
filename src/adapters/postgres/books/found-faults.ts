/**
 * Faults as they are found: each once, and of each check no more than show the pattern. A
 * systematic fault of millions of rows takes no more memory.
 */
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import { FAULTS_MAX } from './row-checks.ts';

export type Faults = readonly ReconciliationFault[];

export interface FoundFaults {
  add(faults: Faults): void;
  /** Check by check, by their references. What was left out is named after those of its check. */
  all(): Faults;
}

/** `order`: the names of all checks. */
export function foundFaults(order: readonly string[], most = FAULTS_MAX): FoundFaults {
  const kept = new Map(order.map((check) => [check, new Map<string, ReconciliationFault>()]));
  const more = new Set<string>();
  return {
    add(faults) {
      for (const fault of faults) {
        const { check, reference, expected, found } = fault;
        const ofCheck = kept.get(check);
        const key = [reference, expected, found].join('\n');
        if (ofCheck === undefined || ofCheck.has(key)) continue;
        if (ofCheck.size < most) ofCheck.set(key, fault);
        else more.add(check);
      }
    },
    all: () =>
      [...kept].flatMap(([check, ofCheck]) => [
        ...[...ofCheck.values()].sort((a, b) => (a.reference < b.reference ? -1 : 1)),
        ...(more.has(check)
          ? [{ check, reference: 'others', expected: 'none', found: `more than these ${most}` }]
          : []),
      ]),
  };
}
