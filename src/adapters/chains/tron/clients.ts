/** The clients of Tron. */

import { unitsOf } from '../../../domain/money/decimal.ts';
import { leastConfirmations, tokensOf } from '../shared/client-parts.ts';
import type { ChainClients, ClientParts } from '../shared/family.ts';
import { connectTron } from './connection.ts';
import { tronScanner } from './read/scanner.ts';
import { tronSender } from './send/sender.ts';

export function tronClients(parts: ClientParts): ChainClients {
  const { chain, settings, catalog, clock, boundTo, logger } = parts;
  const native = catalog.nativeOf(chain.name);
  const tokens = tokensOf(catalog, chain);
  const options = {
    chain: chain.name,
    network: settings.network === 'test' ? 'test' : 'main',
    rpc: settings.rpc,
    confirmations: leastConfirmations(parts),
    boundTo,
    logger,
  } as const;
  const fees = settings.feeCeiling === null ? {} : { ceiling: unitsOf(settings.feeCeiling, native.decimals) };
  const connection = connectTron({ ...options, tokens });
  return {
    scanner: tronScanner(
      { ...options, asset: native.key, tokens: tokens.filter(({ scanned }) => scanned) },
      connection,
    ),
    // What left before an asset was switched off is still looked after.
    sender: tronSender({ ...options, nativeAsset: native.key, tokens, fees, clock }, connection),
    nodes: connection.pool,
    heads: null,
  };
}
