/** The configuration of the checkout. */
import type { Config } from '../config/types.ts';
import { confirmationsOf } from './chains/configured-confirmations.ts';
import { explorers } from './chains/configured-explorers.ts';
import { chainIds } from './chains/configured-networks.ts';

export const checkoutOf = (config: Config) => ({
  explorer: explorers(config),
  confirmations: confirmationsOf(config),
  chainId: chainIds(config),
});
