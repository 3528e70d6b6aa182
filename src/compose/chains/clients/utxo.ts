/** The clients of Bitcoin, Litecoin and Bitcoin Cash. */
import { backendPool, type UtxoOptions } from '../../../adapters/chains/utxo/backends.ts';
import { utxoNetwork } from '../../../adapters/chains/utxo/network.ts';
import { utxoScanner } from '../../../adapters/chains/utxo/read/scanner.ts';
import { utxoSender } from '../../../adapters/chains/utxo/send/sender.ts';
import type { ChainConfig } from '../../../config/types.ts';
import type { UtxoFamily } from '../../../domain/catalog/family.ts';
import { unitsOf } from '../../../domain/money/decimal.ts';
import type { ChainClients, ClientParts } from './client-parts.ts';

/** Satoshi per virtual byte, and what turns it into base units for 1,000 of them. */
const USUAL_SATOSHI_CEILING = '500';
const PER_THOUSAND_DECIMALS = 3;

/** Without the family's public key there is nowhere for change to come back, and so no sender. */
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
  const change = wallet.change.get(family);
  const pool = backendPool(options);
  const sender = change && utxoSender({ ...options, nativeAsset: asset, change, fees: { ceiling } }, pool);
  return {
    scanner: utxoScanner({ ...options, asset }, pool),
    ...{ sender: sender ?? null, nodes: pool, heads: null },
  };
}

function sourceOf({ rpc, esplora, electrum }: ChainConfig): UtxoOptions['source'] {
  if (electrum.length > 0) return { electrum };
  return esplora.length > 0 ? { esplora } : { rpc };
}
