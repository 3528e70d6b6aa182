/** The clients of Solana. */

import { unitsOf } from '../../../domain/money/decimal.ts';
import { headsOf, leastConfirmations, tokensOf } from '../shared/client-parts.ts';
import type { ChainClients, ClientParts } from '../shared/family.ts';
import { connectSolana } from './connection.ts';
import { solanaHeadWords } from './head-words.ts';
import { solanaScanner } from './read/scanner.ts';
import { solanaSender } from './send/sender.ts';
import { solanaWalletPayments } from './wallet-payments.ts';

export function solanaClients(parts: ClientParts): ChainClients {
  const { chain, settings, catalog, boundTo, logger } = parts;
  const native = catalog.nativeOf(chain.name);
  const tokens = tokensOf(catalog, chain);
  const options = {
    chain: chain.name,
    network: settings.network ?? 'main',
    rpc: settings.rpc,
    nativeAsset: native.key,
    boundTo,
    logger,
  };
  const fees =
    settings.feeCeiling === null ? {} : { ceilingUnits: unitsOf(settings.feeCeiling, native.decimals) };
  const connection = connectSolana({ ...options, tokens });
  return {
    scanner: solanaScanner(
      {
        ...options,
        tokens: tokens.filter(({ scanned }) => scanned),
        confirmations: leastConfirmations(parts),
      },
      connection,
    ),
    // What left before an asset was switched off is still looked after.
    sender: solanaSender({ ...options, tokens, fees }, connection),
    nodes: connection.pool,
    heads: headsOf(parts, solanaHeadWords),
    walletPayments: solanaWalletPayments({ ...options, tokens }, connection),
  };
}
