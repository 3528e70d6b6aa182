/**
 * The digest that an input's signature signs (BIP-143), over an unsigned transaction as unsigned.ts
 * writes it. The parts that all inputs share are hashed once: a transaction of a thousand UTXOs
 * takes a thousand digests, not a million.
 */
import { ByteReader } from './byte-reader.ts';
import { doubleSha256 } from './hashes.ts';

export interface SignedUtxo {
  /** Index of the input. */
  readonly index: number;
  /** BIP-143's scriptCode, shorter than 253 bytes. */
  readonly script: Uint8Array;
  readonly units: bigint;
}

/**
 * Digests of the inputs of `unsigned` under SIGHASH_ALL. `hashType` is that number with a chain's
 * own bits.
 */
export function inputDigests(unsigned: Uint8Array, hashType: number): (coin: SignedUtxo) => Uint8Array {
  const reader = new ByteReader(unsigned);
  const version = reader.take(4);
  const inputs = Array.from({ length: reader.compactSize() }, () => {
    const outpoint = reader.take(36);
    reader.skip(reader.compactSize());
    return { outpoint, sequence: reader.take(4) };
  });
  reader.compactSize();
  const outputs = reader.take(reader.left - 4);
  const lockTime = reader.take(4);
  const outpointsHash = doubleSha256(...inputs.map(({ outpoint }) => outpoint));
  const sequencesHash = doubleSha256(...inputs.map(({ sequence }) => sequence));
  const outputsHash = doubleSha256(outputs);
  return ({ index, script, units }) => {
    const { outpoint, sequence } = inputs[index]!;
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(units);
    const type = Buffer.alloc(4);
    type.writeUInt32LE(hashType);
    return doubleSha256(
      version,
      outpointsHash,
      sequencesHash,
      outpoint,
      Uint8Array.of(script.length),
      script,
      amount,
      sequence,
      outputsHash,
      lockTime,
      type,
    );
  };
}
