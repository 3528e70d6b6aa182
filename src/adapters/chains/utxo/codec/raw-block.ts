/**
 * Blocks and their headers from consensus bytes. The hash is computed here, and the transactions
 * are checked against the Merkle root of the header: nodes that agree on a hash agree on all that
 * the block pays.
 */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import type { UtxoNetwork } from '../network.ts';
import { ByteReader, MalformedBytes } from './byte-reader.ts';
import { doubleSha256, hashText, merkleRoot } from './hashes.ts';
import { type RawTransaction, readTransaction } from './transaction.ts';

const HEADER_BYTES = 80;
/** A version, an input and an output of the least size, a lock time. */
const LEAST_TRANSACTION_BYTES = 10;

export type Header = Omit<BlockRef, 'height'>;

export interface RawBlock extends Header {
  /** The first is the coinbase. */
  readonly transactions: readonly RawTransaction[];
}

/** The header at the beginning of `bytes`. Throws MalformedBytes. */
export function decodeHeader(bytes: Uint8Array): Header {
  const { hash, parentHash, time } = readHeader(new ByteReader(bytes));
  return { hash, parentHash, time };
}

function readHeader(reader: ByteReader): Header & { readonly root: Uint8Array } {
  const header = reader.take(HEADER_BYTES);
  const fields = new ByteReader(header);
  fields.skip(4);
  const parentHash = hashText(fields.take(32));
  const root = fields.take(32);
  return { hash: hashText(doubleSha256(header)), parentHash, root, time: fields.uint32() };
}

/**
 * Throws MalformedBytes. On Litecoin the extension block after the HogEx is not read: it pays none
 * of our addresses. A transaction of 64 bytes may pass for two hashes of the Merkle tree; that is
 * no danger, since it has no room for a script of ours.
 */
export function decodeBlock(network: UtxoNetwork, bytes: Uint8Array): RawBlock {
  const reader = new ByteReader(bytes);
  const { root, ...header } = readHeader(reader);
  const transactions = Array.from({ length: reader.count(LEAST_TRANSACTION_BYTES) }, () =>
    readTransaction(network, reader, bytes, { alone: false }),
  );
  if (transactions.length === 0) throw new MalformedBytes('a block without a coinbase');
  if (Buffer.compare(root, merkleRoot(transactions.map((each) => each.hash()))) !== 0)
    throw new MalformedBytes('transactions that its header does not commit to');
  if (reader.left > 0 && !transactions.at(-1)!.hogEx) throw new MalformedBytes('something follows the block');
  return { ...header, transactions };
}
