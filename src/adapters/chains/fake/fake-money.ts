/**
 * The money on a fake chain of accounts: who has how much after each block, and what a block does
 * with transactions. Incoming payments bring new money. What a wallet sends is executed, in the
 * order of its nonces where the chain counts them, and its fee is paid in the native coin.
 */

import { smaller } from '../../../domain/money/larger.ts';
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { FakeTransaction } from './chain-state.ts';
import { assetCheck, type FakeMoneyControl, type FakeRules, feeLevel, paidTo } from './fake-rules.ts';
import type { FakeSending } from './fake-sending.ts';
import { type ValueHistory, valueHistory } from './value-history.ts';

export interface FakeMoney extends FakeRules {
  balanceAt(address: string, asset: string, height: number): bigint;
  /** The next nonce of `wallet` after block `height`. */
  nonceAt(wallet: string, height: number): bigint;
  /** A signed transaction as it waits, with the transfer that it is to make. */
  waiting(sending: FakeSending, txid: string): FakeTransaction;
  /**
   * Whether the wallet, or who pays its fee, has too little for a transaction that costs `mostFee`
   * at most.
   */
  lacksMoney(sending: FakeSending, mostFee: bigint, height: number): boolean;
  /** The weight that a payment to this recipient takes beyond an ordinary one. */
  extraWeight(payment: { asset: string; to: string; voids: boolean }): bigint;
  /** Whether the sender can tell that a payment to `address` would revert. */
  refuses(address: string): boolean;
  /** The present fees for a unit of weight, and what a transaction weighs. */
  fees(what: { asset: string; voids: boolean }): { weight: bigint; baseFee: bigint; tip: bigint };
}

const COIN_WEIGHT = 21n;
const TOKEN_WEIGHT = 65n;

interface MoneyOptions {
  readonly chain: string;
  /** The first is the chain's own coin. */
  readonly assets: readonly { asset: string; decimals: number }[];
  readonly addressOf: (text: string) => string;
  readonly tipHeight: () => number;
  /** Whether a wallet's transactions are executed in the order of their nonces. */
  readonly counted: boolean;
}

interface FakeLedger extends MoneyOptions {
  readonly nativeAsset: string;
  readonly checkAsset: (asset: string) => void;
  readonly values: ValueHistory;
  /** Base units for a unit of weight: a millionth of a coin, where the coin is that divisible. */
  readonly usualFee: bigint;
  feePercent: bigint;
  readonly refusing: Set<string>;
  readonly revertingOnce: Set<string>;
  readonly silent: Set<string>;
  readonly demands: Map<string, bigint>;
}

export function fakeMoney(options: MoneyOptions): FakeMoney {
  const { chain, assets, addressOf } = options;
  const { asset: nativeAsset, decimals } = assets[0]!;
  const ledger: FakeLedger = {
    ...options,
    nativeAsset,
    checkAsset: assetCheck(chain, assets),
    values: valueHistory(),
    usualFee: 10n ** BigInt(Math.max(0, decimals - 6)),
    feePercent: 100n,
    refusing: new Set(),
    revertingOnce: new Set(),
    silent: new Set(),
    demands: new Map(),
  };
  return {
    control: controlOf(ledger),
    nativeAsset,
    checkAsset: ledger.checkAsset,
    balanceAt: (address, asset, height) => balanceAt(ledger, address, asset, height),
    nonceAt: (wallet, height) => nonceAt(ledger, wallet, height),
    execute: (block) => execute(ledger, block),
    cut: (height) => ledger.values.cut(height),
    waiting: (sending, txid) => waiting(ledger, sending, txid),
    asItWaited: (transaction) =>
      transaction.sending ? waiting(ledger, transaction.sending, transaction.txid) : transaction,
    rival: (transaction, { to, txid }) =>
      transaction.sending
        ? waiting(ledger, { ...transaction.sending, to }, txid)
        : paidTo(transaction, { to: addressOf(to), txid }),
    lacksMoney: (sending, mostFee, height) => lacksMoney(ledger, sending, mostFee, height),
    extraWeight: (payment) => extraWeight(ledger, payment),
    refuses: (address) => ledger.refusing.has(addressOf(address)),
    fees: (what) => feesOf(ledger, what),
  };
}

function controlOf(ledger: FakeLedger): FakeMoneyControl {
  const { addressOf, tipHeight, checkAsset, values, refusing, revertingOnce, silent, demands } = ledger;
  const turn = (set: Set<string>, entry: string, on: boolean): void => {
    if (on) set.add(entry);
    else set.delete(entry);
  };
  return {
    fund: (address, asset, units) => {
      checkAsset(asset);
      if (units <= 0n) throw new RangeError('funding gives at least one base unit');
      values.addToAll(account(ledger, address, asset), units);
    },
    balanceOf: (address, asset) => balanceAt(ledger, address, asset, tipHeight()),
    refuse: (address, on) => turn(refusing, addressOf(address), on),
    demand: (address, weight) => {
      demands.set(addressOf(address), weight);
    },
    revertNext: (address) => {
      revertingOnce.add(addressOf(address));
    },
    failSilently: (asset, on) => {
      checkAsset(asset);
      turn(silent, asset, on);
    },
    setFeeLevel: (percent) => {
      ledger.feePercent = feeLevel(percent);
    },
  };
}

const account = ({ addressOf }: FakeLedger, address: string, asset: string): string =>
  `${addressOf(address)} ${asset}`;

const counter = ({ addressOf }: FakeLedger, wallet: string): string => `${addressOf(wallet)} nonce`;

function balanceAt(ledger: FakeLedger, address: string, asset: string, height: number): bigint {
  return ledger.values.at(account(ledger, address, asset), height);
}

