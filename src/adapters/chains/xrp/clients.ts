/** The clients of the XRP Ledger. */

import { unitsOf } from '../../../domain/money/decimal.ts';
import { headsOf } from '../shared/client-parts.ts';
import type { ChainClients, ClientParts } from '../shared/family.ts';
import { xrpHeadWords } from './head-words.ts';
import { ledgerPool } from './ledger-pool.ts';
import { xrpNetwork } from './network.ts';
import { xrpScanner } from './read/scanner.ts';
import { xrpSender } from './send/sender.ts';

/** The family's public key names the one account to read. */
export function xrpClients(parts: ClientParts): ChainClients {
  const { chain, settings, catalog, boundTo, logger, wallet } = parts;
  const account = wallet?.deriver.hotWallet() ?? null;
  if (account === null)
    throw new Error('keystore.json has no public key of xrp: take the file of the host that signs');
  const { key: asset, decimals } = catalog.nativeOf(chain.name);
  const options = {
    chain: chain.name,
    network: xrpNetwork(settings.network),
    rpc: settings.rpc,
    confirmations: settings.confirmations ?? chain.confirmations,
    boundTo,
    logger,
  };
  const fees = settings.feeCeiling === null ? {} : { ceiling: unitsOf(settings.feeCeiling, decimals) };
  const pool = ledgerPool(options);
  return {
    scanner: xrpScanner({ ...options, account, asset }, pool),
    sender: xrpSender({ ...options, nativeAsset: asset, fees }, pool),
    nodes: pool,
    heads: headsOf(parts, xrpHeadWords),
  };
}
