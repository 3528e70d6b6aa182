/** Reads of the consoles: no locks and no writes. */
import type { MerchantFigures } from './merchant-figures.ts';

export interface ConsoleQueries extends MerchantFigures {}
