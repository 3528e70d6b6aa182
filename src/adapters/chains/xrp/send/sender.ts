/**
 * The ChainSender of the XRP Ledger: prices, unsigned transactions, broadcasts to every node and
 * look-ups. Transactions expire by LastLedgerSequence. Nodes replace each other on failure. Holds
 * no key and no state.
 */
import type { Block } from '../../../../domain/sending/outgoing.ts';
import type { ChainSender, ReportedNonces } from '../../../../ports/sending/chain-sender.ts';
import type { SendingCapabilities } from '../../../../ports/sending/sending-capabilities.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { onChainBy } from '../../shared/nodes/node-views.ts';
import { reportedNonces } from '../../shared/send/reported-nonces.ts';
import { DEFAULT_CEILING, DEFAULT_FLOOR, presentPrice } from '../fees.ts';
import type { LedgerNode } from '../ledger-node.ts';
import { type LedgerOptions, type LedgerPool, ledgerPool } from '../ledger-pool.ts';
import { lastLedger, ledgerAt } from '../read/ledgers.ts';
import { broadcast } from './broadcast.ts';
import { outcomeOf } from './outcome.ts';
import { prepare } from './prepare.ts';
import { accountIn, ownAccount, requiresTag, reserveBook, reserveOf, type XrpSending } from './sending.ts';

export interface XrpSenderOptions extends LedgerOptions {
  /** Asset key of XRP. */
  readonly nativeAsset: string;
  /** The scanner's rule: an outgoing payment is final when an incoming one would be. */
  readonly confirmations: number;
  /** Drops per transaction: least fee, and highest that is signed. Default: those of fees.ts. */
  readonly fees?: { readonly floor?: bigint; readonly ceiling?: bigint };
}

/** The network's queue holds ten transactions of an account. */
const XRP_CAPABILITIES: SendingCapabilities = {
  nonces: 'counted',
  expires: true,
  lifeSeconds: 180,
  batchesAtOnce: 10,
  paymentsAtOnce: 1,
  hotWalletPaysFees: false,
  pooled: true,
};

async function sequenceIn(node: LedgerNode, account: string, ledgerHash: string): Promise<bigint | null> {
  const own = await accountIn(node, account, ledgerHash);
  return own === null ? null : BigInt(own.sequence);
}

/** A sender that connects lazily. Throws for options that can never work. */
export function xrpSender(options: XrpSenderOptions, pool: LedgerPool = ledgerPool(options)): ChainSender {
  const { chain, network, nativeAsset, confirmations, fees } = options;
  const sending: XrpSending = {
    ...{ chain, network, pool, nativeAsset, confirmations, reserves: reserveBook(options.time) },
    fees: { floor: fees?.floor ?? DEFAULT_FLOOR, ceiling: fees?.ceiling ?? DEFAULT_CEILING },
  };

  /**
   * The highest of all nodes: a node that lags would return a sequence that is used. Zero for an
   * account that is not funded yet.
   */
  async function nextNonce(wallet: string, at?: Block): Promise<bigint> {
    const account = ownAccount(sending, wallet);
    if (at !== undefined) return pool.use(async (node) => (await sequenceIn(node, account, at.hash)) ?? 0n);
    return (await reportedNoncesOf(wallet)).highest;
  }

  function reportedNoncesOf(wallet: string): Promise<ReportedNonces> {
    const account = ownAccount(sending, wallet);
    return reportedNonces(sending, `sequence of ${account}`, async (node) =>
      sequenceIn(node, account, (await lastLedger(node)).hash),
    );
  }

  async function balances(
    wallet: string,
    assets: readonly string[],
    at?: { height: number },
  ): ReturnType<ChainSender['balances']> {
    const account = ownAccount(sending, wallet);
    const foreign = assets.find((asset) => asset !== nativeAsset);
    if (foreign !== undefined) throw new Error(`${foreign} is no asset of ${chain}`);
    return pool.use(async (node) => {
      const ledger = at === undefined ? await lastLedger(node) : await ledgerAt(node, at.height);
      if (ledger === null) throw new NodeLagging(`${node.label}: has no ledger ${at?.height}`);
      const { height, hash } = ledger;
      const units = (await accountIn(node, account, hash))?.balance ?? 0n;
      return { block: { height, hash }, units: new Map(assets.map((asset) => [asset, units])) };
    });
  }

  /** Zero for an account that is not funded yet: its reserve is no debt. */
  async function reserveUnits(wallet: string): Promise<bigint> {
    const account = ownAccount(sending, wallet);
    return pool.use(async (node) => {
      const own = await accountIn(node, account, (await lastLedger(node)).hash);
      return own === null ? 0n : reserveOf(node, own);
    });
  }

  async function isSetUp(wallet: string): Promise<boolean | null> {
    const account = ownAccount(sending, wallet);
    return pool.use(async (node) => {
      const own = await accountIn(node, account, (await lastLedger(node)).hash);
      return own === null ? null : requiresTag(own);
    });
  }

  return {
    chain,
    nativeAsset,
    capabilities: XRP_CAPABILITIES,
    utxos: null,
    price: () => presentPrice(sending),
    reserveUnits,
    isSetUp,
    nextNonce,
    reportedNonces: reportedNoncesOf,
    prepare: (order, replaces) => prepare(sending, order, replaces),
    broadcast: (raw) => broadcast(sending, raw),
    outcome: (query) => outcomeOf(sending, query),
    onChain: onChainBy(pool, ledgerAt),
    balances,
    close: async () => pool.close(),
  };
}
