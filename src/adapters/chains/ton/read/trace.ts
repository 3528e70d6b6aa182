/**
 * What became of each payment of a request, followed from the wallet's own transaction through
 * later ones: what a wallet sent may not have arrived (safety.md, "Paid once"). It follows TON that
 * may bounce, jettons up to the recipient's jetton wallet or back, and all that returns to us. The
 * result is as complete as known; `ended` says whether anything is still open.
 */
import type { Message } from '@ton/core';
import { OP_INTERNAL_TRANSFER, opOf, ranThrough } from '../codec/messages.ts';
import { messageBodyHash, type WalletMessage } from '../codec/wallet-request.ts';
import type { ReadTransaction } from './deposits.ts';

export interface Trace {
  /** For each message of the request; true while it is on its way. */
  readonly paid: readonly boolean[];
  /**
   * For each message that is not paid, whether the wallet or our jetton wallet kept it back: no
   * recipient had a part in it.
   */
  readonly unsent: readonly boolean[];
  /** For each message that is paid, where its units still are; null when they have arrived. */
  readonly underway: readonly JettonsUnderway[];
  /**
   * Nanotons that came back to the wallet, and that the hot wallet gained where that is another
   * wallet; less the fees of arriving.
   */
  readonly back: MoneyBack;
  /**
   * For each message of the request, the nanotons that it took beyond its payment: what did not
   * come back is gone (safety.md G6).
   */
  readonly costs: readonly bigint[];
  readonly ended: boolean;
  /** Unix seconds of the last transaction that was followed. */
  readonly lastTime: number;
}

/**
 * `ordered`: our own jetton wallet still has them. `sent`: they have left it, and have not arrived.
 */
type JettonsUnderway = 'ordered' | 'sent' | null;

interface MoneyBack {
  readonly toWallet: bigint;
  readonly toHot: bigint;
}

/** Where a message arrived; null while that is not known. */
export type ArrivalOf = (message: Message) => Promise<ReadTransaction | null>;

interface TraceContext {
  /** Raw. */
  readonly wallet: string;
  readonly hotWallet: string;
  /** Also follows TON that cannot bounce. */
  readonly toOurs: boolean;
  readonly arrivalOf: ArrivalOf;
}

const NOTHING: MoneyBack = { toWallet: 0n, toHot: 0n };

/** `sent`: the wallet's own transaction, which accepted the request. */
export async function traceOf(
  sent: ReadTransaction,
  messages: readonly WalletMessage[],
  on: TraceContext,
): Promise<Trace> {
  const left = matched(sent, messages);
  const traces = await Promise.all(
    messages.map(async (message, position) => {
      const out = left[position];
      // The wallet could not pay for it, and did not send it.
      if (out === undefined) return { ...endedAs(false, sent), unsent: true as const, cost: 0n };
      const native = message.jettons === null;
      const one = await (native ? traceCoins(sent, out, on) : traceJettons(sent, out, on));
      const { toWallet, toHot } = one.back;
      return { ...one, cost: spentOn(out) - (native && one.paid ? message.coins : 0n) - toWallet - toHot };
    }),
  );
  return {
    paid: traces.map(({ paid }) => paid),
    unsent: traces.map(({ unsent = false }) => unsent),
    underway: traces.map(({ underway }) => underway),
    costs: traces.map(({ cost }) => cost),
    back: sum(traces.map(({ back }) => back)),
    ended: traces.every(({ ended }) => ended),
    lastTime: Math.max(sent.transaction.now, ...traces.map(({ lastTime }) => lastTime)),
  };
}

/**
 * Nanotons that left the wallet with its transaction: its fees, and what its messages carry with
 * their fees.
 */
export function spentBy({ transaction }: ReadTransaction): bigint {
  return [...transaction.outMessages.values()].reduce(
    (units, message) => units + spentOn(message),
    transaction.totalFees.coins,
  );
}

/** Nanotons that left with a message: what it carries, and its own fee. */
function spentOn({ info }: Message): bigint {
  return info.type === 'internal' ? info.value.coins + info.forwardFee : 0n;
}

