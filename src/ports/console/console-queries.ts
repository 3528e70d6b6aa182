/** Reads of the consoles: no locks and no writes. */
import type { MerchantFigures } from './merchant-figures.ts';
import type { PaymentSearch } from './payment-search.ts';

export interface ConsoleQueries extends MerchantFigures, PaymentSearch {}
