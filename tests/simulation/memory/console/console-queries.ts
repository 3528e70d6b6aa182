import type { ConsoleQueries } from '../../../../src/ports/console/console-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { notYet } from '../store/not-yet.ts';

export function consoleQueries(_store: MemoryStore): ConsoleQueries {
  return notYet('consoleQueries');
}
