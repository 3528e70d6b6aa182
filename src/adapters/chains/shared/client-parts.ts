/** What families make their clients with. */

import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Chain } from '../../../domain/catalog/chain.ts';
import type { ChainHeads } from '../../../ports/chains/chain-heads.ts';
import type { ClientParts } from './family.ts';
import { type HeadWords, headStreams } from './nodes/head-streams.ts';

/** After so many blocks of the chain, or polls, without a head a stream is dead. */
const QUIET_BLOCKS = 3;

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
