/** The clients of the XRP Ledger. */
import { xrpHeadWords } from '../../../adapters/chains/xrp/head-words.ts';
import { ledgerPool } from '../../../adapters/chains/xrp/ledger-pool.ts';
import { xrpNetwork } from '../../../adapters/chains/xrp/network.ts';
import { xrpScanner } from '../../../adapters/chains/xrp/read/scanner.ts';
import { xrpSender } from '../../../adapters/chains/xrp/send/sender.ts';
import { unitsOf } from '../../../domain/money/decimal.ts';
import { type ChainClients, type ClientParts, headsOf } from './client-parts.ts';

/** The one account whose ledgers are read is that of the family's public key. */
export function xrpClients(parts: ClientParts): ChainClients {
  const { chain, settings, catalog, boundTo, logger, wallet } = parts;
  const account = wallet.derivers.get('xrp')?.hotWallet() ?? null;
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
