/** The configuration of the checkout. */
import type { Config } from '../config/types.ts';
import { chainIds } from './chains/chain-ids.ts';
import { confirmationsOf } from './chains/confirmations.ts';
import { explorers } from './chains/explorers.ts';

export const checkoutOf = (config: Config) => ({
  explorer: explorers(config),
  confirmations: confirmationsOf(config),
  chainId: chainIds(config),
});
