/** What the consoles' pages read and change, for their driver: one method each. */
import type { PageRequest, Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { showNotices } from '../notices/show-notices.ts';
import { acceptInvoice } from './accept-invoice.ts';
import { attentionCounts, attentionOf } from './attention.ts';
import { merchantOverview } from './overview.ts';
import { searchEverything, searchPayments } from './search.ts';
import { statementOf } from './statement.ts';
import { invoiceTimeline, payoutTimeline } from './timeline.ts';

export type ConsoleUseCases = ReturnType<typeof consoleUseCases>;

export function consoleUseCases(deps: AppDependencies) {
  return {
    acceptInvoice: acceptInvoice(deps),
    creditRequests: (scope: Scope, page: PageRequest) => deps.consoleQueries.creditRequests(scope, page),
    creditQueue: (page: PageRequest) => deps.consoleQueries.creditQueue(page),
    overview: merchantOverview(deps),
    attention: attentionOf(deps),
    attentionCounts: attentionCounts(deps),
    searchPayments: searchPayments(deps),
    searchEverything: searchEverything(deps),
    statement: statementOf(deps),
    notices: showNotices(deps),
    invoiceTimeline: invoiceTimeline(deps),
    payoutTimeline: payoutTimeline(deps),
  };
}
