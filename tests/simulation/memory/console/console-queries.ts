/** Reads of the consoles in memory. */
import type { ConsoleQueries } from '../../../../src/ports/console/console-queries.ts';
import { creditRequestQueries } from '../deposits/credit-requests.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { attentionQueries } from './attention-queries.ts';
import { merchantFigures } from './merchant-figures.ts';
import { paymentSearch } from './payment-search.ts';
import { statementQueries } from './statement-queries.ts';
import { timelineQueries } from './timeline-queries.ts';

export function consoleQueries(store: MemoryStore): ConsoleQueries {
  return {
    ...merchantFigures(store),
    ...paymentSearch(store),
    ...timelineQueries(store),
    ...attentionQueries(store),
    ...statementQueries(store),
    ...creditRequestQueries(store),
  };
}
