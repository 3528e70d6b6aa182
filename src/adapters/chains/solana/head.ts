/** The best confirmed block of a node, and the height up to which its blocks are final. */
import { NodeBehind } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { wholeNumber } from './answers.ts';
import { CONFIRMED, FINALIZED, headerOfSlot, type SlotBlock, slotsBetween } from './blocks.ts';

export interface SlotHead {
  readonly tip: SlotBlock;
  readonly finalizedHeight: number;
}

/** A slot is told before its block can be read: then the best of the slots before it is the tip. */
const SLOTS_BACK = 32;

/** `newest`: the best block, where it is known already. */
export async function readHead(node: RpcNode, newest: SlotBlock | null = null): Promise<SlotHead> {
  if (newest !== null) {
    const finalized = wholeNumber(await node.call('getBlockHeight', FINALIZED), 'block height');
    return { tip: newest, finalizedHeight: Math.min(finalized, newest.height) };
  }
  const [slotAnswer, heightAnswer] = await node.batch([
    { method: 'getSlot', params: [CONFIRMED] },
    { method: 'getBlockHeight', params: [FINALIZED] },
  ]);
  const finalized = wholeNumber(heightAnswer, 'block height');
  const tip = await bestUpTo(node, wholeNumber(slotAnswer, 'slot'));
  return { tip, finalizedHeight: Math.min(finalized, tip.height) };
}

/** The best block alone. */
export async function readTip(node: RpcNode): Promise<SlotBlock> {
  return bestUpTo(node, wholeNumber(await node.call('getSlot', CONFIRMED), 'slot'));
}

async function bestUpTo(node: RpcNode, slot: number): Promise<SlotBlock> {
  const newest = await headerOfSlot(node, slot);
  if (newest !== null) return newest;
  const before = await slotsBetween(node, Math.max(0, slot - SLOTS_BACK), Math.max(0, slot - 1));
  for (const candidate of before.toReversed()) {
    const block = await headerOfSlot(node, candidate);
    if (block !== null) return block;
  }
  throw new NodeBehind(`${node.label}: has no block near its slot ${slot}`);
}
