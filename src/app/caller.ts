/** The caller of a use case. */

import type { Environment } from '../domain/environment.ts';
import type { Merchant } from '../domain/merchants/merchant.ts';
import type { Scope } from '../ports/list-queries.ts';

/** The merchant, and the environment that its key selects. */
export interface Caller {
  readonly merchant: Merchant;
  readonly environment: Environment;
  readonly scope: Scope;
}
