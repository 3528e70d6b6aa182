/** What the consoles' pages read and change, for their driver: one method each. */
import type { AppDependencies } from '../dependencies.ts';
import { merchantOverview } from './overview.ts';
import { searchEverything, searchPayments } from './search.ts';

export type ConsoleUseCases = ReturnType<typeof consoleUseCases>;

export function consoleUseCases(deps: AppDependencies) {
  return {
    overview: merchantOverview(deps),
    searchPayments: searchPayments(deps),
    searchEverything: searchEverything(deps),
  };
}
