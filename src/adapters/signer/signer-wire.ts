/**
 * The protocol of the signer's socket: one line of JSON is a request, one line the response.
 * Integers are decimal strings. Both sides check what they read, and neither relies on the other's
 * version.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { OUTGOING_PURPOSES } from '../../domain/sending/outgoing-purpose.ts';
import {
  type ColdAsset,
  DERIVED_AT_ONCE,
  type DerivedRange,
  type Signed,
  type SigningOrder,
  type SigningRefused,
} from '../../ports/sending/signer.ts';
import { INPUTS_MAX, PAYMENTS_MAX } from './signing-entry.ts';

/** Longest line that either side reads, its end included: hundreds of payments and of UTXOs fit. */
export const LINE_BYTES_MAX = 1024 * 1024;

export type SignerAnswer =
  | ({ readonly kind: 'signed' } & Signed)
  | { readonly kind: 'derived'; readonly addresses: readonly string[] }
  | { readonly kind: 'cold'; readonly address: string | null }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly lasting: boolean;
      readonly transferId: string | null;
      readonly unusedFrom: bigint | null;
      readonly because: SigningRefused['because'];
    }
  /** Nothing was signed as far as is known: the request may be repeated later. */
  | { readonly kind: 'unavailable'; readonly reason: string };

const closed = { additionalProperties: false };
const Text = Type.String({ minLength: 1, maxLength: 500 });
const Whole = Type.String({ pattern: '^(?:0|[1-9][0-9]{0,77})$' });
const Index = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
const Key = Type.Union([
  Type.Object({ role: Type.Literal('hot') }, closed),
  Type.Object({ role: Type.Union([Type.Literal('deposit'), Type.Literal('change')]), index: Index }, closed),
]);
const Payment = Type.Object(
  { transferId: Text, referenceId: Text, to: Text, toKey: Type.Union([Key, Type.Null()]), units: Whole },
  closed,
);
const Input = Type.Object(
  { txid: Text, vout: Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }), key: Key, units: Whole },
  closed,
);
const Order = Type.Object(
  {
    chain: Text,
    key: Key,
    wallet: Text,
    sequence: Whole,
    purpose: Type.Union(OUTGOING_PURPOSES.map((purpose) => Type.Literal(purpose))),
    asset: Text,
    payments: Type.Array(Payment, { minItems: 1, maxItems: PAYMENTS_MAX }),
    inputs: Type.Array(Input, { maxItems: INPUTS_MAX }),
    voids: Type.Boolean(),
    feePayer: Type.Union([Text, Type.Null()]),
    validUntil: Type.Union([Whole, Type.Null()]),
    replaces: Type.Union([Text, Type.Null()]),
    lends: Type.Optional(Type.Union([Type.Literal('energy'), Type.Literal('energy_back')])),
    payload: Type.String({ minLength: 1, maxLength: LINE_BYTES_MAX }),
  },
  closed,
);
const Derive = Type.Object(
  {
    derive: Type.Object(
      { family: Text, from: Index, count: Type.Integer({ minimum: 0, maximum: DERIVED_AT_ONCE }) },
      closed,
    ),
  },
  closed,
);
const Cold = Type.Object({ cold: Type.Object({ chain: Text, asset: Text }, closed) }, closed);
const Answer = Type.Union([
  Type.Object({ kind: Type.Literal('derived'), addresses: Type.Array(Text) }, closed),
  Type.Object({ kind: Type.Literal('cold'), address: Type.Union([Text, Type.Null()]) }, closed),
  Type.Object(
    {
      kind: Type.Literal('signed'),
      raw: Type.String(),
      txid: Type.String(),
      again: Type.Optional(Type.Object({ validUntil: Whole, maxFeeUnits: Whole }, closed)),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('refused'),
      reason: Type.String(),
      lasting: Type.Boolean(),
      transferId: Type.Union([Text, Type.Null()]),
      unusedFrom: Type.Union([Whole, Type.Null()]),
      because: Type.Union([Type.Literal('fee'), Type.Null()]),
    },
    closed,
  ),
  Type.Object({ kind: Type.Literal('unavailable'), reason: Type.String() }, closed),
]);

export function orderLine(order: SigningOrder): string {
  const { key, nonce } = order;
  const wire: Static<typeof Order> = {
    chain: order.chain,
    key,
    wallet: order.wallet,
    sequence: nonce.toString(),
    purpose: order.purpose,
    asset: order.asset,
    payments: order.payments.map(({ transferId, referenceId, to, toKey, units }) => ({
      ...{ transferId, referenceId, to, toKey },
      units: units.toString(),
    })),
    inputs: order.inputs.map(({ txid, vout, key: spending, units }) => ({
      ...{ txid, vout, key: spending },
      units: units.toString(),
    })),
    voids: order.voids,
    feePayer: order.feePayer,
    validUntil: order.validUntil?.toString() ?? null,
    replaces: order.replaces,
    ...(order.delegates === undefined ? {} : { lends: order.delegates }),
    payload: order.payload,
  };
  return `${JSON.stringify(wire)}\n`;
}

/** Null when the line is no order. */
export function readOrder(line: string): SigningOrder | null {
  const wire = checked(Order, line);
  if (wire === null) return null;
  const { sequence, lends, ...rest } = wire;
  return {
    ...rest,
    ...(lends === undefined ? {} : { delegates: lends }),
    nonce: BigInt(sequence),
    validUntil: wire.validUntil === null ? null : BigInt(wire.validUntil),
    payments: wire.payments.map((payment) => ({ ...payment, units: BigInt(payment.units) })),
    inputs: wire.inputs.map((input) => ({ ...input, units: BigInt(input.units) })),
  };
}

export function deriveLine({ family, from, count }: DerivedRange): string {
  const wire: Static<typeof Derive> = { derive: { family, from, count } };
  return `${JSON.stringify(wire)}\n`;
}

/** Null when the line does not request addresses. */
export function readDerive(line: string): DerivedRange | null {
  return checked(Derive, line)?.derive ?? null;
}

export function coldLine({ chain, asset }: ColdAsset): string {
  const wire: Static<typeof Cold> = { cold: { chain, asset } };
  return `${JSON.stringify(wire)}\n`;
}

/** Null when the line does not ask for a cold address. */
export function readCold(line: string): ColdAsset | null {
  return checked(Cold, line)?.cold ?? null;
}

export function answerLine(answer: SignerAnswer): string {
  const wire = JSON.stringify(answer, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return `${wire}\n`;
}

/** Null when the line is no response. */
export function readAnswer(line: string): SignerAnswer | null {
  const wire = checked(Answer, line);
  if (wire === null || wire.kind === 'unavailable') return wire;
  if (wire.kind === 'derived' || wire.kind === 'cold') return wire;
  if (wire.kind === 'refused')
    return { ...wire, unusedFrom: wire.unusedFrom === null ? null : BigInt(wire.unusedFrom) };
  const { again, ...signed } = wire;
  if (again === undefined) return signed;
  const limits = { validUntil: BigInt(again.validUntil), maxFeeUnits: BigInt(again.maxFeeUnits) };
  return { ...signed, again: limits };
}

function checked<Schema extends TSchema>(schema: Schema, line: string): Static<Schema> | null {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return null;
  }
  return Value.Check(schema, json) ? json : null;
}
