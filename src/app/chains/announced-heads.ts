/**
 * When a chain is looked at whose nodes tell its heads. What is told is only a reason to look (safety.md R11): whatever comes, and
 * however often, the chain is looked at hardly more often than by polling, and where nothing comes it is polled.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import type { ChainHeads } from '../../ports/chains/chain-heads.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { HeardScanner } from './latest-head.ts';

/** Heads that come closer together than this part of the pause between polls are left to the polls. */
const APART = 3 / 4;
/** What the newest gap counts in the mean of the gaps between heads. */
const NEWEST_GAP = 1 / 4;
/** A gap counts as so many pauses at most: a long silence must not make room for a crowd. */
const GAP_MOST = 2;
/** Another machine of the node may have answered, that lags: it is looked again after this part of the pause, once. */
const AGAIN_AFTER = 1 / 4;
/** Where new heads are told the next one is waited for, for so many pauses: then the chain is polled as if none were. */
const RARER = 2;

export interface ToldHeads {
  /** Milliseconds from the end of a look to the next one that nothing was told for. */
  everyMs(): number;
  /** Calls `due` whenever it is time to look, until `stopping` is aborted. */
  listen(due: () => void, stopping: AbortSignal): void;
  /** Looks by `work`. */
  look(work: () => Promise<void>): Promise<void>;
}

export function toldHeads(
  { clock, timers }: Pick<AppDependencies, 'clock' | 'timers'>,
  source: {
    chain: Chain;
    streams: ChainHeads;
    /** Between two polls, milliseconds. */
    pollMs: number;
    /** The tip that a node last told when it was asked. */
    heard: HeardScanner['heard'];
  },
): ToldHeads {
  const { chain, streams, pollMs, heard } = source;
  let due = (): void => {};
  let toldAt = Number.NEGATIVE_INFINITY;
  let meanGapMs = pollMs;
  /** The height that was told last, and whether it is to be looked for now. */
  let newest = -1;
  let isWanted = false;
  /** Whether the head of the last such look was there in the end. */
  let wasThere = true;
  /** The tip at the last look. */
  let tipHeight = -1;
  let notAgain = (): void => {};

  const rareMs = RARER * Math.max(pollMs, chain.pollMs);
  const areApart = (): boolean => meanGapMs >= pollMs * APART;
  /** A stream may tell the same one for ever, or those of another chain. */
  const isToldLately = (): boolean => Math.abs(clock.now().getTime() - toldAt) < rareMs;

  function told(height: number | null): void {
    if (height !== null && (height <= tipHeight || height === newest)) return;
    newest = height ?? newest;
    const now = clock.now().getTime();
    // A clock that was set back says nothing.
    const gapMs = Math.min(Math.abs(now - toldAt), GAP_MOST * pollMs);
    meanGapMs += (gapMs - meanGapMs) * NEWEST_GAP;
    toldAt = now;
    if (!areApart()) return;
    isWanted = true;
    due();
  }

  function looked(wasWanted: boolean): void {
    tipHeight = heard()?.tip.height ?? tipHeight;
    const isThere = newest <= tipHeight;
    if (!isThere && wasWanted && wasThere) notAgain = timers.after(pollMs * AGAIN_AFTER, due);
    if (isThere || wasWanted) wasThere = isThere;
  }

  return {
    everyMs: () => (streams.isAlive() && isToldLately() && areApart() ? rareMs : pollMs),
    listen(wake, stopping) {
      due = wake;
      stopping.addEventListener('abort', () => notAgain());
      streams.listen(told, stopping);
    },
    async look(work) {
      const wasWanted = isWanted;
      isWanted = false;
      try {
        await work();
      } finally {
        looked(wasWanted);
      }
    },
  };
}
