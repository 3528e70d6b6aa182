/**
 * The payment in a transaction of a deposit address or of its jetton wallet. Pure: from a
 * transaction to a transfer or null.
 */
import type { Transaction } from '@ton/core';
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import {
  keptWhatCame,
  OP_EXCESSES,
  OP_NOTIFICATION,
  opOf,
  ranThrough,
  readInternalTransfer,
} from '../codec/messages.ts';

/** A transaction whose hash was checked against its bytes. */
export interface ReadTransaction {
  /**
   * Lower-case hex. With account and logical time it identifies the accepted message (safety.md
   * N4).
   */
  readonly hash: string;
  readonly transaction: Transaction;
}

interface TonDeposit {
  readonly asset: string;
  /** Raw deposit address. */
  readonly to: string;
  /** Raw. Our own sender handles what comes from there. */
  readonly hotWallet: string;
}

/**
 * TON that a message brought and the account kept. What a jetton's messages carry is no payment: it
 * is their gas, and forged ones claim more than they carry (N2).
 */
export function nativeDeposit(read: ReadTransaction, { asset, to, hotWallet }: TonDeposit): Transfer | null {
  const message = read.transaction.inMessage;
  if (message?.info.type !== 'internal' || message.info.bounced) return null;
  const from = message.info.src.toRawString();
  const units = message.info.value.coins;
  if (units === 0n || from === hotWallet || from === to) return null;
  const op = opOf(message.body);
  if (op === OP_NOTIFICATION || op === OP_EXCESSES || !keptWhatCame(read.transaction)) return null;
  return { ...keyOf(read), asset, to, from, units, kind: 'payment' };
}

/**
 * Jettons that arrived in the wallet of `to`. The wallet's address proves that its code is the
 * listed jetton's, and that code accepts jettons only from the jetton's own contracts. Whether it
 * notifies its owner does not matter (N5).
 */
export function jettonDeposit(read: ReadTransaction, { asset, to, hotWallet }: TonDeposit): Transfer | null {
  const message = read.transaction.inMessage;
  if (message?.info.type !== 'internal' || message.info.bounced) return null;
  const transfer = readInternalTransfer(message.body);
  if (transfer === null || transfer.units === 0n || !ranThrough(read.transaction)) return null;
  const from = transfer.from?.toRawString() ?? null;
  if (from === hotWallet || from === to) return null;
  return { ...keyOf(read), asset, to, from, units: transfer.units, kind: 'payment' };
}

function keyOf({ hash, transaction }: ReadTransaction): Pick<Transfer, 'txid' | 'output'> {
  return { txid: hash, output: `lt:${transaction.lt}` };
}
