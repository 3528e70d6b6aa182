/**
 * Reads a range of blocks in pieces that suit the node (safety.md R1). A piece that fails is
 * halved, down to one block, and earlier pieces are kept. Pieces with many bytes become shorter,
 * and all grow again with success.
 */
import type { ChainNodes } from '../../../../ports/chains/chain-nodes.ts';
import {
  type BlockId,
  type ChainScanner,
  ChainUnavailable,
  followedBy,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';

/** Of the answers to one piece: parsed, they take some ten times as much memory. */
const PIECE_BYTES_MAX = 16 * 1024 * 1024;

export function readInPieces(scanner: ChainScanner, nodes: Pick<ChainNodes, 'standings'>): ChainScanner {
  let size = scanner.maxRange;
  const bytesSoFar = (): number => nodes.standings().reduce((sum, { used }) => sum + used.bytes, 0);

  function learn(blocks: number, bytes: number): void {
    const fitting = bytes <= 0 ? scanner.maxRange : Math.floor((PIECE_BYTES_MAX * blocks) / bytes);
    size = Math.max(1, Math.min(scanner.maxRange, size * 2, fitting));
  }

  return {
    ...scanner,
    async blocks({ from, to, after }, watch) {
      const read: ScannedBlock[] = [];
      for (let next = from; next <= to; ) {
        const piece = { from: next, to: Math.min(to, next + size - 1), ...afterIn(read, after) };
        const before = bytesSoFar();
        try {
          const blocks = await scanner.blocks(piece, watch);
          const [last, first] = [read.at(-1), blocks[0]];
          // Another branch than that of the earlier pieces: the next call will show it.
          if (last !== undefined && (first === undefined || followedBy(first) !== last.hash)) return read;
          read.push(...blocks);
          next = (blocks.at(-1)?.height ?? piece.to) + 1;
          learn(next - piece.from, bytesSoFar() - before);
        } catch (error) {
          if (!(error instanceof ChainUnavailable)) throw error;
          if (read.length > 0) {
            size = Math.max(1, Math.floor(size / 2));
            return read;
          }
          if (piece.to === piece.from) throw error;
          size = Math.max(1, Math.floor((piece.to - piece.from + 1) / 2));
        }
      }
      return read;
    },
  };
}

/** Of the next piece, where blocks may be left out. */
function afterIn(read: readonly ScannedBlock[], first: BlockId | undefined): { after?: BlockId } {
  const after = read.at(-1) ?? first;
  return first === undefined || after === undefined
    ? {}
    : { after: { height: after.height, hash: after.hash } };
}
