/**
 * Compares the machine's clock with the chains' time (safety.md K7), by the newest blocks when they
 * are first seen. No decision about money depends on a wrong clock, but customers see it, prices
 * are judged by it, and some chains then send nothing.
 */
import { chainNamed } from '../../domain/catalog/chain.ts';
import { isMined } from '../../domain/catalog/family.ts';
import { type ChainScanner, ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { AppDependencies } from '../dependencies.ts';

/** More than the lag of a chain with short blocks and a correct clock. */
const APART_SECONDS = 60;
/** Miners may set a block's time up to two hours off (consensus rules of Bitcoin and Monero). */
const APART_SECONDS_MINED = 7_200;
/** The alarm repeats while it lasts. */
const REPEATED_MS = 3_600_000;
/**
 * Nobody sees it any more, then: whoever raised it is gone. Counted here from the first look at it:
 * it has the time of a clock that may be wrong.
 */
const FORSAKEN_MS = 2 * REPEATED_MS;
/** One new block with an odd time proves nothing. */
const TIMES_IN_A_ROW = 3;

type HeadReader = Pick<ChainScanner, 'head'>;

interface ClockSample {
  readonly chain: string;
  /** Seconds by which the clock is ahead. */
  readonly seconds: number;
}

/**
 * Each call asks all chains once; it logs when they start to differ from the clock, each hour while
 * they do, and when they agree again. Each machine has a clock of its own: the end of an alarm of
 * another process is logged once that one raises it no more.
 */
export function clockCheck(
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'unitOfWork'>,
  chains: ReadonlyMap<string, HeadReader>,
): () => Promise<void> {
  const tips = new Map<string, string>();
  let inARow = 0;
  /** When the alarm was last raised here; null: it is not. */
  let toldAtMs: number | null = null;
  const isForsaken = alarmsOfOthers(deps);

  /** Null if the chain's tip is unchanged, or is the first one seen: its age is then unknown. */
  async function sampleOf(chain: string, scanner: HeadReader): Promise<ClockSample | null> {
    const tip = await tipOf(scanner);
    const before = tips.get(chain);
    if (tip !== null) tips.set(chain, tip.hash);
    if (tip === null || before === undefined || before === tip.hash) return null;
    return { chain, seconds: Math.round(deps.clock.now().getTime() / 1000) - tip.time };
  }

  return async () => {
    const all = await Promise.all([...chains].map(([chain, scanner]) => sampleOf(chain, scanner)));
    const samples = all.flatMap((sample) => sample ?? []);
    const quick = samples.filter(({ chain }) => !isMined(chainNamed(chain).family));
    const { seconds, chain } = middleOf(quick.length > 0 ? quick : samples) ?? { seconds: 0, chain: null };
    if (chain === null) return;
    const apart = Math.abs(seconds) > (quick.length > 0 ? APART_SECONDS : APART_SECONDS_MINED);
    inARow = apart ? inARow + 1 : 0;
    const nowMs = deps.clock.now().getTime();
    if (inARow >= TIMES_IN_A_ROW && (toldAtMs === null || nowMs - toldAtMs >= REPEATED_MS)) {
      deps.logger.error('clock.differs', { aheadSeconds: seconds, chains: samples.map((one) => one.chain) });
      toldAtMs = nowMs;
    }
    if (apart) return;
    if (toldAtMs !== null || (await isForsaken(nowMs))) deps.logger.info('clock.agrees');
    toldAtMs = null;
  };
}

/** Whether an alarm is open that nobody raises any more. It looks once an hour. */
function alarmsOfOthers({ unitOfWork }: Pick<AppDependencies, 'unitOfWork'>) {
  let lookAtMs = 0;
  /** Its time, by the clock of whoever raised it, and when we first saw that. */
  let seen: { readonly raisedMs: number; readonly atMs: number } | null = null;
  return async (nowMs: number): Promise<boolean> => {
    if (nowMs < lookAtMs) return false;
    const [open] = await unitOfWork.run(({ operatorNotices }) => operatorNotices.openOf('clock.differs'));
    const raisedMs = open?.lastAt.getTime() ?? null;
    if (raisedMs !== seen?.raisedMs) seen = raisedMs === null ? null : { raisedMs, atMs: nowMs };
    lookAtMs = nowMs + REPEATED_MS;
    return seen !== null && nowMs - seen.atMs >= FORSAKEN_MS;
  };
}

/**
 * Of two samples the one closer to the clock: a single node that lags does not mean a wrong clock.
 */
function middleOf(samples: readonly ClockSample[]): ClockSample | null {
  const sorted = samples.toSorted((a, b) => a.seconds - b.seconds);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) return null;
  return Math.abs(low.seconds) <= Math.abs(high.seconds) ? low : high;
}

async function tipOf(scanner: HeadReader) {
  try {
    return (await scanner.head({ finality: false })).tip;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}
