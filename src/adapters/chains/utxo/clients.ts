/** The clients of Bitcoin, Litecoin and Bitcoin Cash. */

import type { UtxoFamily } from '../../../domain/catalog/family.ts';
import { unitsOf } from '../../../domain/money/decimal.ts';
import type { ChainClients, ChainSettings, ClientParts } from '../shared/family.ts';
import { backendPool, type UtxoOptions } from './backends.ts';
import { utxoNetwork } from './network.ts';
import { utxoScanner } from './read/scanner.ts';
import { utxoSender } from './send/sender.ts';

/** Satoshi per virtual byte, and the factor to base units per 1,000 of them. */
const USUAL_SATOSHI_CEILING = '500';
const PER_THOUSAND_DECIMALS = 3;

/** Without the family's public key there is no change address, and so no sender. */
export function utxoClients(
  { chain, settings, catalog, boundTo, logger, wallet }: ClientParts,
  family: UtxoFamily,
): ChainClients {
  const options = {
    chain: chain.name,
    network: utxoNetwork(family, settings.network ?? 'main'),
    source: sourceOf(settings),
    confirmations: settings.confirmations ?? chain.confirmations,
    boundTo,
    logger,
  };
  const asset = catalog.nativeOf(chain.name).key;
  const ceiling = unitsOf(settings.feeCeiling ?? USUAL_SATOSHI_CEILING, PER_THOUSAND_DECIMALS);
  const change = wallet?.change ?? null;
  const pool = backendPool(options);
  const sendsWith = { ...options, nativeAsset: asset, fees: { ceiling } };
  return {
    scanner: utxoScanner({ ...options, asset }, pool),
    sender: change && utxoSender({ ...sendsWith, change }, pool),
    nodes: pool,
    heads: null,
  };
}

function sourceOf({ rpc, esplora, electrum }: ChainSettings): UtxoOptions['source'] {
  if (electrum.length > 0) return { electrum };
  return esplora.length > 0 ? { esplora } : { rpc };
}
