/**
 * Decides when to poll a chain whose nodes announce heads. An announcement is only a reason to poll
 * (safety.md R11): whatever arrives, and however often, the chain is polled hardly more often than
 * without; and if none arrives, it is polled as usual.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import type { ChainHeads } from '../../ports/chains/chain-heads.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { HeardScanner } from './latest-head.ts';

/** Heads that are closer together than this part of the pause between polls do not cause polls. */
const APART = 3 / 4;
/** The weight of the newest gap in the mean of the gaps between heads. */
const NEWEST_GAP = 1 / 4;
/** A gap counts as at most this many pauses: a long silence must not allow a burst of polls. */
const GAP_MOST = 2;
/**
 * A lagging machine of the node may have answered: this part of the pause later there is one more
 * poll.
 */
const AGAIN_AFTER = 1 / 4;
/** With announced heads the next poll waits at most this many pauses for one. */
const RARER = 2;

export interface ToldHeads {
  /** Milliseconds from the end of a poll to the next one without an announcement. */
  everyMs(): number;
  /** Calls `due` whenever it is time to poll, until `stopping` is aborted. */
  listen(due: () => void, stopping: AbortSignal): void;
  /** Polls with `work`. */
  look(work: () => Promise<void>): Promise<void>;
}

export function toldHeads(
  { clock, timers }: Pick<AppDependencies, 'clock' | 'timers'>,
  source: {
    chain: Chain;
    streams: ChainHeads;
    /** Between two polls, in milliseconds. */
    pollMs: number;
    /** The last tip that a node returned. */
    heard: HeardScanner['heard'];
  },
): ToldHeads {
  const { chain, streams, pollMs, heard } = source;
  let due = (): void => {};
  let toldAt = Number.NEGATIVE_INFINITY;
  let meanGapMs = pollMs;
  /** The height announced last, and whether a poll should look for it now. */
  let newest = -1;
  let isWanted = false;
  /** Whether the last such poll found its head. */
  let wasThere = true;
  /** The tip at the last poll. */
  let tipHeight = -1;
  let notAgain = (): void => {};

  const rareMs = RARER * Math.max(pollMs, chain.pollMs);
  const areApart = (): boolean => meanGapMs >= pollMs * APART;
  /** A stream may repeat one head for ever, or announce those of another chain. */
  const isToldLately = (): boolean => Math.abs(clock.now().getTime() - toldAt) < rareMs;

  function told(height: number | null): void {
    if (height !== null && (height <= tipHeight || height === newest)) return;
    newest = height ?? newest;
    const now = clock.now().getTime();
    // A clock that was set back gives no usable gap.
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
