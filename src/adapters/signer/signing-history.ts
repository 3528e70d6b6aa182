/**
 * What was signed so far, as far as the next signature depends on it, in little memory: the payment
 * of every nonce, the nonces of every payout, and the outflow of the hot wallet in the last 24
 * hours.
 */
import { createHash } from 'node:crypto';
import { movesMoney } from '../../domain/sending/outgoing-purpose.ts';
import type { SignedEntry, SignedPayment } from './signing-entry.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DIGEST_LENGTH = 16;

/**
 * What an entry is about: the same for every transaction of a transfer, also for one that voids it.
 */
type SigningSubject = Omit<SignedEntry, 'at' | 'maxFeeUnits' | 'txid' | 'resendable'>;

interface SpentAmount {
  readonly atMs: number;
  readonly asset: string;
  /** Whether it was a forward: those have a limit of their own. */
  readonly forwarded: boolean;
  readonly units: bigint;
}

/**
 * The state of a nonce, as one short string since there are many: whether a paying transaction was
 * signed and not only a voiding one, the digest of its transfer, the digest of its newest
 * transaction, and for an independent nonce the place of that transaction's line.
 */
type NonceRecord = string;
const keep = (kept: {
  paying: boolean;
  transfer: string;
  newest: string;
  line: number | null;
}): NonceRecord => inOnePiece(`${kept.paying ? '+' : '-'}${kept.transfer}${kept.newest}${kept.line ?? ''}`);
const read = (kept: NonceRecord) => ({
  paying: kept.startsWith('+'),
  transfer: kept.slice(1, 1 + DIGEST_LENGTH),
  newest: kept.slice(1 + DIGEST_LENGTH, 1 + 2 * DIGEST_LENGTH),
  line: kept.length > 1 + 2 * DIGEST_LENGTH ? Number(kept.slice(1 + 2 * DIGEST_LENGTH)) : null,
});

export class SigningHistory {
  /** By wallet, then nonce. Numbers are exact: a nonce is below 2^53 on every chain. */
  readonly #nonces = new Map<string, Map<number, NonceRecord>>();
  /**
   * By payout: for each of its signed payments the digest of the payment, and that of its wallet
   * and nonce, concatenated.
   */
  readonly #payouts = new Map<string, string>();
  /** Oldest first. */
  readonly #spent: SpentAmount[] = [];
  /**
   * Of independent nonces, by wallet and nonce: until when (ms) the newest transaction may still be
   * mined.
   */
  readonly #alive = new Map<string, number>();
  /** By wallet: the first nonce after all signed ones. */
  readonly #unusedFrom = new Map<string, bigint>();

  /** `line`: the place of its line in the log, for an independent nonce. */
  add(entry: SignedEntry, line: number): void {
    const wallet = walletOf(entry);
    if (entry.nonce >= this.unusedFrom(entry)) this.#unusedFrom.set(wallet, entry.nonce + 1n);
    const ofWallet = this.#nonces.get(wallet) ?? new Map<number, NonceRecord>();
    this.#nonces.set(wallet, ofWallet);
    const known = this.#nonce(entry);
    this.#spend(entry);
    this.#outlive(entry);
    const transfer = known?.transfer ?? transferOf(entry);
    const paying = known?.paying || !entry.voids;
    const newest = { newest: digest(entry.txid), line: entry.resendable === null ? null : line };
    ofWallet.set(Number(entry.nonce), keep({ paying, transfer, ...newest }));
    if (entry.voids || known?.paying) return;
    for (const payment of entry.purpose === 'payout' ? entry.payments : []) {
      const earlier = this.#payouts.get(payment.referenceId) ?? '';
      this.#payouts.set(payment.referenceId, inOnePiece(earlier + placeOf(entry, payment)));
    }
  }

  /** Whether this is the newest transaction of its nonce: signing it again changes nothing. */
  isNewest(entry: SignedEntry): boolean {
    return this.#nonce(entry)?.newest === digest(entry.txid);
  }

  /**
   * The place of the line of the last signature for the same transfer under the same independent
   * nonce, if that is neither `replaces` nor the entry itself: the caller does not know of it.
   */
  forgottenLine(entry: SignedEntry, replaces: string | null): number | null {
    const known = this.#nonce(entry);
    if (entry.resendable === null || known === undefined || known.transfer !== transferOf(entry)) return null;
    const told = replaces !== null && known.newest === digest(replaces);
    return told || this.isNewest(entry) ? null : known.line;
  }

  /** The first nonce of its wallet after all signed ones. */
  unusedFrom(subject: SigningSubject): bigint {
    return this.#unusedFrom.get(walletOf(subject)) ?? 0n;
  }