function nonceAt(ledger: FakeLedger, wallet: string, height: number): bigint {
  return ledger.values.at(counter(ledger, wallet), height);
}

function move(
  ledger: FakeLedger,
  { to, asset, units }: { to: string; asset: string; units: bigint },
  height: number,
): void {
  const name = account(ledger, to, asset);
  ledger.values.set(name, height, ledger.values.at(name, height) + units);
}

function feesOf(
  { nativeAsset, usualFee, feePercent }: FakeLedger,
  { asset, voids }: { asset: string; voids: boolean },
): ReturnType<FakeMoney['fees']> {
  return {
    weight: voids || asset === nativeAsset ? COIN_WEIGHT : TOKEN_WEIGHT,
    baseFee: (usualFee * feePercent + 99n) / 100n,
    tip: (usualFee + 9n) / 10n,
  };
}

function extraWeight(
  { nativeAsset, demands, addressOf }: FakeLedger,
  { asset, to, voids }: { asset: string; to: string; voids: boolean },
): bigint {
  return voids || asset !== nativeAsset ? 0n : (demands.get(addressOf(to)) ?? 0n);
}

function waiting({ addressOf }: FakeLedger, sending: FakeSending, txid: string): FakeTransaction {
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
}

/** Whether the wallet, or who pays its fee, has too little for a block to take the transaction. */
function lacksMoney(
  ledger: FakeLedger,
  { wallet, feePayer, asset, units }: FakeSending,
  mostFee: bigint,
  height: number,
): boolean {
  const { addressOf, nativeAsset } = ledger;
  const coins = asset === nativeAsset ? units : 0n;
  const held = (address: string): bigint => balanceAt(ledger, address, nativeAsset, height);
  if (addressOf(feePayer) === addressOf(wallet)) return held(wallet) < mostFee + coins;
  return held(feePayer) < mostFee || held(wallet) < coins;
}

/**
 * What the block makes of `candidates`. It may take one only after another that stands behind it.
 */
function execute(
  ledger: FakeLedger,
  { height, candidates, reverted, unexplained }: Parameters<FakeMoney['execute']>[0],
): ReturnType<FakeMoney['execute']> {
  const mined: FakeTransaction[] = [];
  let left = candidates;
  for (let before = -1; before !== mined.length; ) {
    before = mined.length;
    left = left.filter((transaction) => {
      const done = executeOne(ledger, transaction, height, reverted.includes(transaction.txid));
      if (done !== null) mined.push(done);
      return done === null;
    });
  }
  for (const transfer of unexplained) move(ledger, transfer, height);
  return { mined, waiting: left.filter((transaction) => isUsable(ledger, transaction, height)) };
}

/** Whether a later block may take it. */
function isUsable(ledger: FakeLedger, { sending }: FakeTransaction, height: number): boolean {
  return (
    sending !== undefined &&
    (!ledger.counted || sending.nonce >= nonceAt(ledger, sending.wallet, height)) &&
    (sending.validUntil === null || sending.validUntil > BigInt(height))
  );
}

/** Null when block `height` cannot take it. */
function executeOne(
  ledger: FakeLedger,
  { sending, ...transaction }: FakeTransaction,
  height: number,
  reverted: boolean,
): FakeTransaction | null {
  if (sending) return executeSending(ledger, { sending, txid: transaction.txid }, height, reverted);
  const transfers = reverted ? [] : transaction.transfers;
  for (const transfer of transfers) move(ledger, transfer, height);
  return { ...transaction, transfers };
}

/**
 * Null when block `height` cannot take it: another nonce is next, it has expired, its fee is too
 * low, or there is too little money.
 */
function executeSending(
  ledger: FakeLedger,
  { sending, txid }: { sending: FakeSending; txid: string },
  height: number,
  reverted: boolean,
): FakeTransaction | null {
  const { wallet, feePayer, nonce, asset, to, units, extra, feeCap, tip, validUntil } = sending;
  const { weight, baseFee } = feesOf(ledger, sending);
  const isNext = !ledger.counted || nonceAt(ledger, wallet, height) === nonce;
  if (!isNext || feeCap < baseFee) return null;
  if (validUntil !== null && BigInt(height) > validUntil) return null;
  if (lacksMoney(ledger, sending, (weight + extra) * feeCap, height)) return null;
  const used = weight + smaller(extra, extraWeight(ledger, sending));
  const feeUnits = used * smaller(feeCap, baseFee + tip);
  ledger.values.set(counter(ledger, wallet), height, nonce + 1n);
  move(ledger, { to: feePayer, asset: ledger.nativeAsset, units: -feeUnits }, height);
  const effect = !reverted && succeeds(ledger, sending, height);
  if (effect) {
    move(ledger, { to: wallet, asset, units: -units }, height);
    move(ledger, { to, asset, units }, height);
  }
  const transaction = waiting(ledger, sending, txid);
  return { ...transaction, transfers: effect ? transaction.transfers : [], receipt: { feeUnits, effect } };
}

/** Whether a transaction that a block takes moves its money. */
function succeeds(ledger: FakeLedger, sending: FakeSending, height: number): boolean {
  const { wallet, asset, to, units, voids, extra } = sending;
  const { addressOf, refusing, revertingOnce, silent } = ledger;
  const recipient = addressOf(to);
  return (
    !voids &&
    extraWeight(ledger, sending) <= extra &&
    !refusing.has(recipient) &&
    !revertingOnce.delete(recipient) &&
    !silent.has(asset) &&
    balanceAt(ledger, wallet, asset, height) >= units
  );
}
