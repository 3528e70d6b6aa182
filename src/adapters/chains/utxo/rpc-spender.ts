/**
 * Who spent an output, for nodes that keep no list of that: the newest blocks are read from the tip downwards. Asked only when a
 * coin is gone and none of our own transactions is found: which happens when somebody else has our keys.
 */
import type { RpcNode } from '../shared/rpc-node.ts';
import { bytesOfHex, hashIn, wholeNumber } from './answers.ts';
import { decoded, type Spender } from './backend.ts';
import type { UtxoNetwork } from './network.ts';
import { decodeBlock } from './raw-block.ts';
import type { Outpoint } from './transaction.ts';

/** A day of Bitcoin. */
const BLOCKS = 144;

export async function rpcSpender(question: {
  network: UtxoNetwork;
  node: RpcNode;
  outpoints: readonly Outpoint[];
}): Promise<Spender | null> {
  const { network, node, outpoints } = question;
  const wanted = new Set(outpoints.map(({ txid, vout }) => `${txid}:${vout}`));
  const top = wholeNumber(await node.call('getblockcount'));
  let hash = hashIn(await node.call('getblockhash', top));
  for (let height = top; height > Math.max(0, top - BLOCKS); height--) {
    const bytes = bytesOfHex(await node.call('getblock', hash, false));
    const { transactions, parentHash } = decoded(node.label, () => decodeBlock(network, bytes));
    const spender = transactions.find((transaction) =>
      transaction.inputs().some(({ txid, vout }) => wanted.has(`${txid}:${vout}`)),
    );
    if (spender !== undefined) return { txid: spender.txid(), block: { height, hash } };
    hash = parentHash;
  }
  return null;
}
