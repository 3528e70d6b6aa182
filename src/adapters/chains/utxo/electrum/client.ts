/**
 * What is asked of an Electrum server (protocol 1.4), by name and with its answers checked for
 * their shape. Nothing here is believed yet.
 */
import { createHash } from 'node:crypto';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeError, type RpcError } from '../../shared/nodes/node-errors.ts';
import { bytesOfHex, hashIn, wholeNumber } from '../rpc/answers.ts';
import type { ElectrumConnection } from './connection.ts';
import type { ElectrumOutcome } from './session.ts';

/** A transaction in the history of a script: `height` 0 or less while it waits. */
export interface HistoryEntry {
  readonly txid: string;
  readonly height: number;
}

/**
 * Transactions of a script, those of blocks first and in their order; or why the server does not
 * tell.
 */
export type HistoryOutcome = { readonly entries: readonly HistoryEntry[] } | { readonly error: RpcError };

/** A transaction's place in a block, and the hashes beside its way to the Merkle root. */
export interface MerkleBranch {
  readonly position: number;
  readonly hashes: readonly string[];
}

export interface TipHeader {
  readonly height: number;
  readonly header: Uint8Array;
}

export interface ElectrumClient {
  readonly label: string;
  readonly connection: ElectrumConnection;
  /** The tip; from now on the server says when there is another one. */
  subscribeTip(): Promise<TipHeader>;
  /** 80 bytes; null where the chain is shorter. */
  header(height: number): Promise<Uint8Array | null>;
  /** Of `count` blocks from `from` on, at most 2,016. */
  headers(from: number, count: number): Promise<readonly Uint8Array[]>;
  /**
   * The state of each script, null for one without history; from now on the server says when it
   * changes.
   */
  subscribe(scriptHashes: readonly string[]): Promise<readonly (string | null)[]>;
  histories(scriptHashes: readonly string[]): Promise<readonly HistoryOutcome[]>;
  /** In consensus bytes; null for what the server does not know. */
  transactions(txids: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
  /**
   * Where each of these is proven to be; the error where the server has no such transaction at that
   * height.
   */
  branches(entries: readonly HistoryEntry[]): Promise<readonly (MerkleBranch | RpcError)[]>;
  /** Coins per 1,000 bytes, as the number's text. */
  estimateFee(blocks: number): Promise<unknown>;
  relayFee(): Promise<unknown>;
  /** Whether the server took it; else what it says. */
  broadcast(raw: string): Promise<{ readonly refused: string } | null>;
}

const HEADER_BYTES = 80;
/**
 * Half of the hashes of a full block's transactions would be some 12; a branch of 32 is of more
 * than can be in any block.
 */
const BRANCH_MAX = 32;
const UNKNOWN_TRANSACTION =
  /no such (mempool|transaction)|missing transaction|not found|unknown transaction/i;

/** What servers call a script: its SHA-256, in reverse, as hex. */
export function scriptHashOf(script: Uint8Array): string {
  return createHash('sha256').update(script).digest().reverse().toString('hex');
}

/** The state that servers tell for a history; null for none. */
export function statusOf(entries: readonly HistoryEntry[]): string | null {
  if (entries.length === 0) return null;
  const text = entries.map(({ txid, height }) => `${txid}:${height}:`).join('');
  return createHash('sha256').update(text).digest('hex');
}

export function electrumClient(connection: ElectrumConnection): ElectrumClient {
  const { label } = connection;
  const forEach = (method: string, params: readonly (readonly unknown[])[]) =>
    connection.outcomes(params.map((each) => ({ method, params: each })));

  return {
    label,
    connection,
    subscribeTip: async () => tipIn(await connection.call('blockchain.headers.subscribe')),
    header: async (height) => {
      const [outcome] = await forEach('blockchain.block.header', [[height]]);
      return outcome === undefined || 'error' in outcome ? null : headerIn(outcome.result);
    },
    headers: async (from, count) => {
      const answer = fields(await connection.call('blockchain.block.headers', from, count), 'headers');
      const bytes = bytesOfHex(answer.hex);
      if (bytes.length !== count * HEADER_BYTES)
        throw new NodeError(`${label}: answered other headers than asked`);
      return Array.from({ length: count }, (_, at) =>
        bytes.subarray(at * HEADER_BYTES, (at + 1) * HEADER_BYTES),
      );
    },
    subscribe: async (scriptHashes) => {
      const outcomes = await forEach(
        'blockchain.scripthash.subscribe',
        scriptHashes.map((hash) => [hash]),
      );
      return outcomes.map((outcome) => statusIn(resultOf(outcome)));
    },
    histories: async (scriptHashes) => {
      const outcomes = await forEach(
        'blockchain.scripthash.get_history',
        scriptHashes.map((hash) => [hash]),
      );
      return outcomes.map((outcome) =>
        'error' in outcome ? outcome : { entries: entriesIn(outcome.result) },
      );
    },
    transactions: async (txids) => {
      const outcomes = await forEach(
        'blockchain.transaction.get',
        txids.map((txid) => [txid]),
      );
      return outcomes.map((outcome) => {
        if ('error' in outcome && UNKNOWN_TRANSACTION.test(outcome.error.message)) return null;
        return bytesOfHex(resultOf(outcome));
      });
    },
    branches: async (entries) => {
      const outcomes = await forEach(
        'blockchain.transaction.get_merkle',
        entries.map(({ txid, height }) => [txid, height]),
      );
      return outcomes.map((outcome) => ('error' in outcome ? outcome.error : branchIn(outcome.result)));
    },
    estimateFee: (blocks) => connection.call('blockchain.estimatefee', blocks),
    relayFee: () => connection.call('blockchain.relayfee'),
    broadcast: async (raw) => {
      const [outcome] = await forEach('blockchain.transaction.broadcast', [[raw]]);
      return outcome !== undefined && 'error' in outcome ? { refused: outcome.error.message } : null;
    },
  };
}

/** What `headers.subscribe` answers, and later says by itself. */
export function tipIn(answer: unknown): TipHeader {
  const { height, hex } = fields(answer, 'tip');
  return { height: wholeNumber(height), header: headerIn(hex) };
}

export function statusIn(answer: unknown): string | null {
  return answer === null ? null : hashIn(answer);
}

function headerIn(hex: unknown): Uint8Array {
  const header = bytesOfHex(hex);
  if (header.length !== HEADER_BYTES) throw unusable('header');
  return header;
}

function entriesIn(answer: unknown): readonly HistoryEntry[] {
  return list(answer, 'history').map((item) => {
    const { tx_hash: txid, height } = fields(item, 'history');
    return { txid: hashIn(txid), height: height === -1 ? -1 : wholeNumber(height) };
  });
}

function branchIn(answer: unknown): MerkleBranch {
  const { merkle, pos } = fields(answer, 'Merkle branch');
  const hashes = list(merkle, 'Merkle branch').map(hashIn);
  if (hashes.length > BRANCH_MAX) throw unusable('Merkle branch');
  return { position: wholeNumber(pos), hashes };
}

function resultOf(outcome: ElectrumOutcome): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
