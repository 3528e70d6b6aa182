/**
 * The blocks after the one that was read last. Their slots are listed from there on, so its own
 * slot is not looked up again. Once all is read, the list also shows whether there is a new tip,
 * whose block is then already fetched.
 */
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { type BlockAnswer, readSlot, type SlotBlock, slotsFrom } from './blocks.ts';
import type { Heights } from './heights.ts';

/** How blocks are found and read. */
export interface BlockSource {
  /**
   * Slots of the blocks `from` .. `to`, as far as the node has them. Reading them shows whether
   * they are the right ones.
   */
  slots(node: RpcNode, range: { from: number; to: number }): Promise<readonly number[]>;
  /** The block of the slot, with its transactions. */
  read(node: RpcNode, slot: number): Promise<BlockAnswer>;
}

export interface NewestBlocks extends BlockSource {
  /** The node's best block, where the following blocks show it; else null. */
  tip(node: RpcNode): Promise<SlotBlock | null>;
  /**
   * Notes that blocks up to `block` were read, of a chain whose tip was last seen at height `tip`.
   */
  readTo(block: SlotBlock, tip: number): void;
  /** Notes that the list could not be read: another node must list it anew. */
  unlist(): void;
  /** Notes that the blocks that were read are of another branch than those that follow. */
  forget(): void;
}

/** Reads each block on its own. */
export function singleBlocks(heights: Heights): BlockSource {
  return { slots: heights.slots, read: (node, slot) => readSlot(node, slot, 'accounts') };
}

/** Slots per list: usually some fifteen are new at the tip. */
const LISTED_AT_TIP = 64;
const LISTED_BEHIND = 500;

export function newestBlocks(heights: Heights): NewestBlocks {
  const single = singleBlocks(heights);
  let last: SlotBlock | null = null;
  let isNear = false;
  /** Of blocks up to and after `last`, without a gap. */
  let listed: readonly number[] = [];
  let kept: Extract<BlockAnswer, { kind: 'block' }> | null = null;

  function unlist(): void {
    listed = [];
    kept = null;
  }

  function forget(): void {
    unlist();
    last = null;
  }

  /**
   * The last of the slots whose block the node can show: some are announced before their blocks.
   */
  async function newestOf(node: RpcNode, slots: readonly number[]): Promise<typeof kept> {
    for (const slot of slots.toReversed()) {
      const answer = await single.read(node, slot);
      if (answer.kind === 'block') return answer;
    }
    return null;
  }

  /**
   * Null where they do not show it: there are none, more than were listed, or they are of another
   * branch.
   */
  async function tipAfter(node: RpcNode, { slot, height }: SlotBlock): Promise<SlotBlock | null> {
    const slots = await slotsFrom(node, slot + 1, LISTED_AT_TIP);
    listed = slots;
    if (slots.length === LISTED_AT_TIP) return null;
    const newest = await newestOf(node, slots);
    kept = newest;
    if (newest === null) return null;
    const { block } = newest;
    if (block.height === height + slots.indexOf(block.slot) + 1) return block;
    forget();
    return null;
  }

  return {
    unlist,
    forget,
    async tip(node) {
      kept = null;
      return last !== null && isNear ? tipAfter(node, last) : null;
    },
    async slots(node, range) {
      const { from, to } = range;
      if (last === null || from !== last.height + 1) return single.slots(node, range);
      const { slot } = last;
      const count = to - from + 1;
      const ready = listed.filter((each) => each > slot);
      if (ready.length >= count) return ready.slice(0, count);
      const slots = await slotsFrom(node, slot + 1, LISTED_BEHIND);
      listed = slots;
      return slots.slice(0, count);
    },
    read: async (node, slot) => (kept?.block.slot === slot ? kept : single.read(node, slot)),
    readTo(block, tip) {
      last = block;
      isNear = tip - block.height < LISTED_AT_TIP / 2;
      // Frees megabytes that were read.
      if (kept?.block.slot === block.slot) kept = null;
    },
  };
}
