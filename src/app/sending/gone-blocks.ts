/**
 * Which of the blocks that settled transfers have left the chain. A block above that is there says
 * so of one below only if both were asked for together: transfers are settled while blocks leave,
 * so a block of the former chain may stand below one of the present chain.
 */
import type { Block } from '../../domain/sending/outgoing.ts';
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import { inLanes } from '../shared/in-lanes.ts';

/** What was seen in the last look: `top` was there, and then `below` were there, too. */
interface Seen {
  readonly top: string;
  readonly below: ReadonlySet<string>;
}

/**
 * Hashes of those of `blocks` that are gone; empty when no node knows. `blocks` are of ascending
 * heights. While the highest block is there, only those are asked for that were not yet.
 */
export function goneBlocks(
  sender: Pick<ChainSender, 'onChain'>,
): (blocks: readonly Block[]) => Promise<ReadonlySet<string>> {
  let seen: Seen | null = null;

  return async (blocks) => {
    const left = new Map(blocks.toReversed().map((block) => [block.hash, block]));
    const there = new Set<string>();
    const gone = new Set<string>();
    const ask = async (block: Block): Promise<boolean | null> => {
      left.delete(block.hash);
      const answer = await sender.onChain(block);
      if (answer !== null) (answer ? there : gone).add(block.hash);
      return answer;
    };

    const top = await highest(left, ask);
    if (top === null) return gone;
    const former = seen === null ? undefined : left.get(seen.top);
    if (former !== undefined) await ask(former);
    // What was there together with a block that is still there has not left.
    if (seen !== null && there.has(seen.top))
      for (const hash of seen.below) if (left.delete(hash)) there.add(hash);
    await inLanes([...left.values()], async (block) => void (await ask(block)));
    seen = { top, below: there };
    return gone;
  };
}

/** The highest block that is there; null when there is none, or no node knows of a higher one. */
async function highest(
  left: ReadonlyMap<string, Block>,
  ask: (block: Block) => Promise<boolean | null>,
): Promise<string | null> {
  for (const block of [...left.values()]) {
    const answer = await ask(block);
    if (answer !== false) return answer ? block.hash : null;
  }
  return null;
}
