/** The search box of the consoles. */
import { searchTerms } from '../../domain/console/search-terms.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { FoundPayments } from '../../ports/console/payment-search.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { addressSpellings } from '../invoices/addresses/address-parts.ts';

type Needs = Pick<AppDependencies, 'consoleQueries' | 'catalog' | 'sandboxDerivers'>;

const NOTHING: FoundPayments = { invoices: [], payouts: [], deposits: [], permanentAddresses: [] };

/**
 * What a merchant finds of its own, newest first. Remarks of operators and of the risk check are
 * left out.
 */
export function searchPayments(deps: Needs) {
  return async (scope: Scope, text: string): Promise<FoundPayments> => {
    const terms = searchTerms(text, { catalog: deps.catalog, spellingsOf: addressSpellings(deps) });
    if (terms === null) return NOTHING;
    const found = await deps.consoleQueries.findPayments(scope, terms);
    return { ...found, deposits: found.deposits.map((deposit) => ({ ...deposit, note: null })) };
  };
}

export interface FoundEverywhere extends FoundPayments {
  readonly merchants: readonly Merchant[];
}

/** What an operator finds: of all merchants and both environments. */
export function searchEverything(deps: Needs) {
  return async (text: string): Promise<FoundEverywhere> => {
    const terms = searchTerms(text, { catalog: deps.catalog, spellingsOf: addressSpellings(deps) });
    if (terms === null) return { ...NOTHING, merchants: [] };
    const [found, merchants] = await Promise.all([
      deps.consoleQueries.findPayments(null, terms),
      deps.consoleQueries.findMerchants(terms),
    ]);
    return { ...found, merchants };
  };
}
