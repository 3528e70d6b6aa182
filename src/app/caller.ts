/** Who calls a use case. */
import type { Environment, Merchant } from '../domain/merchants/merchant.ts';
import type { Scope } from '../ports/queries.ts';

/** Who calls: the merchant and the environment that its key selects. */
export interface Caller {
  readonly merchant: Merchant;
  readonly environment: Environment;
  readonly scope: Scope;
}
