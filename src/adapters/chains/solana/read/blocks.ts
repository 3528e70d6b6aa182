/**
 * Blocks by slot. The height of a ChainScanner is Solana's block height and not its slot: heights
 * have no holes, so linked blocks of consecutive heights prove that none is missing. A slot without
 * a block proves nothing: nodes return "skipped, or missing" for both.
 */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { address, wholeNumber } from '../answers.ts';

/**
 * The commitment of blocks that are read: two thirds of the stake voted for them. They are final
 * later (safety.md S7).
 */
export const CONFIRMED = { commitment: 'confirmed' } as const;
export const FINALIZED = { commitment: 'finalized' } as const;
/**
 * Version 1 is live. Without this parameter a node refuses a whole block that has one such
 * transaction.
 */
export const MAX_VERSION = { maxSupportedTransactionVersion: 1 } as const;

/** JSON-RPC errors of nodes, by code. */
const NOT_AVAILABLE_YET = [-32_004, -32_014];
const SKIPPED_OR_MISSING = [-32_007, -32_009];
const CLEANED_UP = -32_001;

export interface SlotBlock extends BlockRef {
  readonly slot: number;
}

export type BlockAnswer =
  | { readonly kind: 'block'; readonly block: SlotBlock; readonly transactions: readonly unknown[] }
  /** The slot has no known block: it was skipped, is on a lost branch, or is missing. */
  | { readonly kind: 'none' }
  /** The node has not reached the slot yet. */
  | { readonly kind: 'not_yet' };

/**
 * Reads the block of a slot, without its transactions or with their changes to accounts: the scan
 * needs nothing else. NodeLagging when the node does not keep blocks that old.
 */
export async function readSlot(
  node: RpcNode,
  slot: number,
  details: 'accounts' | 'none',
): Promise<BlockAnswer> {
  let answer: unknown;
  try {
    const wanted = { transactionDetails: details, rewards: false, encoding: 'json' };
    answer = await node.call('getBlock', slot, { ...CONFIRMED, ...MAX_VERSION, ...wanted });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (SKIPPED_OR_MISSING.includes(error.code)) return { kind: 'none' };
    if (NOT_AVAILABLE_YET.includes(error.code)) return { kind: 'not_yet' };
    if (error.code === CLEANED_UP)
      throw new NodeLagging(`${node.label}: does not keep slot ${slot} any more`);
    throw error;
  }
  // Some gateways return null where the node has an error.
  if (answer === null) return { kind: 'none' };
  const said = fields(answer, 'block');
  const block = {
    slot,
    height: wholeNumber(said.blockHeight, 'block height'),
    hash: address(said.blockhash, 'block hash'),
    parentHash: address(said.previousBlockhash, 'block parent'),
    time: wholeNumber(said.blockTime, 'block time'),
  };
  return {
    kind: 'block',
    block,
    transactions: details === 'none' ? [] : list(said.transactions, 'transactions'),
  };
}

/** The block without its transactions; null when there is none in the slot. */
export async function headerOfSlot(node: RpcNode, slot: number): Promise<SlotBlock | null> {
  const answer = await readSlot(node, slot, 'none');
  return answer.kind === 'block' ? answer.block : null;
}

/** Slots that have a block, ascending, from `from` on, at most `limit`. */
export async function slotsFrom(node: RpcNode, from: number, limit: number): Promise<readonly number[]> {
  const slots = slotsIn(await node.call('getBlocksWithLimit', from, limit, CONFIRMED), from);
  if (slots.length > limit) throw unusable('more slots than asked for');
  return slots;
}

/** Slots that have a block, ascending, `from` .. `to`. */
export async function slotsBetween(node: RpcNode, from: number, to: number): Promise<readonly number[]> {
  const slots = slotsIn(await node.call('getBlocks', from, to, CONFIRMED), from);
  if ((slots.at(-1) ?? from) > to) throw unusable('slots beyond what was asked for');
  return slots;
}

/** Each must be above the one before. */
function slotsIn(answer: unknown, from: number): readonly number[] {
  let least = from;
  return list(answer, 'slots').map((item) => {
    const slot = wholeNumber(item, 'slot');
    if (slot < least) throw unusable('slots out of order');
    least = slot + 1;
    return slot;
  });
}
