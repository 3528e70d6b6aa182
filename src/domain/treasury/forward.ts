/**
 * Forwards: money of the hot wallet goes to the operator's cold address, which only the signer
 * knows, when there is more of it than payouts and gas need. These are the decisions;
 * src/app/treasury/forwards carries them out.
 */
import { isOpenTransfer, type OutgoingTransfer } from '../sending/outgoing.ts';

/** Base units of an asset. `keepUnits` is less: a forward is not followed by another at once. */
export interface ForwardRule {
  /** Above so much that is left, all that is not kept is forwarded. */
  readonly aboveUnits: bigint;
  readonly keepUnits: bigint;
}

/** What the hot wallet has of an asset, in base units. */
export interface ForwardMoney {
  /** Final and settled, without what is committed and without its floor. May be below zero. */
  readonly spendableUnits: bigint;
  /** What payouts and gas will take of it. */
  readonly waitingUnits: bigint;
  /** What the forward's own fee may take of it: zero where the fee is in another asset. */
  readonly feeUnits: bigint;
}

/**
 * Base units to forward; null where there is nothing to forward. An operator's request does not
 * wait for the threshold, and keeps as much.
 */
export function unitsToForward(
  { aboveUnits, keepUnits }: ForwardRule,
  { spendableUnits, waitingUnits, feeUnits }: ForwardMoney,
  { requested }: { readonly requested: boolean },
): bigint | null {
  const left = spendableUnits - waitingUnits;
  if (!requested && left <= aboveUnits) return null;
  const units = left - keepUnits - feeUnits;
  return units > 0n ? units : null;
}

/** Why nothing of an asset is forwarded now, although there may be enough. */
export const FORWARD_BARS = {
  stopped: 'signing is stopped',
  start: 'the chain was not read to its tip since the start',
  books: 'the books do not agree, or were not compared with the chain lately',
  open: 'a forward of it is on its way',
  liquidity: 'payouts lack liquidity',
  paused: 'the last one failed a while ago',
  place: 'what leaves the hot wallet already comes first',
  fee: 'the hot wallet has too little of the coin for the fee',
  dust: 'no node relays so small an output',
  no_cold_address: "the signer's policy names no cold address",
  own_address: 'the cold address is not one that may be paid',
} as const;
export type ForwardBar = keyof typeof FORWARD_BARS;

/** What is known without asking a node. */
export interface ForwardFacts {
  readonly stopped: boolean;
  /** The start gate of the chain is shut (start-gate.ts). */
  readonly gateIsShut: boolean;
  /** The last reconciliation of the chain, by this process; null before the first. */
  readonly books: { readonly at: Date; readonly agree: boolean } | null;
  /** A transaction of the wallet that is not known here was noted since that. */
  readonly unknownSinceBooks: boolean;
  /** Payouts of the chain that wait for liquidity, in any asset: a forward takes gas, too. */
  readonly lackingPayouts: number;
  /** The newest forwards of the asset, newest first. */
  readonly newest: readonly Pick<OutgoingTransfer, 'status' | 'createdAt'>[];
  readonly requested: boolean;
}

/** The reconciliation runs every hour. */
const BOOKS_MAX_AGE_MS = 3 * 3_600_000;
const FIRST_PAUSE_MS = 10 * 60_000;
const PAUSE_FACTOR = 3;
const PAUSE_MAX_MS = 24 * 3_600_000;

/** The first reason that bars a forward; null where none does. */
export function forwardBar(facts: ForwardFacts, now: Date): ForwardBar | null {
  const { books, newest } = facts;
  if (facts.stopped) return 'stopped';
  if (facts.gateIsShut) return 'start';
  const isFresh = books !== null && now.getTime() - books.at.getTime() <= BOOKS_MAX_AGE_MS;
  if (!isFresh || !books.agree || facts.unknownSinceBooks) return 'books';
  if (newest.some(isOpenTransfer)) return 'open';
  if (facts.lackingPayouts > 0) return 'liquidity';
  const isPaused = !facts.requested && now.getTime() < pausedUntilMs(newest);
  return isPaused ? 'paused' : null;
}

/** After a failed one nothing is tried for a while, and longer after each that failed before it. */
function pausedUntilMs(newest: ForwardFacts['newest']): number {
  const [last] = newest;
  const others = newest.findIndex(({ status }) => status !== 'failed');
  const failed = others === -1 ? newest.length : others;
  if (last === undefined || failed === 0) return 0;
  const pause = FIRST_PAUSE_MS * PAUSE_FACTOR ** (failed - 1);
  return last.createdAt.getTime() + Math.min(pause, PAUSE_MAX_MS);
}
