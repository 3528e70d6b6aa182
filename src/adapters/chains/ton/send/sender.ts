/**
 * The ChainSender of TON over toncenter's API v2: TON and listed jettons from V5R1 wallets of one
 * public key, up to 200 payments in one request. Nodes replace each other on failure. An outcome is
 * reported as final, or dead, only when all nodes that answer agree. Holds no key and no durable
 * state.
 */
import type { Block } from '../../../../domain/sending/outgoing.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import type { ChainSender, ReportedNonces } from '../../../../ports/sending/chain-sender.ts';
import type { SendingCapabilities } from '../../../../ports/sending/sending-capabilities.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { onChainBy } from '../../shared/nodes/node-views.ts';
import { reportedNonces } from '../../shared/send/reported-nonces.ts';
import { accountAt, jettonsAt, seqnoOf } from '../accounts.ts';
import { rawAddress } from '../address.ts';
import { walletAddress } from '../codec/wallet-v5.ts';
import { connectTon, type TonConnection } from '../connection.ts';
import { tonPublicKey } from '../deriver.ts';
import type { TonNodeOptions } from '../nodes.ts';
import { masterBlockAt, masterTip } from '../read/blocks.ts';
import type { JettonListing } from '../read/jettons.ts';
import type { TonNode } from '../toncenter.ts';
import { broadcast } from './broadcast.ts';
import { outcomeOf } from './outcome.ts';
import { prepare, priceOf } from './prepare.ts';
import { jettonOf, jettonWallet, ownWallet, type TonSending } from './sending.ts';

export interface TonSenderOptions extends TonNodeOptions {
  /** The family's key (keystore), 64 hex digits. */
  readonly publicKey: string;
  /** Asset key of the chain's native coin. */
  readonly nativeAsset: string;
  readonly jettons: readonly JettonListing[];
  /** The scanner's number. */
  readonly confirmations: number;
  readonly clock: Clock;
  /** Most nanotons that a payment may cost. */
  readonly fees?: { readonly ceiling?: bigint };
}

/**
 * Nanotons. A message that arrives at a wallet runs its code, for some 0.0002 TON; its contract's
 * rent is 0.008 a year; and a sender of jettons may add TON.
 */
const UNCOUNTED = 50_000_000n;

/**
 * Some two minutes. Messages take a few blocks from account to account, and more where a shard is
 * busy.
 */
const ARRIVES_WITHIN = 50;

/** A wallet takes requests one after the other, each with many messages. The chain counts them. */
const TON_CAPABILITIES: SendingCapabilities = {
  nonces: 'counted',
  expires: true,
  lifeSeconds: 300,
  batchesAtOnce: 1,
  paymentsAtOnce: 200,
  arrivesWithin: ARRIVES_WITHIN,
  hotWalletPaysFees: false,
  uncountedUnits: UNCOUNTED,
};

/** A sender that connects lazily. Throws for options that can never work. */
export function tonSender(
  options: TonSenderOptions,
  { pool, jettons }: TonConnection = connectTon(options),
): ChainSender {
  const { chain, network, nativeAsset, confirmations, clock, fees } = options;
  const key = tonPublicKey(options.publicKey);
  const hot = walletAddress(network, key, { role: 'hot' });
  const sending: TonSending = {
    chain,
    network,
    pool,
    nativeAsset,
    listed: new Set(options.jettons.map(({ asset }) => asset)),
    jettons,
    hotWallet: rawAddress(hot),
    confirmations,
    memory: new Map(),
    searches: new Map(),
    clock,
    ceiling: fees?.ceiling ?? null,
  };

  async function seqnoAt(node: TonNode, wallet: string, height: number): Promise<bigint> {
    return seqnoOf(await accountAt(node, wallet, height));
  }

  /** The highest seqno of all nodes: a node that lags would return one that is used. */
  async function nextNonce(wallet: string, at?: Block): Promise<bigint> {
    const address = ownWallet(sending, wallet);
    if (at !== undefined) return pool.use((node) => seqnoAt(node, address, at.height));
    return (await told(wallet)).highest;
  }

  function told(wallet: string): Promise<ReportedNonces> {
    const address = ownWallet(sending, wallet);
    return reportedNonces(sending, `seqno of ${address}`, async (node) =>
      seqnoAt(node, address, (await masterTip(node)).height),
    );
  }

  const balances: ChainSender['balances'] = (wallet, assets, at) => {
    const owner = ownWallet(sending, wallet);
    return pool.use(async (node) => {
      const block = at === undefined ? await masterTip(node) : await masterBlockAt(node, at.height);
      if (block === null) throw new NodeLagging(`${node.label}: has no block ${at?.height}`);
      const units = new Map<string, bigint>();
      for (const asset of assets) {
        const jetton = await jettonOf(sending, asset);
        const held =
          jetton === null
            ? (await accountAt(node, owner, block.height)).coins
            : await jettonsAt(node, jettonWallet(jetton, owner), block.height);
        units.set(asset, held);
      }
      return { block: { height: block.height, hash: block.hash }, units };
    });
  };

  return {
    chain,
    nativeAsset,
    capabilities: TON_CAPABILITIES,
    utxos: null,
    price: (order) => priceOf(sending, order),
    reserveUnits: async () => 0n,
    nextNonce,
    reportedNonces: told,
    // What expired is dead, so no bid has to be raised.
    prepare: (order) => prepare(sending, order),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain: onChainBy(pool, masterBlockAt),
    balances,
    close: async () => pool.close(),
  };
}
