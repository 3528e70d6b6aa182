/**
 * The lines of the signer's log: JSON, one per signed transaction or remark. Each has the SHA-256
 * of the line before it, so changing, removing or inserting a line breaks the hash chain.
 */
import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { OUTGOING_PURPOSES, type OutgoingPurpose } from '../../domain/sending/outgoing-purpose.ts';

/** One signed transaction. */
export interface SignedEntry {
  readonly at: Date;
  readonly purpose: OutgoingPurpose;
  readonly chain: string;
  /** Normalized, like the recipients. */
  readonly wallet: string;
  readonly nonce: bigint;
  readonly asset: string;
  readonly payments: readonly SignedPayment[];
  /** Outpoints `txid:vout` that it spends, in its order; empty except on UTXO chains. */
  readonly inputs: readonly string[];
  /** It moves nothing; its payments are those of the transfer that it voids. */
  readonly voids: boolean;
  readonly maxFeeUnits: bigint;
  readonly txid: string;
  /** Null where a nonce is spent once, whatever is signed under it. */
  readonly resendable: ResendableEntry | null;
}

/**
 * Kept only where nonces are independent and transactions expire, so that the signature can be
 * returned again.
 */
export interface ResendableEntry {
  readonly raw: string;
  readonly validUntil: bigint;
  /** FamilySigning.aliveUntil. */
  readonly aliveUntil: Date;
}

export interface SignedPayment {
  readonly transferId: string;
  readonly referenceId: string;
  readonly to: string;
  readonly units: bigint;
}

/** A remark for operators, for example about a torn line. */
export interface Remark {
  readonly at: Date;
  readonly note: string;
}

/** The first line's value in place of the hash of a line before it. */
export const FIRST = '0'.repeat(64);

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Text = Type.String({ minLength: 1, maxLength: 500 });
const Whole = Type.String({ pattern: '^(?:0|[1-9][0-9]{0,77})$' });
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const closed = { additionalProperties: false };
/** More than any chain takes in one of our transactions. */
export const PAYMENTS_MAX = 1_000;
export const INPUTS_MAX = 2_000;

const SignedLine = Type.Object(
  {
    before: Hash,
    time: Time,
    purpose: Type.Union(OUTGOING_PURPOSES.map((purpose) => Type.Literal(purpose))),
    chain: Text,
    wallet: Text,
    sequence: Whole,
    asset: Text,
    payments: Type.Array(Type.Object({ transfer: Text, reference: Text, to: Text, units: Whole }, closed), {
      minItems: 1,
      maxItems: PAYMENTS_MAX,
    }),
    inputs: Type.Array(Text, { maxItems: INPUTS_MAX }),
    voids: Type.Boolean(),
    max_fee: Whole,
    txid: Text,
    free: Type.Optional(
      Type.Object({ raw: Type.String({ minLength: 1 }), valid_until: Whole, alive_until: Time }, closed),
    ),
  },
  closed,
);
const RemarkLine = Type.Object({ before: Hash, time: Time, note: Text }, closed);

/** The line without its end. */
export function lineOf(entry: SignedEntry | Remark, before: string): string {
  return JSON.stringify('note' in entry ? remarkLine(entry, before) : signedLine(entry, before));
}

export function hashOf(line: string | Uint8Array): string {
  return createHash('sha256').update(line).digest('hex');
}

/**
 * Reads a line, given the hash of the line before it (null: already checked). For a line that is
 * not ours it returns a text that completes "line 7 ...".
 */
export function readLine(
  line: Uint8Array,
  before: string | null,
): { readonly entry: SignedEntry | Remark } | { readonly fault: string } {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return { fault: 'is not JSON' };
  }
  if (Value.Check(SignedLine, json)) return follows(json, before ?? json.before, signedEntry(json));
  if (Value.Check(RemarkLine, json))
    return follows(json, before ?? json.before, { at: new Date(json.time), note: json.note });
  return { fault: 'is no line of this log' };
}

function follows<Entry>(line: { before: string }, before: string, entry: Entry) {
  return line.before === before ? { entry } : { fault: 'does not follow the line before it' };
}

function signedLine(entry: SignedEntry, before: string): Static<typeof SignedLine> {
  return {
    before,
    time: entry.at.toISOString(),
    purpose: entry.purpose,
    chain: entry.chain,
    wallet: entry.wallet,
    sequence: entry.nonce.toString(),
    asset: entry.asset,
    payments: entry.payments.map(({ transferId, referenceId, to, units }) => ({
      transfer: transferId,
      reference: referenceId,
      to,
      units: units.toString(),
    })),
    inputs: [...entry.inputs],
    voids: entry.voids,
    max_fee: entry.maxFeeUnits.toString(),
    txid: entry.txid,
    ...(entry.resendable === null ? {} : { free: resendableLine(entry.resendable) }),
  };
}

type ResendableLine = NonNullable<Static<typeof SignedLine>['free']>;

function resendableLine({ raw, validUntil, aliveUntil }: ResendableEntry): ResendableLine {
  return { raw, valid_until: validUntil.toString(), alive_until: aliveUntil.toISOString() };
}

function resendableEntry({
  raw,
  valid_until: validUntil,
  alive_until: aliveUntil,
}: ResendableLine): ResendableEntry {
  return { raw, validUntil: BigInt(validUntil), aliveUntil: new Date(aliveUntil) };
}

function remarkLine({ at, note }: Remark, before: string): Static<typeof RemarkLine> {
  return { before, time: at.toISOString(), note };
}

function signedEntry(line: Static<typeof SignedLine>): SignedEntry {
  return {
    at: new Date(line.time),
    purpose: line.purpose,
    chain: line.chain,
    wallet: line.wallet,
    nonce: BigInt(line.sequence),
    asset: line.asset,
    payments: line.payments.map(({ transfer, reference, to, units }) => ({
      transferId: transfer,
      referenceId: reference,
      to,
      units: BigInt(units),
    })),
    inputs: line.inputs,
    voids: line.voids,
    maxFeeUnits: BigInt(line.max_fee),
    txid: line.txid,
    resendable: line.free === undefined ? null : resendableEntry(line.free),
  };
}
