/**
 * The checkout's links to transactions. The gateway only links to the pages, and never requests
 * them.
 */

import type { Config } from '../../config/types.ts';
import { CHAINS } from '../../domain/catalog/chain.ts';
import { isWebLink } from '../../domain/web-link.ts';
import { isOnMainNetwork } from './configured-networks.ts';

export type Explorers = (chain: string, txid: string) => string | null;

/**
 * The configured explorer, else the well-known one of a chain's main network; null if there is
 * none.
 */
export function explorers(config: Pick<Config, 'chains' | 'checkout' | 'fakeChains'>): Explorers {
  const templates: ReadonlyMap<string, string | null> = new Map(
    CHAINS.map((chain) => {
      const given = config.checkout.explorers[chain.name];
      const usual = !config.fakeChains && isOnMainNetwork(config, chain.name) ? chain.explorer : null;
      return [chain.name, given === undefined ? usual : given];
    }),
  );
  return (chain, txid) => {
    const link = templates.get(chain)?.replace('{txid}', () => encodeURIComponent(txid)) ?? null;
    return link !== null && isWebLink(link) ? link : null;
  };
}