  /**
   * Whether it takes more from the hot wallet than was signed before. A replacement does not. On a
   * independent nonce nothing is replaced: two signed transactions may both have paid.
   */
  spendsMore(entry: SignedEntry): boolean {
    if (!leavesHotWallet(entry) || this.isNewest(entry)) return false;
    return entry.resendable !== null || !(this.#nonce(entry)?.paying ?? false);
  }

  /**
   * Until when another transaction that was signed under the independent nonce may be mined; null
   * once that time is over.
   */
  rivalUntil(entry: SignedEntry): Date | null {
    const until = this.#alive.get(nonceOf(entry));
    if (until === undefined || until <= entry.at.getTime() || this.isNewest(entry)) return null;
    return new Date(until);
  }

  /** Expired entries are dropped: the map holds what was signed in the last minutes. */
  #outlive(entry: SignedEntry): void {
    for (const [nonce, until] of this.#alive) {
      if (until > entry.at.getTime()) break;
      this.#alive.delete(nonce);
    }
    if (entry.resendable === null) return;
    this.#alive.delete(nonceOf(entry));
    this.#alive.set(nonceOf(entry), entry.resendable.aliveUntil.getTime());
  }

  /**
   * Whether the nonce was signed for other transfers, recipients, asset or amounts, or with another
   * first input; a transaction that shares that UTXO can never be mined beside it. A part of the
   * signed payouts is not "other". A voiding transaction pays nobody, from any order and with any
   * of the UTXOs: it can use up a nonce that was signed for something lost.
   */
  isOfAnother(subject: SigningSubject): boolean {
    const known = this.#nonce(subject);
    if (known === undefined || known.transfer === transferOf(subject) || subject.voids) return false;
    return (
      subject.purpose !== 'payout' || !subject.payments.every((payment) => this.#paidHere(subject, payment))
    );
  }

  /** The payments whose payout was signed under another nonce, and never under this one. */
  paidElsewhere(subject: SigningSubject): readonly SignedPayment[] {
    if (subject.purpose !== 'payout' || subject.voids) return [];
    return subject.payments.filter(
      (payment) => this.#payouts.has(payment.referenceId) && !this.#paidHere(subject, payment),
    );
  }

  #paidHere(subject: SigningSubject, payment: SignedPayment): boolean {
    const here = placeOf(subject, payment);
    const places = this.#payouts.get(payment.referenceId) ?? '';
    for (let at = 0; at < places.length; at += DIGEST_LENGTH) if (places.startsWith(here, at)) return true;
    return false;
  }

  #spend(entry: SignedEntry): void {
    if (!this.spendsMore(entry)) return;
    this.#forgetBefore(entry.at);
    const { asset, at } = entry;
    this.#spent.push({ atMs: at.getTime(), asset, forwarded: isForward(entry), units: unitsOf(entry) });
  }

  /**
   * Base units of the asset that were signed away from the hot wallet in the 24 hours before `now`,
   * by forwards or otherwise, as the subject is one; replacements count once.
   */
  spentUnits(subject: Pick<SigningSubject, 'asset' | 'purpose'>, now: Date): bigint {
    this.#forgetBefore(now);
    return this.#spent
      .filter(({ asset, forwarded }) => asset === subject.asset && forwarded === isForward(subject))
      .reduce((sum, { units }) => sum + units, 0n);
  }

  #forgetBefore(now: Date): void {
    const since = now.getTime() - DAY_MS;
    const young = this.#spent.findIndex(({ atMs }) => atMs > since);
    this.#spent.splice(0, young === -1 ? this.#spent.length : young);
  }

  #nonce(subject: SigningSubject) {
    const kept = this.#nonces.get(walletOf(subject))?.get(Number(subject.nonce));
    return kept === undefined ? undefined : read(kept);
  }
}

/**
 * Sweeps come to the hot wallet, bumps and consolidations stay in it, and delegations and voiding
 * transactions move nothing.
 */
export function leavesHotWallet({ purpose, voids }: Pick<SigningSubject, 'purpose' | 'voids'>): boolean {
  if (voids || !movesMoney({ purpose })) return false;
  return purpose !== 'sweep' && purpose !== 'consolidation' && purpose !== 'bump';
}

const isForward = ({ purpose }: Pick<SigningSubject, 'purpose'>): boolean => purpose === 'forward';

/** Base units that its payments move together. */
function unitsOf({ payments }: Pick<SigningSubject, 'payments'>): bigint {
  return payments.reduce((sum, { units }) => sum + units, 0n);
}

const walletOf = ({ chain, wallet }: SigningSubject): string => `${chain} ${wallet}`;
const nonceOf = (subject: SigningSubject): string => `${walletOf(subject)} ${subject.nonce}`;

/** A payment under its nonce, with its first input. */
function placeOf(subject: SigningSubject, payment: SignedPayment): string {
  const { asset, inputs, nonce } = subject;
  return digest(
    JSON.stringify([walletOf(subject), String(nonce), asset, inputs[0] ?? null, ...paid(payment)]),
  );
}

function transferOf({ purpose, asset, payments, inputs }: SigningSubject): string {
  return digest(JSON.stringify([purpose, asset, inputs[0] ?? null, payments.map(paid)]));
}

const paid = ({ transferId, referenceId, to, units }: SignedPayment): readonly string[] => [
  ...[transferId, referenceId, to],
  units.toString(),
];

/** 128 bits: no two texts share a digest in practice, and a million of them fit into memory. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_LENGTH).toString('latin1');
}

/** A concatenated text keeps its parts alive, which takes several times the memory. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
