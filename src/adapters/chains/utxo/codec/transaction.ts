/**
 * Transactions from consensus bytes, with and without witness, and with Litecoin's MWEB flag
 * (LIP-2, LIP-3). Only the fields of a payment are read; scripts are not run. The txid is the
 * double SHA-256 without witness and MWEB parts.
 */
import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import type { UtxoNetwork } from '../network.ts';
import { ByteReader, MalformedBytes } from './byte-reader.ts';
import { scriptBehindTokens } from './cash-tokens.ts';
import { doubleSha256, hashText } from './hashes.ts';

export interface TransactionOutput {
  readonly units: bigint;
  /** The script that locks the output, on Bitcoin Cash without the prefix of tokens. */
  readonly script: Uint8Array;
  /** Carries tokens besides the coin (safety.md U8). */
  readonly encumbered: boolean;
}

export interface RawTransaction {
  /** The txid as in consensus bytes, computed at its first use. */
  hash(): Uint8Array;
  /** As text, computed at its first use: most transactions of a block pay none of our addresses. */
  txid(): string;
  inputs(): readonly Outpoint[];
  readonly outputs: readonly TransactionOutput[];
  /** The last transaction of a Litecoin block, which pays what leaves the extension block. */
  readonly hogEx: boolean;
}

const WITNESS_FLAG = 0x01;
const MWEB_FLAG = 0x08;
const OUTPOINT_BYTES = 36;
const LEAST_INPUT_BYTES = 41;
const LEAST_OUTPUT_BYTES = 9;
const UNITS_LIMIT = 2n ** 63n;

/** A transaction with nothing after it. Throws MalformedBytes. */
export function decodeTransaction(network: UtxoNetwork, bytes: Uint8Array): RawTransaction {
  const reader = new ByteReader(bytes);
  const transaction = readTransaction(network, reader, bytes, { alone: true });
  if (reader.left > 0) throw new MalformedBytes('something follows the transaction');
  return transaction;
}

/**
 * The transaction at the reader's place; `bytes` is what the reader reads. Throws MalformedBytes.
 */
export function readTransaction(
  network: UtxoNetwork,
  reader: ByteReader,
  bytes: Uint8Array,
  { alone }: { alone: boolean },
): RawTransaction {
  const version = reader.take(4);
  const flags = readFlags(network, reader, bytes);
  const inputsAt = reader.offset;
  const inputCount = reader.count(LEAST_INPUT_BYTES);
  if (inputCount === 0 && (flags & MWEB_FLAG) === 0) throw new MalformedBytes('a transaction without inputs');
  for (let input = 0; input < inputCount; input++) {
    reader.skip(OUTPOINT_BYTES);
    reader.skip(reader.compactSize());
    reader.skip(4);
  }
  const outputs = Array.from({ length: reader.count(LEAST_OUTPUT_BYTES) }, () => readOutput(network, reader));
  const body = bytes.subarray(inputsAt, reader.offset);
  if (flags & WITNESS_FLAG) skipWitnesses(reader, inputCount);
  const hogEx = (flags & MWEB_FLAG) !== 0 && isHogEx(reader, alone);
  const lockTime = reader.take(4);
  let known: Uint8Array | undefined;
  const hash = (): Uint8Array => (known ??= doubleSha256(version, body, lockTime));
  return {
    hash,
    txid: () => hashText(hash()),
    inputs: () => readInputs(body),
    outputs,
    hogEx,
  };
}

/**
 * BIP-144: a count of no inputs and a flag that is not zero announce parts that older nodes do not
 * know.
 */
function readFlags(network: UtxoNetwork, reader: ByteReader, bytes: Uint8Array): number {
  if (network.bech32 === null || bytes[reader.offset] !== 0) return 0;
  reader.skip(1);
  const flags = reader.byte();
  const known = network.family === 'litecoin' ? WITNESS_FLAG | MWEB_FLAG : WITNESS_FLAG;
  if (flags === 0 || (flags & ~known) !== 0) throw new MalformedBytes('a transaction of an unknown kind');
  return flags;
}

function readOutput(network: UtxoNetwork, reader: ByteReader): TransactionOutput {
  const units = reader.uint64();
  if (units >= UNITS_LIMIT) throw new MalformedBytes('an amount below zero');
  const script = reader.take(reader.compactSize());
  const behind = network.family === 'bitcoincash' ? scriptBehindTokens(script) : null;
  return { units, script: behind ?? script, encumbered: behind !== null };
}

function skipWitnesses(reader: ByteReader, inputCount: number): void {
  for (let input = 0; input < inputCount; input++)
    for (let items = reader.count(1); items > 0; items--) reader.skip(reader.compactSize());
}

/**
 * The MWEB part is absent in the HogEx, the only transaction of a block that has the flag. A
 * waiting transaction has its part at the end, before the four bytes of its lock time.
 */
function isHogEx(reader: ByteReader, alone: boolean): boolean {
  if (reader.byte() === 0) return true;
  if (!alone || reader.left < 4) throw new MalformedBytes('an MWEB part where none belongs');
  reader.skip(reader.left - 4);
  return false;
}

function readInputs(body: Uint8Array): readonly Outpoint[] {
  const reader = new ByteReader(body);
  return Array.from({ length: reader.compactSize() }, () => {
    const txid = hashText(reader.take(32));
    const vout = reader.uint32();
    reader.skip(reader.compactSize() + 4);
    return { txid, vout };
  });
}
