/**
 * Transfer logs of blocks, checked against the filters in the blocks' headers (safety.md R2): a
 * node whose index of logs is behind its blocks returns an empty list and no error.
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { list } from '../../shared/nodes/answers.ts';
import { NodeError, NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { log, type NodeBlock, type NodeLog, type ReceiptLogs, receiptLogs } from '../decode.ts';
import { hexHeight } from './block-reader.ts';
import { accountFor, admits } from './logs-bloom.ts';
import type { ReceiptReader } from './receipts.ts';
import { TRANSFER_TOPIC } from './transfers.ts';

/**
 * Transfer logs of `contracts` per block. NodeLagging when a filter admits logs that the node
 * neither shows nor disproves by receipts. A log may name a transaction that its block does not
 * list (safety.md R3).
 */
export async function readLogs(
  node: RpcNode,
  { blocks, contracts, held }: LogsWanted,
  { chain, logger, receipts }: { chain: string; logger: Logger; receipts: ReceiptReader },
): Promise<readonly (readonly NodeLog[])[]> {
  if (contracts.length === 0) return blocks.map(() => []);
  const told = await toldLogs(node, { blocks, contracts, held });
  const open = blocks.filter((block) => block.logsBloom !== null && isOpen(block, told, held));
  const logged = await logsByReceipts(node, open, receipts);
  const missed = open.filter(({ hash }, position) => {
    const transfers = logged[position]!.filter(
      ({ contract, topics }) => contracts.includes(contract) && topics[0] === TRANSFER_TOPIC,
    );
    const isShort = transfers.length > (told.get(hash)?.length ?? 0);
    told.set(hash, transfers);
    return isShort;
  });
  if (missed.length > 0)
    logger.warn('node.logs_missing', {
      ...{ chain, node: node.label, height: missed[0]!.height },
      blocks: missed.length,
    });
  return blocks.map(({ hash }) => told.get(hash) ?? []);
}

interface LogsWanted {
  readonly blocks: readonly NodeBlock[];
  /** Lower case. */
  readonly contracts: readonly string[];
  /**
   * Contracts of which no log may be left out. Filters admit what is not there, so each contract
   * more costs receipts.
   */
  readonly held: readonly string[];
}

type ByHash = ReadonlyMap<string, readonly NodeLog[]>;

/**
 * Whether the block may have logs of a contract for which none were returned. Without a filter:
 * whether it has transactions.
 */
function isOpen(
  { hash, logsBloom, transactions }: NodeBlock,
  told: ByHash,
  contracts: readonly string[],
): boolean {
  if (logsBloom === null) return transactions.length > 0 && !told.has(hash);
  return contracts.some(
    (contract) =>
      admits(logsBloom, [contract, TRANSFER_TOPIC]) &&
      !told.get(hash)?.some((each) => each.contract === contract),
  );
}

/**
 * Whether a block with this filter may have transfers of one of `contracts`; null: its header shows
 * none.
 */
export function mayHaveTransfers(logsBloom: string | null, contracts: readonly string[]): boolean {
  return contracts.some((contract) => logsBloom === null || admits(logsBloom, [contract, TRANSFER_TOPIC]));
}

/**
 * The logs in the node's index. Blocks without any are asked again by hash: a node that lacks the
 * block then says so.
 */
async function toldLogs(
  node: RpcNode,
  { blocks, contracts, held }: LogsWanted,
): Promise<Map<string, readonly NodeLog[]>> {
  const asked = blocks.filter(({ transactions }) => transactions.length > 0);
  const told = asked.length > 1 ? await logsOver(node, asked, contracts) : null;
  const rest = told === null ? asked : asked.filter((block) => isOpen(block, told, held));
  return new Map([...(told ?? []), ...(await logsByHash(node, rest, contracts))]);
}

/** In one call; null where the node refuses a range of this size. */
async function logsOver(
  node: RpcNode,
  blocks: readonly NodeBlock[],
  contracts: readonly string[],
): Promise<ByHash | null> {
  const [fromBlock, toBlock] = [blocks[0]!, blocks.at(-1)!].map(({ height }) => hexHeight(height));
  const [outcome] = await node.outcomes([
    { method: 'eth_getLogs', params: [{ fromBlock, toBlock, address: contracts, topics: [TRANSFER_TOPIC] }] },
  ]);
  if ('error' in outcome!) return null;
  const logs = Map.groupBy(list(outcome!.result, 'logs').map(log), ({ blockHash }) => blockHash);
  const hashes = new Set(blocks.map(({ hash }) => hash));
  if (![...logs.keys()].every((hash) => hashes.has(hash)))
    throw new ChainUnavailable('the chain was reorganised while its logs were read');
  return logs;
}

async function logsByHash(
  node: RpcNode,
  blocks: readonly NodeBlock[],
  contracts: readonly string[],
): Promise<ByHash> {
  const answers = await node.batch(
    blocks.map(({ hash: blockHash }) => ({
      method: 'eth_getLogs',
      params: [{ blockHash, address: contracts, topics: [TRANSFER_TOPIC] }],
    })),
  );
  return new Map(
    blocks.map(({ hash }, position) => {
      const logs = list(answers[position], 'logs').map(log);
      if (!logs.every(({ blockHash }) => blockHash === hash))
        throw new NodeError('unusable answer: a log of another block');
      return [hash, logs];
    }),
  );
}

/** All logs of each block by its receipts, which must account for the filter. */
async function logsByReceipts(
  node: RpcNode,
  blocks: readonly NodeBlock[],
  receipts: ReceiptReader,
): Promise<readonly (readonly NodeLog[])[]> {
  const told = await receipts.ofBlocks(node, blocks);
  return blocks.map((block, position) => checkedLogs(block, told[position]!.map(receiptLogs)));
}

function checkedLogs(block: NodeBlock, receipts: readonly ReceiptLogs[]): readonly NodeLog[] {
  if (!receipts.every(({ blockHash }) => blockHash === block.hash))
    throw new ChainUnavailable('the chain was reorganised while it was read');
  const logs = receipts.flatMap((each) => each.logs);
  const shown = new Set(receipts.map(({ txid }) => txid));
  const items = logs.flatMap(({ contract, topics }) => [contract, ...topics]);
  const areAll = block.transactions.every(({ hash }) => shown.has(hash));
  if (!areAll || !accountFor(block.logsBloom ?? '0x', items))
    throw new NodeLagging(`shows only a part of what block ${block.height} logged`);
  return logs;
}
