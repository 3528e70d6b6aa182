/**
 * A node over JSON-RPC, a merchant's own or a provider's: bitcoind, litecoind, Bitcoin Cash Node
 * and their relatives. No transaction index is needed.
 */
import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import type { BlockRef, TransactionStatus } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { bridged, type Lag } from '../../shared/nodes/lagging.ts';
import type { NodeBudget } from '../../shared/nodes/node-budget.ts';
import { NodeError, NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { type BlockBackend, decoded } from '../backend.ts';
import { decodeHeader } from '../codec/raw-block.ts';
import type { UtxoNetwork } from '../network.ts';
import { type SharedReading, waitingPayingAmongAll } from '../read/owed.ts';
import { type RecentTransactions, recentTransactions } from '../read/recent-transactions.ts';
import { bytesOfHex, hashIn, isTxid, wholeNumber } from './answers.ts';
import { rpcBroadcast } from './broadcast.ts';
import { minimumFeeRate, smartFeeRate, unitsOfCoins } from './fees.ts';
import { rpcSpender } from './spender.ts';

const INVALID_PARAMETER = -8;
/**
 * How many outputs of a transaction are looked for where their number is not known: one of the
 * first is usually unspent.
 */
const FIRST_OUTPUTS = 4;

export function rpcBackend(source: {
  network: UtxoNetwork;
  node: RpcNode;
  budget: Pick<NodeBudget, 'isMetered'>;
  lag?: Lag;
  /** Of all nodes of the chain. */
  reading?: SharedReading;
}): BlockBackend {
  const { network, budget, lag = {}, reading } = source;
  const node = bridgedNode(source.node, lag);
  const recent = recentTransactions(node);
  const blocks = {
    label: node.label,
    tip: rememberedTip(node),
    rawBlock: async (blockHash: string) => bytesOfHex(await node.call('getblock', blockHash, false)),
  };
  const shown = {
    mempool: {
      list: async () => list(await node.call('getrawmempool'), 'mempool').map(hashIn),
      isMetered: () => budget.isMetered,
    },
    rawTransactions: (txids: readonly string[]) => rawTransactions(node, txids),
  };
  const place: BlockBackend['place'] = (txid, outputs) => placeOf(node, recent, txid, outputs);
  return {
    ...blocks,
    ...shown,
    place,
    hashesAt: (heights) => hashesAt(node, heights),
    headerAt: async (height) => {
      const [blockHash] = await hashesAt(node, [height]);
      return blockHash == null ? null : { height, ...(await headerOf(node, blockHash)) };
    },
    unspent: (outpoint) => unspent(node, outpoint),
    waitingPaying: waitingPayingAmongAll(network, shown, reading),
    spentByWaiting: async ({ txid, vout }) => {
      const [confirmed, withWaiting] = await node.batch(
        [false, true].map((mempool) => ({ method: 'gettxout', params: [txid, vout, mempool] })),
      );
      return confirmed != null && withWaiting == null;
    },
    spender: rpcSpender({ network, ...blocks }),
    feeRate: (within) => smartFeeRate(node, within),
    minimumFeeRate: () => minimumFeeRate(node),
    broadcast: (raw) =>
      rpcBroadcast({
        network,
        node,
        raw,
        place,
        waits: (txid) => waits(node, txid),
        inBlock: async (outpoint) => (await unspent(node, outpoint)) !== null,
      }),
  };
}

/**
 * Asks again for a while where a machine of the node lacks the block whose hash another one told.
 * What waits, and what is unspent, is answered by any machine as it is there.
 */
function bridgedNode(node: RpcNode, lag: Lag): RpcNode {
  const lacks = (error: unknown) => error instanceof RpcError && /block not found/i.test(error.message);
  const call: RpcNode['call'] = (...asked) => bridged(() => node.call(...asked), { ...lag, lacks });
  return { ...node, call };
}

/** One call while there is no other block: the hash stands for its height and its parent, too. */
function rememberedTip(node: RpcNode): () => Promise<BlockRef> {
  let newest: BlockRef | null = null;
  return async () => {
    const blockHash = hashIn(await node.call('getbestblockhash'));
    if (newest?.hash !== blockHash)
      newest = { height: await heightOf(node, blockHash), ...(await headerOf(node, blockHash)) };
    return newest;
  };
}

async function hashesAt(node: RpcNode, heights: readonly number[]): Promise<readonly (string | null)[]> {
  const outcomes = await node.outcomes(
    heights.map((height) => ({ method: 'getblockhash', params: [height] })),
  );
  return outcomes.map((outcome) => {
    if ('result' in outcome) return hashIn(outcome.result);
    if (outcome.error.code === INVALID_PARAMETER) return null;
    throw outcome.error;
  });
}

async function headerOf(node: RpcNode, blockHash: string): Promise<Omit<BlockRef, 'height'>> {
  const bytes = bytesOfHex(await node.call('getblockheader', blockHash, false));
  const read = decoded(node.label, () => decodeHeader(bytes));
  if (read.hash !== blockHash) throw new NodeError(`${node.label}: answered another header than asked`);
  return read;
}

async function heightOf(node: RpcNode, blockHash: string): Promise<number> {
  return wholeNumber(fields(await node.call('getblockheader', blockHash, true), 'header').height);
}

async function rawTransactions(
  node: RpcNode,
  txids: readonly string[],
): Promise<readonly (Uint8Array | null)[]> {
  const outcomes = await node.outcomes(
    txids.map((txid) => ({ method: 'getrawtransaction', params: [txid, false] })),
  );
  return outcomes.map((outcome) => {
    if ('result' in outcome) return bytesOfHex(outcome.result);
    if (isNotFound(outcome.error)) return null;
    throw outcome.error;
  });
}

/** Tries the index, the mempool, the newest blocks, and the unspent outputs, in this order. */
async function placeOf(
  node: RpcNode,
  recent: RecentTransactions,
  txid: string,
  outputs = FIRST_OUTPUTS,
): Promise<TransactionStatus> {
  if (!isTxid(txid)) return { state: 'unknown' };
  const known = await found(node.call('getrawtransaction', txid, true));
  // An index keeps what a reorganisation removed, some without its block: neither is proof of
  // anything.
  const blockHash = known === null ? null : fields(known, 'transaction').blockhash;
  const indexed = blockHash == null ? null : await placeInBlock(node, hashIn(blockHash));
  if (indexed !== null) return indexed;
  if (await waits(node, txid)) return { state: 'pending' };
  const newBlock = await recent.blockOf(txid);
  const mined = newBlock === null ? null : await placeInBlock(node, newBlock);
  return mined ?? (await placeByUtxos(node, txid, outputs)) ?? { state: 'unknown' };
}

/**
 * Null where the block is not canonical. The hash at its height tells: some nodes give blocks of a
 * dead branch confirmations.
 */
async function placeInBlock(node: RpcNode, blockHash: string): Promise<TransactionStatus | null> {
  const at = await heightOf(node, blockHash);
  const [canonical] = await hashesAt(node, [at]);
  return canonical === blockHash ? { state: 'mined', height: at, blockHash } : null;
}

async function waits(node: RpcNode, txid: string): Promise<boolean> {
  return (await found(node.call('getmempoolentry', txid))) !== null;
}

async function placeByUtxos(node: RpcNode, txid: string, outputs: number): Promise<TransactionStatus | null> {
  const answers = await unspentAnswers(
    node,
    Array.from({ length: outputs }, (_, vout) => ({ txid, vout })),
  );
  const utxo = await readUnspent(
    node,
    answers.find((answer) => answer !== null),
  );
  if (utxo === null) return null;
  const [blockHash] = await hashesAt(node, [utxo.height]);
  if (blockHash == null) throw new NodeLagging('was reorganised while a transaction was looked up');
  return { state: 'mined', height: utxo.height, blockHash };
}

async function unspent(node: RpcNode, outpoint: Outpoint): Promise<{ height: number; units: bigint } | null> {
  const [answer] = await unspentAnswers(node, [outpoint]);
  return readUnspent(node, answer);
}

/** Of outputs in blocks, whatever waits. */
function unspentAnswers(node: RpcNode, outpoints: readonly Outpoint[]): Promise<readonly unknown[]> {
  return node.batch(outpoints.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] })));
}

async function readUnspent(
  node: RpcNode,
  answer: unknown,
): Promise<{ height: number; units: bigint } | null> {
  if (answer == null) return null;
  const { bestblock, confirmations, value } = fields(answer, 'gettxout');
  const height = (await heightOf(node, hashIn(bestblock))) - wholeNumber(confirmations) + 1;
  return { height, units: unitsOfCoins(value) };
}

/** The answer, or null when the node says that it has no such transaction. */
async function found(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/**
 * bitcoind: -5; bcash: -1 with these words. Any other refusal (a node that is starting) tells
 * nothing about the transaction.
 */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return error.code === -5 || (error.code === -1 && /not (found|in mempool)/.test(error.message));
}
