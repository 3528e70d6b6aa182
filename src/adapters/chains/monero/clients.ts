/** The client of Monero, which only receives. */

import type { ChainClients, ClientParts } from '../shared/family.ts';
import { daemonPool, moneroScanner } from './scanner.ts';

export function moneroClients({ chain, settings, catalog, boundTo, logger }: ClientParts): ChainClients {
  if (settings.ownWallet === null) throw new Error('monero is configured without its wallet');
  const { walletRpc, ...keys } = settings.ownWallet;
  const options = {
    chain: chain.name,
    asset: catalog.nativeOf(chain.name).key,
    rpc: settings.rpc.map(({ url }) => url),
    walletRpc,
    keys,
    confirmations: settings.confirmations ?? chain.confirmations,
    startHeight: settings.startHeight,
    boundTo,
    logger,
  };
  const pool = daemonPool(options);
  return { scanner: moneroScanner(options, pool), sender: null, nodes: pool, heads: null };
}
