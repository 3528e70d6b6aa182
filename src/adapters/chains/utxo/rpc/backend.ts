/** A node over JSON-RPC, one's own or of a provider: bitcoind, litecoind, Bitcoin Cash Node and their relatives. No transaction index is needed. */
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
import { recentTransactions } from '../read/recent-transactions.ts';
import { bytesOfHex, hashIn, isTxid, wholeNumber } from './answers.ts';
import { rpcBroadcast } from './broadcast.ts';
import { minimumFeeRate, smartFeeRate, unitsOfCoins } from './fees.ts';
import { rpcSpender } from './spender.ts';

const INVALID_PARAMETER = -8;
/** Of a transaction that nobody knows more about, so many outputs are looked for: one of the first is usually unspent. */
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
  const { label } = node;
  const recent = recentTransactions(node);
  let newest: BlockRef | null = null;

  async function hashesAt(heights: readonly number[]): Promise<readonly (string | null)[]> {
    const outcomes = await node.outcomes(
      heights.map((height) => ({ method: 'getblockhash', params: [height] })),
    );
    return outcomes.map((outcome) => {
      if ('result' in outcome) return hashIn(outcome.result);
      if (outcome.error.code === INVALID_PARAMETER) return null;
      throw outcome.error;
    });
  }

  async function header(blockHash: string): Promise<Omit<BlockRef, 'height'>> {
    const bytes = bytesOfHex(await node.call('getblockheader', blockHash, false));
    const read = decoded(label, () => decodeHeader(bytes));
    if (read.hash !== blockHash) throw new NodeError(`${label}: answered another header than asked`);
    return read;
  }

  async function headerAt(height: number): Promise<BlockRef | null> {
    const [blockHash] = await hashesAt([height]);
    return blockHash == null ? null : { height, ...(await header(blockHash)) };
  }

  /** One call while there is no other block: a hash names it, its height and its parent. */
  async function tip(): Promise<BlockRef> {
    const blockHash = hashIn(await node.call('getbestblockhash'));
    if (newest?.hash !== blockHash)
      newest = { height: await heightOf(blockHash), ...(await header(blockHash)) };
    return newest;
  }

  async function heightOf(blockHash: string): Promise<number> {
    return wholeNumber(fields(await node.call('getblockheader', blockHash, true), 'header').height);
  }

  /** Some nodes say that blocks of a dead branch have confirmations: only the hash at the height tells. */
  async function placeInBlock(blockHash: string): Promise<TransactionStatus | null> {
    const at = await heightOf(blockHash);
    const [canonical] = await hashesAt([at]);
    return canonical === blockHash ? { state: 'mined', height: at, blockHash } : null;
  }

  async function waits(txid: string): Promise<boolean> {
    return (await found(node.call('getmempoolentry', txid))) !== null;
  }

  /** Whatever the mempool spends or has. */
  function unspentAnswers(outpoints: readonly Outpoint[]): Promise<readonly unknown[]> {
    return node.batch(
      outpoints.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] })),
    );
  }

  async function readUnspent(answer: unknown): Promise<{ height: number; units: bigint } | null> {
    if (answer == null) return null;
    const { bestblock, confirmations, value } = fields(answer, 'gettxout');
    const height = (await heightOf(hashIn(bestblock))) - wholeNumber(confirmations) + 1;
    return { height, units: unitsOfCoins(value) };
  }

  async function unspent(outpoint: Outpoint): Promise<{ height: number; units: bigint } | null> {
    const [answer] = await unspentAnswers([outpoint]);
    return readUnspent(answer);
  }

  async function placeByUtxos(txid: string, outputs: number): Promise<TransactionStatus | null> {
    const answers = await unspentAnswers(Array.from({ length: outputs }, (_, vout) => ({ txid, vout })));
    const coin = await readUnspent(answers.find((answer) => answer !== null));
    if (coin === null) return null;
    const [blockHash] = await hashesAt([coin.height]);
    if (blockHash == null) throw new NodeLagging('was reorganised while a transaction was looked up');
    return { state: 'mined', height: coin.height, blockHash };
  }

  async function place(txid: string, outputs = FIRST_OUTPUTS): Promise<TransactionStatus> {
    if (!isTxid(txid)) return { state: 'unknown' };
    const known = await found(node.call('getrawtransaction', txid, true));
    // An index keeps what a reorganisation removed, some without its block: neither is proof of anything.
    const blockHash = known === null ? null : fields(known, 'transaction').blockhash;
    const indexed = blockHash == null ? null : await placeInBlock(hashIn(blockHash));
    if (indexed !== null) return indexed;
    if (await waits(txid)) return { state: 'pending' };
    const newBlock = await recent.blockOf(txid);
    const mined = newBlock === null ? null : await placeInBlock(newBlock);
    return mined ?? (await placeByUtxos(txid, outputs)) ?? { state: 'unknown' };
  }

  const rawBlock = async (blockHash: string) => bytesOfHex(await node.call('getblock', blockHash, false));

  const shown = {
    mempool: {
      list: async () => list(await node.call('getrawmempool'), 'mempool').map(hashIn),
      isMetered: () => budget.isMetered,
    },
    rawTransactions: async (txids: readonly string[]) => {
      const outcomes = await node.outcomes(
        txids.map((txid) => ({ method: 'getrawtransaction', params: [txid, false] })),
      );
      return outcomes.map((outcome) => {
        if ('result' in outcome) return bytesOfHex(outcome.result);
        if (isNotFound(outcome.error)) return null;
        throw outcome.error;
      });
    },
  };

  return {
    label,
    rawBlock,
    hashesAt,
    headerAt,
    place,
    tip,
    ...shown,
    unspent,
    waitingPaying: waitingPayingAmongAll(network, shown, reading),
    spentByWaiting: async ({ txid, vout }) => {
      const [confirmed, withWaiting] = await node.batch(
        [false, true].map((mempool) => ({ method: 'gettxout', params: [txid, vout, mempool] })),
      );
      return confirmed != null && withWaiting == null;
    },
    spender: rpcSpender({ network, label, tip, rawBlock }),
    feeRate: (blocks) => smartFeeRate(node, blocks),
    minimumFeeRate: () => minimumFeeRate(node),
    broadcast: (raw) =>
      rpcBroadcast({
        network,
        node,
        raw,
        place,
        waits,
        inBlock: async (outpoint) => (await unspent(outpoint)) !== null,
      }),
  };
}

/** A block that it is asked for by its hash it told of: each of its machines has it soon. What waits, and what is unspent, is as fresh as ever. */
function bridgedNode(node: RpcNode, lag: Lag): RpcNode {
  const lacks = (error: unknown) => error instanceof RpcError && /block not found/i.test(error.message);
  const call: RpcNode['call'] = (...asked) => bridged(() => node.call(...asked), { ...lag, lacks });
  return { ...node, call };
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

/** bitcoind: -5; bcash: -1 with these words. Any other refusal (a node that is starting) tells nothing about the transaction. */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return error.code === -5 || (error.code === -1 && /not (found|in mempool)/.test(error.message));
}