/** The message of each payment among those that left; equal ones in their order. */
function matched(
  sent: ReadTransaction,
  messages: readonly WalletMessage[],
): readonly (Message | undefined)[] {
  const left = [...sent.transaction.outMessages.values()];
  return messages.map((message) => {
    const body = messageBodyHash(message);
    const found = left.findIndex(
      (out) =>
        out.info.type === 'internal' &&
        out.info.dest.toRawString() === message.to &&
        out.info.value.coins === message.coins &&
        out.body.hash().equals(body),
    );
    return found < 0 ? undefined : left.splice(found, 1)[0];
  });
}

interface TracedMessage {
  readonly paid: boolean;
  readonly unsent?: true;
  readonly underway: JettonsUnderway;
  readonly back: MoneyBack;
  readonly ended: boolean;
  readonly lastTime: number;
}

const endedAs = (
  paid: boolean,
  { transaction }: ReadTransaction,
  back: MoneyBack = NOTHING,
): TracedMessage => {
  return { paid, underway: null, back, ended: true, lastTime: transaction.now };
};
/** It counts as sent, whatever becomes of it. */
const onItsWay = ({ transaction }: ReadTransaction, underway: JettonsUnderway = 'sent'): TracedMessage => {
  return { paid: true, underway, back: NOTHING, ended: false, lastTime: transaction.now };
};

async function traceCoins(sent: ReadTransaction, out: Message, on: TraceContext): Promise<TracedMessage> {
  const { info } = out;
  if (info.type !== 'internal') return endedAs(false, sent);
  const toHot = on.wallet !== on.hotWallet && info.dest.toRawString() === on.hotWallet;
  if (!info.bounce && !toHot && !on.toOurs) return endedAs(true, sent);
  const arrived = await on.arrivalOf(out);
  if (arrived === null) return onItsWay(sent);
  if (!wentBack(arrived)) {
    const fees = toHot ? arrived.transaction.totalFees.coins : 0n;
    return endedAs(true, arrived, { toWallet: 0n, toHot: -fees });
  }
  return withReturns(false, arrived, on);
}

async function traceJettons(sent: ReadTransaction, out: Message, on: TraceContext): Promise<TracedMessage> {
  const own = await on.arrivalOf(out);
  if (own === null) return onItsWay(sent, 'ordered');
  const transfer = ranThrough(own.transaction)
    ? [...own.transaction.outMessages.values()].find(({ body }) => opOf(body) === OP_INTERNAL_TRANSFER)
    : undefined;
  // It failed, or pretended success and moved nothing.
  if (transfer === undefined) return { ...(await withReturns(false, own, on)), unsent: true };
  const theirs = await on.arrivalOf(transfer);
  if (theirs === null) return onItsWay(own);
  if (ranThrough(theirs.transaction)) return withReturns(true, theirs, on);
  // What they refused returns to our own jetton wallet.
  const bounced = [...theirs.transaction.outMessages.values()].find(
    ({ info }) => info.type === 'internal' && info.bounced,
  );
  if (bounced === undefined) return endedAs(false, theirs);
  const restored = await on.arrivalOf(bounced);
  return restored === null ? onItsWay(theirs) : withReturns(false, restored, on);
}

function wentBack({ transaction: { description } }: ReadTransaction): boolean {
  return description.type === 'generic' && description.bouncePhase?.type === 'ok';
}

/** The end of a payment, once all that its last transaction sends to us has arrived. */
async function withReturns(
  paid: boolean,
  last: ReadTransaction,
  { wallet, hotWallet, arrivalOf }: TraceContext,
): Promise<TracedMessage> {
  const backs: MoneyBack[] = [];
  let lastTime = last.transaction.now;
  for (const message of last.transaction.outMessages.values()) {
    if (message.info.type !== 'internal') continue;
    const to = message.info.dest.toRawString();
    if (to !== wallet && to !== hotWallet) continue;
    const arrived = await arrivalOf(message);
    if (arrived === null) return { ...onItsWay(last, null), paid };
    const units = message.info.value.coins - arrived.transaction.totalFees.coins;
    backs.push(to === wallet ? { toWallet: units, toHot: 0n } : { toWallet: 0n, toHot: units });
    lastTime = Math.max(lastTime, arrived.transaction.now);
  }
  return { paid, underway: null, back: sum(backs), ended: true, lastTime };
}

function sum(backs: readonly MoneyBack[]): MoneyBack {
  return backs.reduce(
    (all, { toWallet, toHot }) => ({ toWallet: all.toWallet + toWallet, toHot: all.toHot + toHot }),
    NOTHING,
  );
}
