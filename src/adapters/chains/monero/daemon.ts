/**
 * What the scanner asks monerod: headers, the transactions of a block, where a transaction is.
 * Answers are checked or the node is at fault.
 */

import { member } from '../../../domain/money/lossless-json.ts';
import type { BlockId, BlockRef, TransactionStatus } from '../../../ports/chains/chain-scanner.ts';
import { inChunks } from '../shared/chunks.ts';
import { NodeError, NodeLagging, RpcError } from '../shared/nodes/node-errors.ts';
import type { MoneroNetwork } from './address.ts';
import { hash, list, wholeNumber } from './answers.ts';
import type { MoneroRpc } from './rpc.ts';

export interface MinedBlock extends BlockRef {
  /** The block reward's transaction: no other block has it. */
  readonly minerTxid: string;
}

export interface Daemon {
  readonly label: string;
  isOn(network: MoneroNetwork): Promise<boolean>;
  tip(): Promise<MinedBlock>;
  /** Null when the chain is shorter. */
  blockAt(height: number): Promise<MinedBlock | null>;
  /**
   * The blocks `from` .. `to`, each the parent of the next. Throws RpcError when the chain is
   * shorter.
   */
  blocks(range: { from: number; to: number }): Promise<readonly MinedBlock[]>;
  /**
   * The transactions of the block at that height, if it still has this hash; throws NodeLagging
   * otherwise.
   */
  transactionsIn(block: BlockId): Promise<ReadonlySet<string>>;
  place(txid: string): Promise<TransactionStatus>;
  /** Of `txids`, those that wait in the pool. */
  inPool(txids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** COMMAND_RPC_GET_INFO's names of the networks; "fakechain" is regtest. */
const NETTYPES: Readonly<Record<MoneroNetwork, string>> = {
  main: 'mainnet',
  test: 'testnet',
  stage: 'stagenet',
  regtest: 'fakechain',
};
/** CORE_RPC_ERROR_CODE_TOO_BIG_HEIGHT. */
const TOO_BIG_HEIGHT = -2;
/** A restricted node answers no more at once. */
const TRANSACTIONS_AT_ONCE = 100;

export function daemon(rpc: MoneroRpc): Daemon {
  async function blockAt(height: number): Promise<MinedBlock | null> {
    try {
      const answer = await rpc.call('get_block_header_by_height', { height });
      return minedBlock(member(answer, 'block_header'));
    } catch (error) {
      if (error instanceof RpcError && error.code === TOO_BIG_HEIGHT) return null;
      throw error;
    }
  }

  async function transactionsIn(block: BlockId): Promise<ReadonlySet<string>> {
    const answer = await rpc.call('get_block', { height: block.height });
    const header = minedBlock(member(answer, 'block_header'));
    if (header.hash !== block.hash)
      throw new NodeLagging(`another block stands at height ${block.height} than before`);
    const others = member(answer, 'tx_hashes') ?? [];
    return new Set([header.minerTxid, ...list(others, 'tx_hashes').map((txid) => hash(txid, 'tx_hashes'))]);
  }

  /** Each transaction that the node knows: its height, or null while it waits. */
  async function known(txids: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
    const found = new Map<string, number | null>();
    for (const txs_hashes of inChunks(txids, TRANSACTIONS_AT_ONCE)) {
      const answer = await rpc.post('/get_transactions', { txs_hashes, prune: true });
      if (member(answer, 'status') !== 'OK') throw new NodeError('unusable answer: get_transactions');
      for (const entry of list(member(answer, 'txs') ?? [], 'txs')) {
        const waits = member(entry, 'in_pool') === true;
        const txid = hash(member(entry, 'tx_hash'), 'tx_hash');
        found.set(txid, waits ? null : wholeNumber(member(entry, 'block_height'), 'block_height'));
      }
    }
    return found;
  }

  return {
    label: rpc.label,
    isOn: async (network) => member(await rpc.call('get_info'), 'nettype') === NETTYPES[network],
    tip: async () => minedBlock(member(await rpc.call('get_last_block_header'), 'block_header')),
    blockAt,
    async blocks({ from, to }) {
      const answer = await rpc.call('get_block_headers_range', { start_height: from, end_height: to });
      const blocks = list(member(answer, 'headers'), 'headers').map(minedBlock);
      const linked = blocks.every(
        ({ height, parentHash }, position) =>
          height === from + position && (position === 0 || parentHash === blocks[position - 1]?.hash),
      );
      if (!linked || blocks.length !== to - from + 1) throw new NodeError('unusable answer: headers');
      return blocks;
    },
    transactionsIn,
    async place(txid) {
      const height = (await known([txid])).get(txid);
      if (height === undefined) return { state: 'unknown' };
      if (height === null) return { state: 'pending' };
      const block = await blockAt(height);
      if (block === null || !(await transactionsIn(block)).has(txid))
        throw new NodeLagging(`the chain was reorganised while ${txid} was looked up`);
      return { state: 'mined', height, blockHash: block.hash };
    },
    async inPool(txids) {
      const places = await known(txids);
      return new Set(txids.filter((txid) => places.get(txid) === null));
    },
  };
}

function minedBlock(header: unknown): MinedBlock {
  return {
    height: wholeNumber(member(header, 'height'), 'height'),
    hash: hash(member(header, 'hash'), 'hash'),
    parentHash: hash(member(header, 'prev_hash'), 'prev_hash'),
    time: wholeNumber(member(header, 'timestamp'), 'timestamp'),
    minerTxid: hash(member(header, 'miner_tx_hash'), 'miner_tx_hash'),
  };
}
