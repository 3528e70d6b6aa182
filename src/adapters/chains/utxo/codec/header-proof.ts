/**
 * What a header proves without its block: the work for it, and that a transaction is in its block
 * (Bitcoin white paper, section 8). Used where a server shows no whole blocks.
 */
import { scryptSync } from 'node:crypto';
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import type { MerkleBranch } from '../electrum/client.ts';
import type { UtxoNetwork } from '../network.ts';
import { MalformedBytes } from './byte-reader.ts';
import { doubleSha256, hashText } from './hashes.ts';
import { decodeHeader } from './raw-block.ts';
import { decodeTransaction } from './transaction.ts';

export interface ProvenHeader extends BlockRef {
  /** Of the transactions, as in consensus bytes. */
  readonly merkleRoot: Uint8Array;
}

const ROOT_AT = 36;
const BITS_AT = 72;
/** Litecoin's proof of work: scrypt of the header, salted with itself. */
const SCRYPT = { N: 1_024, r: 1, p: 1 };
/** The target of difficulty 1. */
const EASIEST_MAIN = 0xffffn << 208n;
/**
 * About a tenth of the least difficulty of the main networks since 2023: a forger must do that much
 * work for each block. Only with several sources is the chain of the most work known.
 */
const LEAST_DIFFICULTY = { bitcoin: 5_000_000_000_000n, litecoin: 2_000_000n, bitcoincash: 20_000_000_000n };
/** Heights of the first days of 2023. */
const FIRST_OF_2023 = { bitcoin: 770_000, litecoin: 2_400_000, bitcoincash: 775_000 };

/**
 * Whether a block of this height proves nothing: the first years of a main network can be forged
 * today.
 */
export function isTooEasy({ name, family }: UtxoNetwork, height: number): boolean {
  return name === 'main' && height < FIRST_OF_2023[family];
}

/**
 * The header at `height`, whose hash meets the header's own target. On a main network the target
 * needs no less work than since 2023, unless the block is older. Throws MalformedBytes.
 */
export function provenHeader(network: UtxoNetwork, bytes: Uint8Array, height: number): ProvenHeader {
  const target = targetOf(Buffer.from(bytes).readUInt32LE(BITS_AT));
  const worked = network.family === 'litecoin' ? scryptSync(bytes, bytes, 32, SCRYPT) : doubleSha256(bytes);
  if (BigInt(`0x${hashText(worked)}`) > target) throw new MalformedBytes('a header without its work');
  const mustBeHard = network.name === 'main' && !isTooEasy(network, height);
  if (mustBeHard && target > EASIEST_MAIN / LEAST_DIFFICULTY[network.family])
    throw new MalformedBytes('a header with too little work');
  return { height, ...decodeHeader(bytes), merkleRoot: bytes.subarray(ROOT_AT, ROOT_AT + 32) };
}

/** A header in the scanner's terms. */
export function refOf({ height, hash, parentHash, time }: ProvenHeader): BlockRef {
  return { height, hash, parentHash, time };
}

/** Compact form: an exponent in bytes, and three bytes of mantissa. */
function targetOf(bits: number): bigint {
  const [size, digits] = [bits >>> 24, BigInt(bits & 0x7fffff)];
  return size <= 3 ? digits >> BigInt(8 * (3 - size)) : digits << BigInt(8 * (size - 3));
}

/**
 * Whether the branch leads from the transaction to the root. No step of the way may itself be a
 * transaction of 64 bytes: an attacker may put one into a block so that two hashes of his choice
 * pass for transactions (CVE-2017-12842).
 */
export function isInBlock(
  network: UtxoNetwork,
  { hash, branch, merkleRoot }: { hash: Uint8Array; branch: MerkleBranch; merkleRoot: Uint8Array },
): boolean {
  let above = hash;
  let { position } = branch;
  for (const text of branch.hashes) {
    const beside = Buffer.from(text, 'hex').reverse();
    const pair = position % 2 === 0 ? [above, beside] : [beside, above];
    if (isTransaction(network, Buffer.concat(pair))) return false;
    above = doubleSha256(...pair);
    position = Math.floor(position / 2);
  }
  return position === 0 && Buffer.compare(above, merkleRoot) === 0;
}

function isTransaction(network: UtxoNetwork, bytes: Uint8Array): boolean {
  try {
    decodeTransaction(network, bytes);
    return true;
  } catch (error) {
    if (error instanceof MalformedBytes) return false;
    throw error;
  }
}
