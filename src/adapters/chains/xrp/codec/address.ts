/**
 * Addresses of the XRP Ledger as text: an account's classic address (r...), the same with a
 * destination tag (`r...:7`), and the X-address that holds both (XLS-5). This file uses no XRP
 * library, because every process derives addresses.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58xrp } from '@scure/base';
import type { AddressParts } from '../../../../ports/chains/address-deriver.ts';
import type { XrpNetwork } from '../network.ts';

/**
 * `account` is its classic address; the tag is one of 0 to 2^32 - 1, or null for none: 0 is a tag.
 */
export type XrpAddress = AddressParts;

export const TAG_MAX = 2 ** 32 - 1;

const ACCOUNT_PREFIX = 0;
const ACCOUNT_ID_BYTES = 20;
/**
 * Prefix, account id, whether there is a tag, and the tag: 64 bits, little-endian, of which the
 * upper half is zero.
 */
const X_ADDRESS_BYTES = 2 + ACCOUNT_ID_BYTES + 1 + 8;
const FLAG_AT = 2 + ACCOUNT_ID_BYTES;
const CHECKSUM_BYTES = 4;

const CLASSIC = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;
const TAGGED = /^(r[1-9A-HJ-NP-Za-km-z]{24,34}):(0|[1-9]\d{0,9})$/;
const X_ADDRESS = /^[XT][1-9A-HJ-NP-Za-km-z]{46}$/;

/** Any of the three forms; null for anything else, also for an X-address of another network. */
export function readXrpAddress(network: Pick<XrpNetwork, 'prefix'>, text: string): XrpAddress | null {
  if (X_ADDRESS.test(text)) return readXAddress(network, text);
  const tagged = TAGGED.exec(text);
  const account = tagged?.[1] ?? text;
  const tag = tagged === null ? null : Number(tagged[2]);
  if (tag !== null && tag > TAG_MAX) return null;
  return CLASSIC.test(account) && accountIdOf(account) !== null ? { account, tag } : null;
}

/**
 * The X-address of an account's classic address; throws for another text. All our own addresses are
 * stored in this form.
 */
export function xAddress(network: Pick<XrpNetwork, 'prefix'>, { account, tag }: XrpAddress): string {
  const id = accountIdOf(account);
  if (id === null) throw new Error('not a classic address of the XRP Ledger');
  const bytes = Buffer.alloc(X_ADDRESS_BYTES);
  bytes.set(network.prefix, 0);
  bytes.set(id, 2);
  bytes.writeUInt8(tag === null ? 0 : 1, FLAG_AT);
  bytes.writeUInt32LE(tag ?? 0, FLAG_AT + 1);
  return encoded(bytes);
}

/** The X-address of an address in any form; null for an address of another network. */
export function normalizeXrpAddress(network: Pick<XrpNetwork, 'prefix'>, text: string): string | null {
  const address = readXrpAddress(network, text);
  return address === null ? null : xAddress(network, address);
}

/** The classic address of an account id: 20 bytes. */
export function classicAddress(accountId: Uint8Array): string {
  return encoded(Uint8Array.of(ACCOUNT_PREFIX, ...accountId));
}

function readXAddress(network: Pick<XrpNetwork, 'prefix'>, text: string): XrpAddress | null {
  const bytes = decoded(text, X_ADDRESS_BYTES);
  if (bytes === null || network.prefix.some((byte, position) => bytes[position] !== byte)) return null;
  const account = classicAddress(bytes.subarray(2, FLAG_AT));
  const tag = bytes.readUInt8(FLAG_AT) === 0 ? null : bytes.readUInt32LE(FLAG_AT + 1);
  // An account and a tag have one X-address: this refuses unknown flags, wider tags and a tag
  // beside "none".
  return xAddress(network, { account, tag }) === text ? { account, tag } : null;
}

function accountIdOf(classic: string): Uint8Array | null {
  const bytes = decoded(classic, 1 + ACCOUNT_ID_BYTES);
  return bytes === null || bytes[0] !== ACCOUNT_PREFIX ? null : bytes.subarray(1);
}

const checksumOf = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes)).subarray(0, CHECKSUM_BYTES);

const encoded = (bytes: Uint8Array): string => base58xrp.encode(Buffer.concat([bytes, checksumOf(bytes)]));

/** Null unless it is that many bytes with a valid checksum. `text` is of the alphabet. */
function decoded(text: string, length: number): Buffer | null {
  const bytes = Buffer.from(base58xrp.decode(text));
  const content = bytes.subarray(0, length);
  const right =
    bytes.length === length + CHECKSUM_BYTES &&
    checksumOf(content).every((byte, at) => byte === bytes[length + at]);
  return right ? content : null;
}
