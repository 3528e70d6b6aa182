/**
 * Which node returned which of the blocks that were read last: it need not be asked for them again.
 */
import type { BlockRange, ScannedBlock } from '../../../../ports/chains/chain-scanner.ts';
import { heightsOf } from './block-range.ts';

/** Blocks that wait for their comparison with another node. */
const REMEMBERED = 2_000;

export interface ToldBlocks {
  /** Notes blocks that follow on those that were read before. */
  note(label: string, range: BlockRange, blocks: readonly ScannedBlock[]): void;
  /** The first height that was read; null before that. */
  begun(): number | null;
  /** All blocks of the range, if this node returned them; else null. */
  by(label: string, range: BlockRange): readonly ScannedBlock[] | null;
}

export function toldBlocks(): ToldBlocks {
  const told = new Map<number, { readonly label: string; readonly block: ScannedBlock }>();
  let begun: number | null = null;
  return {
    note(label, { from, after }, blocks) {
      // Without `after` the blocks are read again, for another purpose.
      if (after === undefined) return;
      begun ??= from;
      for (const block of blocks) {
        told.delete(block.height);
        told.set(block.height, { label, block });
      }
      for (const height of told.keys()) {
        if (told.size <= REMEMBERED) return;
        told.delete(height);
      }
    },
    begun: () => begun,
    by(label, { from, to }) {
      const heights = heightsOf({ from, to });
      const blocks = heights.flatMap((height) => told.get(height) ?? []);
      const all = blocks.length === heights.length && blocks.every((each) => each.label === label);
      return all ? blocks.map(({ block }) => block) : null;
    },
  };
}
