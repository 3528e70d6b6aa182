/**
 * The money on a fake chain of accounts: who has how much after each block, and what a block does with transactions. Incoming
 * payments bring new money; what a wallet sends is executed, in the order of its nonces where the chain counts them, and paid for in the native coin.
 */
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { FakeTransaction } from './chain-state.ts';
import { assetCheck, type FakeMoneyControl, type FakeRules, feeLevel, paidTo } from './fake-rules.ts';
import type { FakeSending } from './fake-sending.ts';
import { valueHistory } from './value-history.ts';

export interface FakeMoney extends FakeRules {
  balanceAt(address: string, asset: string, height: number): bigint;
  /** The next nonce of `wallet` after block `height`. */
  nonceAt(wallet: string, height: number): bigint;
  /** A signed transaction as it waits: with the transfer that it is meant to make. */
  waiting(sending: FakeSending, txid: string): FakeTransaction;
  /** Whether the wallet, or who pays its fee, has too little for a transaction that costs `mostFee` at most. */
  lacksMoney(sending: FakeSending, mostFee: bigint, height: number): boolean;
  /** Weight beyond an ordinary payment's that one to this recipient takes. */
  extraWeight(payment: { asset: string; to: string; voids: boolean }): bigint;
  /** Whether the sender can tell that a payment to `address` would revert. */
  refuses(address: string): boolean;
  /** Present fee fields for a transaction, and what it weighs. */
  fees(what: { asset: string; voids: boolean }): { weight: bigint; baseFee: bigint; tip: bigint };
}

const COIN_WEIGHT = 21n;
const TOKEN_WEIGHT = 65n;

