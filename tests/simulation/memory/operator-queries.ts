import type { OperatorQueries } from '../../../src/ports/operator-queries.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { notYet } from './store/not-yet.ts';

export function operatorQueries(_store: MemoryStore): OperatorQueries {
  return notYet('operatorQueries');
}
