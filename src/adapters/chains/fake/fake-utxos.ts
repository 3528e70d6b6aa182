/**
 * The money on a fake UTXO chain: which outputs there are, who spends them, and what a block takes. Payments from outside make
 * new UTXOs; what a wallet signs spends UTXOs there are, and waits while it offers too little. A child's offer counts for its parents.
 */
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import { feeAt } from '../utxo/codec/sizes.ts';
import type { ChainState, FakeTransaction } from './chain-state.ts';
import { assetCheck, type FakeRules, feeLevel, paidTo } from './fake-rules.ts';

export interface FakeUtxos extends FakeRules {
  /** An output of a block up to `height` that none up to there spends; null when there is none such. */
  unspent(outpoint: Outpoint, height: number): FakeUtxo | null;
  /** What gets a transaction into the next block, base units for 1,000 virtual bytes. */
  feeRate(): bigint;
}

export interface FakeUtxo {
  readonly output: Transfer;
  readonly height: number;
  /** The first block that may spend it. */
  readonly spendableFrom: number;
}

const USUAL_RATE = 5_000n;

/** `bring` has a block of its own bring a payment from outside. */
export function fakeUtxos(options: {
  chain: string;
  asset: string;
  addressOf: (text: string) => string;
  state: ChainState;
  bring: (payment: { to: string; asset: string; units: bigint }) => void;
}): FakeUtxos {
  const { chain, asset: nativeAsset, addressOf, state, bring } = options;
  const checkAsset = assetCheck(chain, [{ asset: nativeAsset }]);
  let feePercent = 100n;

  const feeRate = (): bigint => (USUAL_RATE * feePercent + 99n) / 100n;

  function unspent(outpoint: Outpoint, height: number): FakeUtxo | null {
    const { transaction, block = null } = state.find(outpoint.txid) ?? {};
    const output = transaction && outputOf(transaction, outpoint.vout);
    if (!output || block === null || block.height > height) return null;
    const spender = state.spentIn(outpoint);
    if (spender !== null && spender.block.height <= height) return null;
    const locked = transaction.maturities?.[outpoint.vout] ?? 0;
    return { output, height: block.height, spendableFrom: block.height + locked };
  }

  const execute: FakeRules['execute'] = ({ height, candidates, reverted }) => {
    if (reverted.length > 0) throw noReverts();
    const mined: FakeTransaction[] = [];
    const spent = new Set<string>();
    /** Whether the block that `mined` becomes can take it now. */
    const canTake = ({ spends = [] }: FakeTransaction): boolean =>
      spends.every((outpoint) => {
        if (spent.has(outpointText(outpoint))) return false;
        const utxo = unspent(outpoint, height - 1);
        return utxo === null
          ? mined.some(({ txid }) => txid === outpoint.txid)
          : utxo.spendableFrom <= height;
      });
    const dear = offeringEnough(candidates);
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
  };

  /** A block asks for three quarters of the present rate, from a transaction together with all it waits for. */
  function offeringEnough(candidates: readonly FakeTransaction[]): ReadonlySet<FakeTransaction> {
    const least = (feeRate() * 3n) / 4n;
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

  return {
    nativeAsset,
    checkAsset,
    unspent,
    feeRate,
    execute,
    cut: () => undefined,
    asItWaited: (transaction) => transaction,
    rival: (transaction, { to, txid }) => paidTo(transaction, { to: addressOf(to), txid }),
    control: {
      fund: (to, asset, units) => bring({ to, asset, units }),
      balanceOf: (address, asset) => {
        checkAsset(asset);
        const to = addressOf(address);
        const paid = state.blocks.flatMap(({ transactions }) =>
          transactions.flatMap(({ txid, transfers }) =>
            transfers.flatMap((transfer, vout) =>
              transfer.to === to && state.spentIn({ txid, vout }) === null ? [transfer] : [],
            ),
          ),
        );
        return sumOf(paid, ({ units }) => units);
      },
      refuse: noReverts,
      demand: noReverts,
      revertNext: noReverts,
      failSilently: noReverts,
      setFeeLevel: (percent) => {
        feePercent = feeLevel(percent);
      },
    },
  };

  function noReverts(): never {
    throw new Error(`nothing reverts on ${chain}, which has coins`);
  }
}

/** Transfers of a transaction stand in the order of its outputs. */
export function outputOf({ transfers }: FakeTransaction, vout: number): Transfer | null {
  return transfers[vout] ?? null;
}

/** It, and those of `waiting` that make what it spends. */
function withAncestors(
  transaction: FakeTransaction,
  waiting: ReadonlyMap<string, FakeTransaction>,
): ReadonlySet<FakeTransaction> {
  const found = new Set([transaction]);
  // a set goes on with what is added to it meanwhile
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
