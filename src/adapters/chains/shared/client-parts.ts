/** What the clients of each family are made from, and what they are. */

import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Chain } from '../../../domain/catalog/chain.ts';
import type { NetworkName } from '../../../domain/catalog/family.ts';
import type { ChainHeads } from '../../../ports/chains/chain-heads.ts';
import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { ChainScanner } from '../../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../../ports/runtime/clock.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { ChainSender } from '../../../ports/sending/chain-sender.ts';
import type { FamilyWallet } from './family.ts';
import { type HeadWords, headStreams } from './nodes/head-streams.ts';
import type { NodeSettings } from './nodes/node-endpoint.ts';

/** After so many blocks of the chain, or polls, without a head a stream is dead. */
const QUIET_BLOCKS = 3;

export interface ChainClients {
  readonly scanner: ChainScanner;
  /** Null where nothing can be sent. */
  readonly sender: ChainSender | null;
  /** What both ask. */
  readonly nodes: ChainNodes;
  /** What those of them tell that have a stream; null where none has. */
  readonly heads: ChainHeads | null;
}

/** What is configured of a chain (config/types.ts). */
export interface ChainSettings {
  readonly rpc: readonly (NodeSettings & { readonly stream: string | null })[];
  readonly esplora: readonly NodeSettings[];
  readonly electrum: readonly NodeSettings[];
  /** EIP-155; null: the chain's own, and outside evm. */
  readonly chainId: number | null;
  readonly network: NetworkName | null;
  readonly confirmations: number | null;
  readonly startHeight: number | null;
  readonly feeCeiling: string | null;
  /** Monero's alone: the wallet program, and the keys of the operator's own wallet. */
  readonly monero: {
    readonly walletRpc: string;
    readonly primaryAddress: string;
    readonly viewKey: string;
    readonly network: 'main' | 'test' | 'stage' | 'regtest';
  } | null;
}

export interface ClientParts {
  readonly chain: Chain;
  readonly settings: ChainSettings;
  readonly catalog: AssetCatalog;
  readonly clock: Clock;
  /** Which chain the nodes must be of. */
  readonly boundTo: ChainIdentity;
  readonly logger: Logger;
  /** Hex or base58, of the keystore; null where it has none of the family. */
  readonly publicKey: string | null;
  /** Null without what its addresses are derived from. */
  readonly wallet: FamilyWallet | null;
}

/**
 * Blocks that a final one has at least, its own included, whatever a node says of finality: as many as the protocol of the main network
 * asks for, unless an operator names another number. Test networks may have fewer producers than it reckons with.
 */
export function leastConfirmations({ chain, settings }: Pick<ClientParts, 'chain' | 'settings'>): number {
  return settings.confirmations ?? (settings.network === 'test' ? 1 : chain.confirmations);
}

/** The streams of the chain's nodes, in the words of its family. */
export function headsOf({ chain, settings, logger }: ClientParts, words: HeadWords): ChainHeads | null {
  const quietMs = QUIET_BLOCKS * chain.pollMs;
  return headStreams({ chain: chain.name, nodes: settings.rpc, words, quietMs, logger });
}

export interface ListedToken {
  readonly asset: string;
  readonly contract: string;
  readonly decimals: number;
  /** What the contract must say besides; null for anything. */
  readonly symbol: string | null;
  /** Those that are switched on, and those that are not listed; what left of others is still looked after. */
  readonly scanned: boolean;
  readonly listed: boolean;
}

export function tokensOf(catalog: AssetCatalog, chain: Chain): readonly ListedToken[] {
  const on = ({ key: asset, contract, decimals, contractSymbol: symbol }: Asset, scanned: boolean) =>
    contract === null
      ? []
      : [{ asset, contract, decimals, symbol, scanned, listed: catalog.isListed(asset) }];
  const here = (assets: readonly Asset[]) =>
    assets.filter((asset) => asset.chain === chain.name && asset.onNetwork);
  return [
    ...here(catalog.all).flatMap((asset) => on(asset, asset.enabled)),
    ...here(catalog.unlisted).flatMap((asset) => on(asset, true)),
  ];
}
