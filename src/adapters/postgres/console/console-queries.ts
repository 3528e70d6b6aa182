/** Reads of the consoles, on the connections of lists: they take none from writes. */
import type { ConsoleQueries } from '../../../ports/console/console-queries.ts';
import type { Reads } from '../client/client.ts';
import { creditRequestQueries } from '../deposits/credit-requests.ts';
import { attentionQueries } from './attention-queries.ts';
import { merchantFigures } from './merchant-figures.ts';
import { paymentSearch } from './payment-search.ts';
import { statementQueries } from './statement-queries.ts';
import { timelineQueries } from './timeline-queries.ts';

export function postgresConsoleQueries(lists: Reads): ConsoleQueries {
  return {
    ...merchantFigures(lists),
    ...paymentSearch(lists),
    ...timelineQueries(lists),
    ...attentionQueries(lists),
    ...statementQueries(lists),
    ...creditRequestQueries(lists),
  };
}
