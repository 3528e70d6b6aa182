/**
 * Finds the slot of a block height. Nodes are asked by slot, and return the number of blocks
 * between two slots. Found pairs are cached, and checked against the block at each use, since one
 * may be of a lost branch.
 */
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { readHead } from '../head.ts';
import { headerOfSlot, type SlotBlock, slotsBetween, slotsFrom } from './blocks.ts';

export interface Heights {
  /** The block at `height`; null when the node's chain is shorter. */
  at(node: RpcNode, height: number): Promise<SlotBlock | null>;
  /**
   * Slots of the blocks `from` .. `to`, as far as the node has them; empty when it has not reached
   * `from`.
   */
  slots(node: RpcNode, range: { from: number; to: number }): Promise<readonly number[]>;
  remember(block: Pick<SlotBlock, 'height' | 'slot'>): void;
}

/** Blocks between two known ones that are listed in one call: some 250 KB. */
const LISTED_MAX = 20_000;
/** Average slots per block: more than one, since some are skipped. */
const SLOTS_PER_BLOCK = 1.05;
const GUESSES_MAX = 20;
const REMEMBERED_MAX = 5_000;

export function heightBook(): Heights {
  const known = new Map<number, number>();

  function remember({ height, slot }: Pick<SlotBlock, 'height' | 'slot'>): void {
    known.delete(height);
    known.set(height, slot);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
  }

  async function at(node: RpcNode, height: number): Promise<SlotBlock | null> {
    const slot = known.get(height);
    const remembered = slot === undefined ? null : await headerOfSlot(node, slot);
    if (remembered?.height === height) return remembered;
    known.delete(height);
    const { tip } = await readHead(node);
    if (height > tip.height) return null;
    const found = height === tip.height ? tip : await search(node, height, tip);
    remember(found);
    return found;
  }

  return {
    at,
    remember,
    async slots(node, { from, to }) {
      const first = await at(node, from);
      return first === null ? [] : slotsFrom(node, first.slot, to - from + 1);
    },
  };
}

/** From a later block, guesses approach the height until the rest can be listed. */
async function search(node: RpcNode, height: number, from: SlotBlock): Promise<SlotBlock> {
  let anchor = from;
  for (let guesses = 0; guesses < GUESSES_MAX; guesses++) {
    const distance = anchor.height - height;
    if (Math.abs(distance) <= LISTED_MAX) return listed(node, height, anchor);
    const guess = Math.max(0, anchor.slot - Math.round(distance * SLOTS_PER_BLOCK));
    const [slot] = await slotsFrom(node, guess, 1);
    const next = slot === undefined ? null : await headerOfSlot(node, slot);
    if (next === null) break;
    anchor = next;
  }
  throw new NodeLagging(`${node.label}: block ${height} could not be found`);
}

async function listed(node: RpcNode, height: number, anchor: SlotBlock): Promise<SlotBlock> {
  const slot =
    height >= anchor.height
      ? (await slotsFrom(node, anchor.slot, height - anchor.height + 1))[height - anchor.height]
      : await slotBefore(node, height, anchor);
  const found = slot === undefined ? null : await headerOfSlot(node, slot);
  if (found?.height === height) return found;
  throw new NodeLagging(`${node.label}: block ${height} could not be found, or the chain moved meanwhile`);
}

/** Counts back from a later block, over more and more slots until there are enough blocks. */
async function slotBefore(node: RpcNode, height: number, anchor: SlotBlock): Promise<number | undefined> {
  const blocks = anchor.height - height;
  for (let span = blocks + 8; ; span *= 2) {
    const from = Math.max(0, anchor.slot - span);
    const slots = await slotsBetween(node, from, anchor.slot);
    const slot = slots.at(-1 - blocks);
    if (slot !== undefined || from === 0 || span > LISTED_MAX * 16) return slot;
  }
}
