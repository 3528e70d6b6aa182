/** The clients of an EVM chain. */

import { GWEI_DECIMALS } from '../../../domain/catalog/chain-facts.ts';
import { unitsOf } from '../../../domain/money/decimal.ts';
import { headsOf, tokensOf } from '../shared/client-parts.ts';
import type { ChainClients, ClientParts } from '../shared/family.ts';
import { connectEvm } from './connection.ts';
import { evmHeadWords } from './head-words.ts';
import { evmScanner } from './read/scanner.ts';
import { evmSender } from './send/sender.ts';

export function evmClients(parts: ClientParts): ChainClients {
  const { chain, settings, catalog, boundTo, logger } = parts;
  const chainId = settings.chainId ?? chain.chainId;
  if (chainId === null) throw new Error(`the catalog has no chain id of ${chain.name}`);
  const tokens = tokensOf(catalog, chain);
  const options = {
    chain: chain.name,
    chainId,
    rpc: settings.rpc,
    finality: { confirmations: settings.confirmations },
    nativeAsset: catalog.nativeOf(chain.name).key,
    boundTo,
    logger,
  };
  const ceilingPerGas = settings.feeCeiling === null ? null : unitsOf(settings.feeCeiling, GWEI_DECIMALS);
  const fees = ceilingPerGas === null ? {} : { ceilingPerGas };
  const connection = connectEvm({ ...options, tokens });
  return {
    scanner: evmScanner({ ...options, tokens: tokens.filter(({ scanned }) => scanned) }, connection),
    // What left before an asset was switched off is still looked after.
    sender: evmSender({ ...options, tokens, fees }, connection),
    nodes: connection.pool,
    heads: headsOf(parts, evmHeadWords),
  };
}
