/**
 * The part of Protocol Buffers (proto3) that our Tron transactions need: varints and
 * length-delimited fields. Zero and empty fields are not written, as in proto3.
 */

const VARINT = 0;
const DELIMITED = 2;
/** Of a varint of 64 bits. */
const VARINT_BYTES_MAX = 10;

function varint(value: bigint): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest > 0n);
  return bytes;
}

const tag = (field: number, wire: number): readonly number[] => varint(BigInt((field << 3) | wire));

/** A number of at least zero and below 2^63: all that Tron's fields mean. */
export function numberField(field: number, value: bigint): Buffer {
  if (value < 0n || value >= 1n << 63n) throw new RangeError(`${value} does not fit into a field`);
  return value === 0n ? Buffer.alloc(0) : Buffer.from([...tag(field, VARINT), ...varint(value)]);
}

export function bytesField(field: number, value: Uint8Array): Buffer {
  return value.length === 0 ? Buffer.alloc(0) : Buffer.concat([start(field, value.length), value]);
}

/** In hex; written even if it is empty: a message that is present, or one of several. */
export const hexField = (field: number, hex: string): string =>
  start(field, hex.length / 2).toString('hex') + hex;

const start = (field: number, bytes: number): Buffer =>
  Buffer.from([...tag(field, DELIMITED), ...varint(BigInt(bytes))]);

export interface Message {
  /** Zero when the field is absent. */
  number(field: number): bigint;
  /** Empty when the field is absent. */
  bytes(field: number): Uint8Array;
}

/** Null when the bytes are no message of such fields, or have a field twice. */
export function readMessage(bytes: Uint8Array): Message | null {
  const found = new Map<number, bigint | Uint8Array>();
  let position = 0;

  function readVarint(): bigint | null {
    let value = 0n;
    for (let count = 0; count < VARINT_BYTES_MAX; count++) {
      const byte = bytes[position++];
      if (byte === undefined) return null;
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return value;
    }
    return null;
  }

  while (position < bytes.length) {
    const key = readVarint();
    const value = key === null ? null : readVarint();
    if (key === null || value === null) return null;
    const field = Number(key >> 3n);
    if (found.has(field)) return null;
    if (Number(key & 7n) === VARINT) {
      found.set(field, value);
    } else if (Number(key & 7n) === DELIMITED && value <= BigInt(bytes.length - position)) {
      found.set(field, bytes.subarray(position, position + Number(value)));
      position += Number(value);
    } else {
      return null;
    }
  }
  return {
    number(field) {
      const value = found.get(field);
      return typeof value === 'bigint' ? value : 0n;
    },
    bytes(field) {
      const value = found.get(field);
      return value instanceof Uint8Array ? value : new Uint8Array();
    },
  };
}
