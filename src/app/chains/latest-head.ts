/** Remembers the newest tip that a chain's nodes returned to any caller. */
import type { BlockRef, ChainScanner } from '../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../ports/runtime/clock.ts';

export interface HeardHead {
  readonly tip: BlockRef;
  /** By the gateway's clock. */
  readonly at: Date;
}

export interface HeardScanner {
  /** The same scanner, observed. */
  readonly scanner: ChainScanner;
  /** Null before the first answer. */
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
