/** Reads of the consoles: no locks and no writes. */
import type { CreditRequestQueries } from '../deposits/credit-requests.ts';
import type { AttentionQueries } from './attention-queries.ts';
import type { MerchantFigures } from './merchant-figures.ts';
import type { PaymentSearch } from './payment-search.ts';
import type { StatementQueries } from './statement-queries.ts';
import type { TimelineQueries } from './timeline-queries.ts';

export interface ConsoleQueries
  extends MerchantFigures,
    PaymentSearch,
    TimelineQueries,
    AttentionQueries,
    StatementQueries,
    CreditRequestQueries {}
