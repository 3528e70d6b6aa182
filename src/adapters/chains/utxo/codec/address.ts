/**
 * Address text and its script, for every standard type of the three chains: P2PKH, P2SH and segwit
 * of every version (BIP-173, BIP-350), cashaddr and the legacy form on Bitcoin Cash. Only addresses
 * of the given network are read. Confidential ones (`ltcmweb1`) are refused, since their outputs
 * are not in the blocks that the scanner reads.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, bech32m, createBase58check } from '@scure/base';
import type { UtxoNetwork } from '../network.ts';
import { decodeCashAddress, encodeCashAddress } from './cashaddr.ts';

const OP_0 = 0x00;
const OP_1 = 0x51;
const OP_16 = 0x60;
const OP_DUP = 0x76;
const OP_EQUAL = 0x87;
const OP_EQUALVERIFY = 0x88;
const OP_HASH160 = 0xa9;
const OP_HASH256 = 0xaa;
const OP_CHECKSIG = 0xac;

const base58check = createBase58check(sha256);
/** Version byte, 20 bytes of hash and the checksum never make a longer text. */
const BASE58_LENGTH_MAX = 36;

/** The scriptPubKey of `text`, or null when it is not an address of this network. */
export function scriptOf(network: UtxoNetwork, text: string): Uint8Array | null {
  return scriptOfCashAddress(network, text) ?? scriptOfSegwit(network, text) ?? scriptOfBase58(network, text);
}

/**
 * The canonical text: bech32 in lower case, Litecoin's P2SH as M..., cashaddr with its prefix; null
 * when the script has no address.
 */
export function addressOf(network: UtxoNetwork, script: Uint8Array): string | null {
  if (isPayToPublicKeyHash(script)) return hashAddress(network, 'p2pkh', script.subarray(3, 23));
  if (isPayToScriptHash(script)) return hashAddress(network, 'p2sh', script.subarray(2, 22));
  if (network.cashaddr !== null && isPayToScriptHash32(script))
    return encodeCashAddress(network.cashaddr, { type: 'p2sh', hash: script.subarray(2, 34) });
  return segwitAddress(network, script);
}

/**
 * The one text under which an address is stored and compared, or null when `text` is not an address
 * of this network.
 */
export function normalizeUtxoAddress(network: UtxoNetwork, text: string): string | null {
  const script = scriptOf(network, text);
  return script && addressOf(network, script);
}

export function payToPublicKeyHash(hash: Uint8Array): Uint8Array {
  return Uint8Array.of(OP_DUP, OP_HASH160, 20, ...hash, OP_EQUALVERIFY, OP_CHECKSIG);
}

/** `program` has 2 to 40 bytes; of version 0 it is a key's hash (20) or a script's (32). */
export function payToWitness(version: number, program: Uint8Array): Uint8Array {
  return Uint8Array.of(version === 0 ? OP_0 : OP_1 + version - 1, program.length, ...program);
}

function payToScriptHash(hash: Uint8Array): Uint8Array {
  return hash.length === 32
    ? Uint8Array.of(OP_HASH256, 32, ...hash, OP_EQUAL)
    : Uint8Array.of(OP_HASH160, 20, ...hash, OP_EQUAL);
}

function isPayToPublicKeyHash(script: Uint8Array): boolean {
  return (
    script.length === 25 &&
    script[0] === OP_DUP &&
    script[1] === OP_HASH160 &&
    script[2] === 20 &&
    script[23] === OP_EQUALVERIFY &&
    script[24] === OP_CHECKSIG
  );
}

function isPayToScriptHash(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === OP_HASH160 && script[1] === 20 && script[22] === OP_EQUAL;
}

function isPayToScriptHash32(script: Uint8Array): boolean {
  return script.length === 35 && script[0] === OP_HASH256 && script[1] === 32 && script[34] === OP_EQUAL;
}

function scriptOfCashAddress(network: UtxoNetwork, text: string): Uint8Array | null {
  const address = network.cashaddr === null ? null : decodeCashAddress(network.cashaddr, text);
  if (address === null) return null;
  return address.type === 'p2pkh' ? payToPublicKeyHash(address.hash) : payToScriptHash(address.hash);
}

function hashAddress(network: UtxoNetwork, type: 'p2pkh' | 'p2sh', hash: Uint8Array): string {
  if (network.cashaddr !== null) return encodeCashAddress(network.cashaddr, { type, hash });
  const version = type === 'p2pkh' ? network.pubKeyHash : network.scriptHash;
  return base58check.encode(Uint8Array.of(version, ...hash));
}

function scriptOfBase58(network: UtxoNetwork, text: string): Uint8Array | null {
  if (text.length > BASE58_LENGTH_MAX) return null;
  let bytes: Uint8Array;
  try {
    bytes = base58check.decode(text);
  } catch {
    return null;
  }
  const version = bytes[0];
  const hash = bytes.subarray(1);
  if (hash.length !== 20) return null;
  if (version === network.pubKeyHash) return payToPublicKeyHash(hash);
  return version === network.scriptHash || version === network.formerScriptHash
    ? payToScriptHash(hash)
    : null;
}

function scriptOfSegwit(network: UtxoNetwork, text: string): Uint8Array | null {
  if (network.bech32 === null) return null;
  // both checksums never fit one text: they differ in their constant
  const decoded = bech32.decodeUnsafe(text) ?? bech32m.decodeUnsafe(text);
  if (decoded?.prefix !== network.bech32) return null;
  const version = decoded.words[0];
  const program = bech32.fromWordsUnsafe(decoded.words.slice(1));
  if (version === undefined || !program || !isProgram(network, version, program)) return null;
  // the checksum must be the version's own: BIP-350 closes the gap that let a bech32 text grow by a
  // letter
  const own = version === 0 ? bech32 : bech32m;
  return own.decodeUnsafe(text) ? payToWitness(version, program) : null;
}

function segwitAddress(network: UtxoNetwork, script: Uint8Array): string | null {
  const opcode = script[0];
  const program = script.subarray(2);
  if (network.bech32 === null || opcode === undefined || script[1] !== program.length) return null;
  if (opcode !== OP_0 && (opcode < OP_1 || opcode > OP_16)) return null;
  const version = opcode === OP_0 ? 0 : opcode - OP_1 + 1;
  if (!isProgram(network, version, program)) return null;
  const own = version === 0 ? bech32 : bech32m;
  return own.encode(network.bech32, [version, ...own.toWords(program)]);
}

function isProgram(network: UtxoNetwork, version: number, program: Uint8Array): boolean {
  if (version > 16 || network.reservedWitnessVersions.includes(version)) return false;
  if (version === 0) return program.length === 20 || program.length === 32;
  return program.length >= 2 && program.length <= 40;
}
