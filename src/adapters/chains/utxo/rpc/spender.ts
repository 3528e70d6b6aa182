/**
 * Who spent an output, for nodes that keep no list of that: blocks are read from the tip downwards,
 * some in each call; the next call goes on below them, down to the block that made the output.
 * Asked only when a coin is gone and none of our own transactions is found by its outputs: after a
 * long rest of ours, or when somebody else has our keys.
 */
import { boundedMap } from '../../../../domain/bounded-map.ts';
import { type Outpoint, outpointText } from '../../../../domain/chains/outpoint.ts';
import type { BlockBackend, Spender } from '../backend.ts';
import type { UtxoNetwork } from '../network.ts';
import { readBlock, spendingIn } from '../read/read-block.ts';

/**
 * A day of Bitcoin, and a month. An output that a reorganisation took away is looked for in vain.
 */
const BLOCKS_AT_ONCE = 144;
const BLOCKS_MAX = 4_320;
/** Searches that are remembered. */
const SEARCHES_MAX = 100;

interface Place {
  readonly hash: string;
  readonly height: number;
}

/** The blocks from `top` down to the one at `below`, that one not included, have no spender. */
interface Searched {
  readonly top: string;
  /** Null at the end of the search. */
  readonly below: Place | null;
  readonly blocks: number;
  /** Transactions that made the outputs, in none of the blocks. */
  readonly makers: readonly string[];
}

export function rpcSpender(
  source: Pick<BlockBackend, 'label' | 'tip' | 'rawBlock'> & { network: UtxoNetwork },
): BlockBackend['spender'] {
  const { network } = source;
  const searches = boundedMap<string, Searched>(SEARCHES_MAX);

  async function search(
    outpoints: readonly Outpoint[],
    before: Searched | undefined,
  ): Promise<{ searched: Searched; spender: Spender | null }> {
    const { hash: top, height } = await source.tip();
    let below: Place | null = { hash: top, height };
    let blocks = 0;
    let makers: readonly string[] = outpoints.map(({ txid }) => txid);
    for (let reads = 0; reads < BLOCKS_AT_ONCE && below !== null; reads++) {
      if (below.hash === before?.top) {
        blocks += before.blocks;
        makers = makers.filter((txid) => before.makers.includes(txid));
        below = before.below;
        if (below === null) break;
      }
      const here: Place = below;
      const block = await readBlock(network, source, here.hash);
      const txid = spendingIn(block, outpoints)?.txid();
      // The next call finds it here at once, unless the block has left the chain.
      if (txid !== undefined)
        return { searched: { top, below: here, blocks, makers }, spender: { txid, block: here } };
      const made = new Set(block.transactions.map((transaction) => transaction.txid()));
      makers = makers.filter((maker) => !made.has(maker));
      blocks += 1;
      const goesOn = here.height > 0 && blocks < BLOCKS_MAX && makers.length > 0;
      below = goesOn ? { hash: block.parentHash, height: here.height - 1 } : null;
    }
    return { searched: { top, below, blocks, makers }, spender: null };
  }

  return async (outpoints) => {
    const key = outpoints.map(outpointText).sort().join();
    const { searched, spender } = await search(outpoints, searches.get(key));
    searches.set(key, searched);
    return spender;
  };
}
