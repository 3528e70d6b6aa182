/**
 * A transaction of a wallet on a fake chain, and the texts it travels in: the payload that is
 * signed, and the signed bytes with their txid. Whoever knows the format can sign; it guards
 * against mistakes, not against thieves.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

export interface FakeSending {
  readonly chain: string;
  readonly wallet: string;
  /** The wallet itself, or the hot wallet in its stead. */
  readonly feePayer: string;
  readonly nonce: bigint;
  readonly asset: string;
  readonly to: string;
  /** Base units; zero when it voids. */
  readonly units: bigint;
  readonly voids: boolean;
  /** Weight beyond an ordinary transaction's that it may take. */
  readonly extra: bigint;
  /**
   * Most native units per unit of weight; a block whose base fee is above it does not take the
   * transaction.
   */
  readonly feeCap: bigint;
  /** What the miner gets of that, where the cap leaves room for it. */
  readonly tip: bigint;
  /** Height of the last block that takes it; null where transactions do not expire. */
  readonly validUntil: bigint | null;
}

const Digits = Type.String({ pattern: '^(0|[1-9][0-9]{0,77})$' });
const Payload = Type.Object({
  chain: Type.String(),
  wallet: Type.String(),
  feePayer: Type.String(),
  nonce: Digits,
  asset: Type.String(),
  to: Type.String(),
  units: Digits,
  voids: Type.Boolean(),
  extra: Digits,
  feeCap: Digits,
  tip: Digits,
  validUntil: Type.Union([Digits, Type.Null()]),
});

export function payloadOf(sending: FakeSending): string {
  const { chain, wallet, feePayer, nonce, asset, to, units, voids, extra, feeCap, tip, validUntil } = sending;
  return JSON.stringify({
    chain,
    wallet,
    feePayer,
    nonce: `${nonce}`,
    asset,
    to,
    units: `${units}`,
    voids,
    extra: `${extra}`,
    feeCap: `${feeCap}`,
    tip: `${tip}`,
    validUntil: validUntil === null ? null : `${validUntil}`,
  });
}

/** Null for any text that payloadOf does not write: one transaction has one payload. */
export function readPayload(payload: string): FakeSending | null {
  const value = parsed(payload);
  if (!Value.Check(Payload, value)) return null;
  const sending = {
    ...value,
    nonce: BigInt(value.nonce),
    units: BigInt(value.units),
    extra: BigInt(value.extra),
    feeCap: BigInt(value.feeCap),
    tip: BigInt(value.tip),
    validUntil: value.validUntil === null ? null : BigInt(value.validUntil),
  };
  return payloadOf(sending) === payload ? sending : null;
}

/** The same payload gives the same bytes and the same txid. */
export function signedForm(payload: string): { raw: string; txid: string } {
  const raw = `${Buffer.from(payload).toString('hex')}.${hashOf(`signature/${payload}`)}`;
  return { raw, txid: hashOf(`signed/${raw}`) };
}

/** Null for bytes that nobody signed. */
export function readSigned(raw: string): { sending: FakeSending; txid: string } | null {
  const payload = Buffer.from(raw.split('.')[0] ?? '', 'hex').toString();
  const sending = readPayload(payload);
  const signed = signedForm(payload);
  return sending !== null && signed.raw === raw ? { sending, txid: signed.txid } : null;
}

function hashOf(text: string): string {
  return Buffer.from(sha256(Buffer.from(text))).toString('hex');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
