/** What the checkout is told of the configuration. */
import type { Config } from '../config.ts';
import { chainIds } from './chain-ids.ts';
import { confirmationsOf } from './confirmations.ts';
import { explorers } from './explorers.ts';

export const checkoutOf = (config: Config) => ({
  explorer: explorers(config),
  confirmations: confirmationsOf(config),
  chainId: chainIds(config),
});
