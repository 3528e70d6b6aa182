/** The clients of TON. */

import { unitsOf } from '../../../domain/money/decimal.ts';
import { tokensOf } from '../shared/client-parts.ts';
import type { ChainClients, ClientParts } from '../shared/family.ts';
import { connectTon } from './connection.ts';
import { tonNetwork } from './network.ts';
import { tonScanner } from './read/scanner.ts';
import { tonSender } from './send/sender.ts';

/** The family's public key decides which wallets are read. */
export function tonClients({
  chain,
  settings,
  catalog,
  clock,
  boundTo,
  logger,
  publicKey,
}: ClientParts): ChainClients {
  if (publicKey === null)
    throw new Error('keystore.json has no public key of ton: start a worker once, which adds it');
  const native = catalog.nativeOf(chain.name);
  const tokens = tokensOf(catalog, chain);
  const options = {
    chain: chain.name,
    network: tonNetwork(settings.network ?? 'main'),
    rpc: settings.rpc,
    publicKey,
    nativeAsset: native.key,
    confirmations: settings.confirmations ?? chain.confirmations,
    boundTo,
    logger,
  };
  const fees = settings.feeCeiling === null ? {} : { ceiling: unitsOf(settings.feeCeiling, native.decimals) };
  const connection = connectTon({ ...options, jettons: tokens });
  return {
    scanner: tonScanner({ ...options, jettons: tokens.filter(({ scanned }) => scanned) }, connection),
    // What left before an asset was switched off is still looked after.
    sender: tonSender({ ...options, jettons: tokens, clock, fees }, connection),
    nodes: connection.pool,
    heads: null,
  };
}
