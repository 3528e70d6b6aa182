/** The parts that every family makes its clients from. */

import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import type { Chain } from '../../../domain/catalog/chain.ts';
import type { ChainHeads } from '../../../ports/chains/chain-heads.ts';
import type { ClientParts } from './family.ts';
import { type HeadWords, headStreams } from './nodes/head-streams.ts';

/** A stream is dead after so many blocks of the chain, or polls, without a head. */
const QUIET_BLOCKS = 3;

/**
 * The least blocks of a final block, its own included, whatever finality a node reports: as many as
 * the protocol of the main network requires, unless an operator sets another number. Test networks
 * may have fewer producers.
 */
export function leastConfirmations({ chain, settings }: Pick<ClientParts, 'chain' | 'settings'>): number {
  return settings.confirmations ?? (settings.network === 'test' ? 1 : chain.confirmations);
}

/** The streams of the chain's nodes, with the messages of its family. */
export function headsOf({ chain, settings, logger }: ClientParts, words: HeadWords): ChainHeads | null {
  const quietMs = QUIET_BLOCKS * chain.pollMs;
  return headStreams({ chain: chain.name, nodes: settings.rpc, words, quietMs, logger });
}

export interface ListedToken {
  readonly asset: string;
  readonly contract: string;
  readonly decimals: number;
  /** The symbol that the contract must return; null for any. */
  readonly symbol: string | null;
  /**
   * Those that are switched on, and those that are not listed. Transactions of the others are still
   * followed.
   */
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