/** `assets`: the first is the chain's own coin. */
export function fakeMoney(options: {
  chain: string;
  assets: readonly { asset: string; decimals: number }[];
  addressOf: (text: string) => string;
  tipHeight: () => number;
  /** Whether a wallet's transactions are executed in the order of their nonces. */
  counted: boolean;
}): FakeMoney {
  const { chain, assets, addressOf, tipHeight, counted } = options;
  const { asset: nativeAsset, decimals } = assets[0]!;
  /** A millionth of a coin per unit of weight, where the coin is that divisible. */
  const usualFee = 10n ** BigInt(Math.max(0, decimals - 6));
  let feePercent = 100n;
  const checkAsset = assetCheck(chain, assets);
  const values = valueHistory();
  const refusing = new Set<string>();
  const revertingOnce = new Set<string>();
  const silent = new Set<string>();
  const demands = new Map<string, bigint>();

  const account = (address: string, asset: string): string => `${addressOf(address)} ${asset}`;
  const counter = (wallet: string): string => `${addressOf(wallet)} sequence`;

  function move(address: string, asset: string, units: bigint, height: number): void {
    const name = account(address, asset);
    values.set(name, height, values.at(name, height) + units);
  }

  const fees: FakeMoney['fees'] = ({ asset, voids }) => ({
    weight: voids || asset === nativeAsset ? COIN_WEIGHT : TOKEN_WEIGHT,
    baseFee: (usualFee * feePercent + 99n) / 100n,
    tip: (usualFee + 9n) / 10n,
  });

  const extraWeight: FakeMoney['extraWeight'] = ({ asset, to, voids }) =>
    voids || asset !== nativeAsset ? 0n : (demands.get(addressOf(to)) ?? 0n);

  const waiting: FakeMoney['waiting'] = (sending, txid) => {
    const { asset, to, wallet, units } = sending;
    const transfer: Transfer = {
      txid,
      output: 'vout:0',
      kind: 'payment',
      asset,
      to: addressOf(to),
      from: addressOf(wallet),
      units,
    };
    return { txid, transfers: units > 0n ? [transfer] : [], sending };
  };

  /** What the wallet, and who pays its fee, need for a block to take a transaction. */
  function lacksMoney(
    { wallet, feePayer, asset, units }: FakeSending,
    mostFee: bigint,
    height: number,
  ): boolean {
    const utxos = asset === nativeAsset ? units : 0n;
    const held = (address: string): bigint => values.at(account(address, nativeAsset), height);
    if (addressOf(feePayer) === addressOf(wallet)) return held(wallet) < mostFee + utxos;
    return held(feePayer) < mostFee || held(wallet) < utxos;
  }

  /** Null when block `height` cannot take it: another nonce is next, it has expired, the fee is too low, the money is not there. */
  function executeSending(
    { sending, txid }: { sending: FakeSending; txid: string },
    height: number,
    reverted: boolean,
  ): FakeTransaction | null {
    const { wallet, feePayer, nonce, asset, to, units, voids, extra, feeCap, tip, validUntil } = sending;
    const { weight, baseFee } = fees(sending);
    if ((counted && values.at(counter(wallet), height) !== nonce) || feeCap < baseFee) return null;
    if (validUntil !== null && BigInt(height) > validUntil) return null;
    if (lacksMoney(sending, (weight + extra) * feeCap, height)) return null;
    const needed = extraWeight(sending);
    const feeUnits = (weight + lower(extra, needed)) * lower(feeCap, baseFee + tip);
    values.set(counter(wallet), height, nonce + 1n);
    move(feePayer, nativeAsset, -feeUnits, height);
    const recipient = addressOf(to);
    const effect =
      !voids &&
      !reverted &&
      needed <= extra &&
      !refusing.has(recipient) &&
      !revertingOnce.delete(recipient) &&
      !silent.has(asset) &&
      values.at(account(wallet, asset), height) >= units;
    if (effect) {
      move(wallet, asset, -units, height);
      move(to, asset, units, height);
    }
    const transaction = waiting(sending, txid);
    return { ...transaction, transfers: effect ? transaction.transfers : [], receipt: { feeUnits, effect } };
  }

  function execute(
    { sending, ...transaction }: FakeTransaction,
    height: number,
    reverted: boolean,
  ): FakeTransaction | null {
    if (sending) return executeSending({ sending, txid: transaction.txid }, height, reverted);
    const transfers = reverted ? [] : transaction.transfers;
    for (const { to, asset, units } of transfers) move(to, asset, units, height);
    return { ...transaction, transfers };
  }

  const control: FakeMoneyControl = {
    fund: (address, asset, units) => {
      checkAsset(asset);
      if (units <= 0n) throw new RangeError('funding gives at least one base unit');
      values.addToAll(account(address, asset), units);
    },
    balanceOf: (address, asset) => values.at(account(address, asset), tipHeight()),
    refuse: (address, on) => {
      if (on) refusing.add(addressOf(address));
      else refusing.delete(addressOf(address));
    },
    demand: (address, weight) => {
      demands.set(addressOf(address), weight);
    },
    revertNext: (address) => {
      revertingOnce.add(addressOf(address));
    },
    failSilently: (asset, on) => {
      checkAsset(asset);
      if (on) silent.add(asset);
      else silent.delete(asset);
    },
    setFeeLevel: (percent) => {
      feePercent = feeLevel(percent);
    },
  };

  return {
    control,
    nativeAsset,
    checkAsset,
    balanceAt: (address, asset, height) => values.at(account(address, asset), height),
    nonceAt: (wallet, height) => values.at(counter(wallet), height),
    execute: ({ height, candidates, reverted, unexplained }) => {
      const mined: FakeTransaction[] = [];
      let left = candidates;
      // A transaction may wait for one that stands behind it: for its nonce, or for its money.
      for (let before = -1; before !== mined.length; ) {
        before = mined.length;
        left = left.filter((transaction) => {
          const done = execute(transaction, height, reverted.includes(transaction.txid));
          if (done !== null) mined.push(done);
          return done === null;
        });
      }
      for (const { to, asset, units } of unexplained) move(to, asset, units, height);
      const usable = ({ sending }: FakeTransaction): boolean =>
        sending !== undefined &&
        (!counted || sending.nonce >= values.at(counter(sending.wallet), height)) &&
        (sending.validUntil === null || sending.validUntil > BigInt(height));
      return { mined, waiting: left.filter(usable) };
    },
    cut: (height) => values.cut(height),
    waiting,
    asItWaited: (transaction) =>
      transaction.sending ? waiting(transaction.sending, transaction.txid) : transaction,
    rival: (transaction, { to, txid }) =>
      transaction.sending
        ? waiting({ ...transaction.sending, to }, txid)
        : paidTo(transaction, { to: addressOf(to), txid }),
    lacksMoney,
    extraWeight,
    refuses: (address) => refusing.has(addressOf(address)),
    fees,
  };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
