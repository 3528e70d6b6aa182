/**
 * The ChainSender of an EVM chain over JSON-RPC: prices, unsigned transactions, broadcasts to every
 * node and look-ups. Nodes replace each other on failure. A final outcome is reported only when all
 * that answer agree. Holds no key and no state.
 */

import type { Block } from '../../../../domain/sending/outgoing.ts';
import type { ChainSender, ReportedNonces } from '../../../../ports/sending/chain-sender.ts';
import { EVM_CAPABILITIES } from '../../../../ports/sending/sending-capabilities.ts';
import { onChainBy } from '../../shared/nodes/node-views.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { reportedNonces } from '../../shared/send/reported-nonces.ts';
import { connectEvm, type EvmConnection } from '../connection.ts';
import { quantity } from '../decode.ts';
import type { FinalityRule } from '../finality.ts';
import { headReader } from '../head.ts';
import { headerAt } from '../read/block-reader.ts';
import type { RpcOptions } from '../rpc-pool.ts';
import type { TokenListing } from '../tokens.ts';
import { broadcast } from './broadcast.ts';
import { takesDataFee } from './data-fee.ts';
import { usualPolicy } from './fees.ts';
import { outcomeOf } from './outcome.ts';
import { prepare, priceOf } from './prepare.ts';
import { recipientPricing } from './recipients.ts';
import { type EvmSending, ownWallet, sendableAssets } from './sending.ts';
import { unmineable } from './unmineable.ts';
import { balancesOf, walletBalances } from './wallet-balances.ts';

export interface EvmSenderOptions extends RpcOptions {
  /** The scanner's rule: an outgoing payment is final when an incoming one would be. */
  readonly finality: FinalityRule;
  /** Asset key of the chain's native coin. */
  readonly nativeAsset: string;
  readonly tokens: readonly TokenListing[];
  /**
   * Wei per gas. Least tip (or gas price), by default what validators require; highest price that
   * is signed, by default the catalog's.
   */
  readonly fees?: { readonly floorPerGas?: bigint; readonly ceilingPerGas?: bigint };
}

/** A sender that connects lazily. Throws for options that can never work. */
export function evmSender(
  options: EvmSenderOptions,
  { pool, tokens: book }: EvmConnection = connectEvm(options),
): ChainSender {
  const { chain, chainId, nativeAsset, finality, tokens, fees } = options;
  const sending: EvmSending = {
    chain,
    chainId,
    pool,
    assets: sendableAssets({ chain, nativeAsset, tokens, book }),
    fees: { ...usualPolicy(chain), ...fees },
    trialMs: options.timing?.trialMs,
    quoteMs: options.timing?.quoteMs,
    takesDataFee: takesDataFee(chain),
    readHead: headReader({ chain, finality, finalityMs: options.timing?.finalityMs, time: options.time }),
  };

  /** The highest count of all nodes: a node that lags would return a nonce that is used. */
  async function nextNonce(wallet: string, at?: Block): Promise<bigint> {
    const address = ownWallet(wallet);
    if (at !== undefined) return pool.use((node) => countAt(node, address, at));
    return (await told(address, 'latest')).highest;
  }

  /**
   * `pending`: with the transactions that wait at the nodes, ours or another user's of the wallet
   * (safety.md K4).
   */
  function told(wallet: string, upTo: 'latest' | 'pending'): Promise<ReportedNonces> {
    const address = ownWallet(wallet);
    return reportedNonces(sending, `nonce of ${address}`, async (node) =>
      quantity(await node.call('eth_getTransactionCount', address, upTo), 'transaction count'),
    );
  }

  /** By the block's hash, like balances: a node that lacks the block says so. */
  async function countAt(node: RpcNode, address: string, { hash }: Block): Promise<bigint> {
    return quantity(
      await node.call('eth_getTransactionCount', address, { blockHash: hash }),
      'transaction count',
    );
  }

  return {
    chain,
    nativeAsset,
    capabilities: EVM_CAPABILITIES,
    utxos: null,
    reserveUnits: async () => 0n,
    price: (order) => priceOf(sending, order),
    recipients: recipientPricing(sending),
    nextNonce,
    reportedNonces: (wallet) => told(wallet, 'pending'),
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    unmineable: (transactions) => unmineable(sending, transactions),
    outcome: (query) => outcomeOf(sending, query),
    onChain: onChainBy(pool, headerAt),
    balances: (wallet, assets, at) => walletBalances(sending, { wallet, assets, at: at ?? null }),
    balancesOf: (wallets, assets, at) => balancesOf(sending, { wallets, assets, at }),
    close: async () => pool.close(),
  };
}
