/**
 * Blocks of Bitcoin and Litecoin of a usual shape in consensus bytes: 3,000 transactions with 7,500
 * outputs of every type.
 */
import {
  addressOf,
  payToPublicKeyHash,
  payToWitness,
} from '../../../src/adapters/chains/utxo/codec/address.ts';
import { merkleRoot } from '../../../src/adapters/chains/utxo/codec/hashes.ts';
import { decodeTransaction } from '../../../src/adapters/chains/utxo/codec/transaction.ts';
import { utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';

const TRANSACTIONS = 3_000;
export const OUTPUTS = 7_500;
const NETWORK = utxoNetwork('bitcoin', 'main');

/** The script of the n-th P2WPKH address of a made-up wallet, and its text. */
export function ownScript(n: number): Uint8Array {
  return payToWitness(0, hash(`own ${n}`, 20));
}
export function ownAddress(n: number, network = NETWORK): string {
  return addressOf(network, ownScript(n))!;
}

/**
 * A block whose outputs are of strangers, but for the first of as many transactions as `ours` has
 * scripts. `parentHash` as in consensus bytes.
 */
export function coinBlock(
  seed: number,
  ours: readonly Uint8Array[],
  {
    count = TRANSACTIONS,
    parentHash,
    time = 0,
  }: { count?: number; parentHash?: Uint8Array; time?: number } = {},
): Uint8Array {
  const transactions = Array.from({ length: count }, (_, at) => {
    const outputs = at % 2 === 0 ? 2 : 3;
    const scripts = Array.from({ length: outputs }, (_, vout) =>
      vout === 0 && ours[at] !== undefined ? ours[at] : strangersScript(`${seed} ${at} ${vout}`),
    );
    return transaction(`${seed} ${at}`, scripts);
  });
  const header = Buffer.alloc(80, 1);
  if (parentHash !== undefined) header.set(parentHash, 4);
  header.set(merkleRoot(transactions.map((raw) => decodeTransaction(NETWORK, raw).hash())), 36);
  header.writeUInt32LE(time, 68);
  return Buffer.concat([header, compactSize(count), ...transactions]);
}

/** A transaction that waits, of nobody that anybody knows. */
export function strangersTransaction(): Uint8Array {
  return transaction('stranger', [strangersScript('one'), strangersScript('two')]);
}

/** Shares as in blocks of 2024: half P2WPKH, a quarter P2TR, the rest of the older types. */
function strangersScript(name: string): Uint8Array {
  const kind = hash(name, 1)[0]! % 20;
  if (kind < 10) return payToWitness(0, hash(name, 20));
  if (kind < 15) return payToWitness(1, hash(name, 32));
  if (kind < 17) return payToPublicKeyHash(hash(name, 20));
  if (kind < 19) return Uint8Array.of(0xa9, 20, ...hash(name, 20), 0x87);
  return Uint8Array.of(0x6a, 20, ...hash(name, 20));
}

function transaction(name: string, scripts: readonly Uint8Array[]): Uint8Array {
  const input = [hash(name, 32), Buffer.alloc(4), Buffer.of(0), Buffer.alloc(4, 0xff)];
  const outputs = scripts.flatMap((script) => [
    Buffer.of(0, 0xca, 0x9a, 0x3b, 0, 0, 0, 0),
    compactSize(script.length),
    script,
  ]);
  // version, segwit's marker and flag; then a witness of a signature and a key
  const witness = [Buffer.of(2, 72), Buffer.alloc(72, 3), Buffer.of(33), Buffer.alloc(33, 2)];
  return Buffer.concat([
    Buffer.of(2, 0, 0, 0, 0, 1, 1),
    ...input,
    compactSize(scripts.length),
    ...outputs,
    ...witness,
    Buffer.alloc(4),
  ]);
}

function compactSize(count: number): Uint8Array {
  return count < 0xfd ? Buffer.of(count) : Buffer.of(0xfd, count & 0xff, count >> 8);
}

function hash(name: string, bytes: number): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(name).digest().subarray(0, bytes);
}
