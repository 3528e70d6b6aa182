/**
 * The money on a fake UTXO chain: which outputs there are, who spends them, and what a block takes.
 * Payments from outside make new UTXOs. What a wallet signs spends UTXOs, and waits while it offers
 * too little. A child's offer counts for its parents.
 */
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import { feeAt } from '../utxo/codec/sizes.ts';
import type { ChainState, FakeTransaction } from './chain-state.ts';
import { assetCheck, type FakeMoneyControl, type FakeRules, feeLevel, paidTo } from './fake-rules.ts';

export interface FakeUtxos extends FakeRules {
  /**
   * An output of a block up to `height` that no block up to there spends; null when there is none.
   */
  unspent(outpoint: Outpoint, height: number): FakeUtxo | null;
  /** The rate that gets a transaction into the next block, base units for 1,000 virtual bytes. */
  feeRate(): bigint;
}

export interface FakeUtxo {
  readonly output: Transfer;
  readonly height: number;
  /** The first block that may spend it. */
  readonly spendableFrom: number;
}

const USUAL_RATE = 5_000n;

interface UtxoOptions {
  readonly chain: string;
  readonly asset: string;
  readonly addressOf: (text: string) => string;
  readonly state: ChainState;
  /** Brings a payment from outside, in a block of its own. */
  readonly bring: (payment: { to: string; asset: string; units: bigint }) => void;
}

interface Outputs extends UtxoOptions {
  readonly checkAsset: (asset: string) => void;
  feePercent: bigint;
}

export function fakeUtxos(options: UtxoOptions): FakeUtxos {
  const { chain, asset, addressOf, state } = options;
  const checkAsset = assetCheck(chain, [{ asset }]);
  const outputs: Outputs = { ...options, checkAsset, feePercent: 100n };
  return {
    nativeAsset: asset,
    checkAsset,
    unspent: (outpoint, height) => unspent(state, outpoint, height),
    feeRate: () => feeRate(outputs),
    execute: (block) => execute(outputs, block),
    cut: () => undefined,
    asItWaited: (transaction) => transaction,
    rival: (transaction, { to, txid }) => paidTo(transaction, { to: addressOf(to), txid }),
    control: controlOf(outputs),
  };
}

function controlOf(outputs: Outputs): FakeMoneyControl {
  const { chain, bring, checkAsset, addressOf, state } = outputs;
  const refuse = (): never => noReverts(chain);
  return {
    fund: (to, asset, units) => bring({ to, asset, units }),
    balanceOf: (address, asset) => {
      checkAsset(asset);
      return balanceOf(state, addressOf(address));
    },
    refuse,
    demand: refuse,
    revertNext: refuse,
    failSilently: refuse,
    setFeeLevel: (percent) => {
      outputs.feePercent = feeLevel(percent);
    },
  };
}

function noReverts(chain: string): never {
  throw new Error(`nothing reverts on ${chain}, which has coins`);
}

const feeRate = ({ feePercent }: Outputs): bigint => (USUAL_RATE * feePercent + 99n) / 100n;

function balanceOf(state: ChainState, to: string): bigint {
  const paid = state.blocks.flatMap(({ transactions }) =>
    transactions.flatMap(({ txid, transfers }) =>
      transfers.flatMap((transfer, vout) =>
        transfer.to === to && state.spentIn({ txid, vout }) === null ? [transfer] : [],
      ),
    ),
  );
  return sumOf(paid, ({ units }) => units);
}

function unspent(state: ChainState, outpoint: Outpoint, height: number): FakeUtxo | null {
  const { transaction, block = null } = state.find(outpoint.txid) ?? {};
  const output = transaction && outputOf(transaction, outpoint.vout);
  if (!output || block === null || block.height > height) return null;
  const spender = state.spentIn(outpoint);
  if (spender !== null && spender.block.height <= height) return null;
  const locked = transaction.maturities?.[outpoint.vout] ?? 0;
  return { output, height: block.height, spendableFrom: block.height + locked };
}

/**
 * What the block makes of `candidates`. It may take one only after another that stands behind it.
 */
function execute(
  outputs: Outputs,
  { height, candidates, reverted }: Parameters<FakeRules['execute']>[0],
): ReturnType<FakeRules['execute']> {
  if (reverted.length > 0) noReverts(outputs.chain);
  const mined: FakeTransaction[] = [];
  const spent = new Set<string>();
  /** Whether the block that `mined` becomes can take it now. */
  const canTake = ({ spends = [] }: FakeTransaction): boolean =>
    spends.every((outpoint) => {
      if (spent.has(outpointText(outpoint))) return false;
      const utxo = unspent(outputs.state, outpoint, height - 1);
      return utxo === null ? mined.some(({ txid }) => txid === outpoint.txid) : utxo.spendableFrom <= height;
    });
  const dear = offeringEnough(candidates, feeRate(outputs));
  let left = candidates;
  for (let before = -1; before !== mined.length; ) {
    before = mined.length;
    left = left.filter((transaction) => {
      if (!dear.has(transaction) || !canTake(transaction)) return true;
      for (const { txid, vout } of transaction.spends ?? []) spent.add(outpointText({ txid, vout }));
      mined.push(transaction);
      return false;
    });
  }
  return { mined, waiting: left };
}

/**
 * Those that offer three quarters of the present rate, each together with all transactions that it
 * waits for.
 */
function offeringEnough(
  candidates: readonly FakeTransaction[],
  presentRate: bigint,
): ReadonlySet<FakeTransaction> {
  const least = (presentRate * 3n) / 4n;
  const byTxid = new Map(candidates.map((transaction) => [transaction.txid, transaction]));
  const enough = new Set<FakeTransaction>();
  for (const transaction of candidates) {
    const together = withAncestors(transaction, byTxid);
    const fees = sumOf(together, ({ offer }) => offer?.feeUnits ?? 0n);
    const size = sumOf(together, ({ offer }) => offer?.size ?? 0n);
    if (fees >= feeAt(least, size)) for (const each of together) enough.add(each);
  }
  return enough;
}

/** Null where there is none. The transfers of a transaction stand in the order of its outputs. */
export function outputOf({ transfers }: FakeTransaction, vout: number): Transfer | null {
  return transfers[vout] ?? null;
}

/** The transaction, and those of `waiting` that make what it spends. */
function withAncestors(
  transaction: FakeTransaction,
  waiting: ReadonlyMap<string, FakeTransaction>,
): ReadonlySet<FakeTransaction> {
  const found = new Set([transaction]);
  // A loop over a set also reaches what is added meanwhile.
  for (const { spends = [] } of found)
    for (const { txid } of spends) {
      const parent = waiting.get(txid);
      if (parent) found.add(parent);
    }
  return found;
}

function sumOf<T>(each: Iterable<T>, units: (one: T) => bigint): bigint {
  let sum = 0n;
  for (const one of each) sum += units(one);
  return sum;
}
