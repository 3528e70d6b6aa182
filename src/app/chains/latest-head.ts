/** Notes the newest tip that a chain's nodes told, whoever asked them. */
import type { BlockRef, ChainScanner } from '../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../ports/runtime/clock.ts';

export interface HeardHead {
  readonly tip: BlockRef;
  /** By our clock. */
  readonly at: Date;
}

export interface HeardScanner {
  /** The same scanner. */
  readonly scanner: ChainScanner;
  /** Null before a node has answered. */
  heard(): HeardHead | null;
}

export function hearing(scanner: ChainScanner, clock: Clock): HeardScanner {
  let last: HeardHead | null = null;
  return {
    scanner: {
      ...scanner,
      async head(asked) {
        const head = await scanner.head(asked);
        last = { tip: head.tip, at: clock.now() };
        return head;
      },
    },
    heard: () => last,
  };
}
