/**
 * The real nodes of the three UTXO chains for tests that run on each: what they are called, whether
 * they are there, how they start.
 */
import type { UtxoFamily } from '../../../src/domain/catalog/family.ts';
import { bcashAvailable, startBcash } from '../nodes/bcash.ts';
import { coreNodeAvailable, startCoreNode } from '../nodes/core-nodes.ts';
import type { RegtestNode } from '../nodes/regtest.ts';
import { needs } from '../runtime/needs.ts';

export interface UtxoChain {
  readonly family: UtxoFamily;
  readonly asset: string;
  /** What the default of the chain is. */
  readonly confirmations: number;
  /** For `describe.skipIf(!there())`. */
  there(): boolean;
  start(): Promise<RegtestNode>;
}

export const BITCOIN: UtxoChain = {
  family: 'bitcoin',
  asset: 'btc_bitcoin',
  confirmations: 2,
  there: () => needs('bitcoind', coreNodeAvailable('bitcoin')),
  start: () => startCoreNode('bitcoin'),
};

/** Bitcoin's, which knows transactions of blocks by their unspent outputs only. */
export const WITHOUT_INDEX: UtxoChain = {
  ...BITCOIN,
  start: () => startCoreNode('bitcoin', { txindex: false }),
};

export const LITECOIN: UtxoChain = {
  family: 'litecoin',
  asset: 'ltc_litecoin',
  confirmations: 6,
  there: () => needs('litecoind', coreNodeAvailable('litecoin')),
  start: () => startCoreNode('litecoin', { arguments: ['-vbparams=mweb:-2:0', '-mempoolreplacement=1'] }),
};

export const BITCOIN_CASH: UtxoChain = {
  family: 'bitcoincash',
  asset: 'bch_bitcoincash',
  confirmations: 6,
  there: () => needs('bcash', bcashAvailable()),
  start: startBcash,
};

export const UTXO_CHAINS: readonly UtxoChain[] = [BITCOIN, LITECOIN, BITCOIN_CASH];
