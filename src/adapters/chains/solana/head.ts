/** The best confirmed block of a node, and the height up to which its blocks are final. */
import { NodeLagging } from '../shared/nodes/node-errors.ts';
import type { RpcNode } from '../shared/nodes/rpc-node.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { wholeNumber } from './answers.ts';
import { CONFIRMED, FINALIZED, headerOfSlot, type SlotBlock, slotsBetween } from './read/blocks.ts';

export interface SlotHead {
  readonly tip: SlotBlock;
  readonly finalizedHeight: number;
}

/** A slot is announced before its block can be read. Then the newest earlier block is the tip. */
const SLOTS_BACK = 32;

/**
 * `newest`: the best block, if it is known already. `confirmations`: the least of a final block,
 * its own included, even if the node calls it finalized sooner.
 */
export async function readHead(
  node: RpcNode,
  {
    newest = null,
    confirmations = 1,
  }: { newest?: SlotBlock | null; confirmations?: number | undefined } = {},
): Promise<SlotHead> {
  const ofTip = (tip: SlotBlock, told: unknown): SlotHead => {
    const counted = finalizedByConfirmations(tip.height, confirmations);
    return { tip, finalizedHeight: Math.min(wholeNumber(told, 'block height'), counted) };
  };
  if (newest !== null) return ofTip(newest, await node.call('getBlockHeight', FINALIZED));
  const [slot, finalized] = await node.batch([
    { method: 'getSlot', params: [CONFIRMED] },
    { method: 'getBlockHeight', params: [FINALIZED] },
  ]);
  return ofTip(await bestUpTo(node, wholeNumber(slot, 'slot')), finalized);
}

/** Only the best block. */
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
  throw new NodeLagging(`${node.label}: has no block near its slot ${slot}`);
}
