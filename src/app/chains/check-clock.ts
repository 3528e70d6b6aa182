/**
 * Holds the machine's clock against the chains' own time (safety.md K7): by the newest blocks, when they are first seen. Nothing
 * that costs money goes by a clock that is wrong, but customers see it, prices are judged by it, and on some chains nothing is sent.
 */
import { chainNamed } from '../../domain/catalog/chain.ts';
import { isMined } from '../../domain/catalog/family.ts';
import { type ChainScanner, ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { AppDependencies } from '../dependencies.ts';

/** More than a chain of short blocks and a sound clock are ever apart. */
const APART_SECONDS = 60;
/** Miners may name a time up to two hours away from theirs (consensus rules of Bitcoin and Monero). */
const APART_SECONDS_MINED = 7_200;
/** One new block of an odd time proves nothing. */
const TIMES_IN_A_ROW = 3;

type Head = Pick<ChainScanner, 'head'>;

interface Sample {
  readonly chain: string;
  /** By how much the clock is ahead. */
  readonly seconds: number;
}

/** Each call asks all chains once; it says when they begin to differ from the clock, and when they agree again. */
export function clockCheck(
  deps: Pick<AppDependencies, 'clock' | 'logger'>,
  chains: ReadonlyMap<string, Head>,
): () => Promise<void> {
  const tips = new Map<string, string>();
  let inARow = 0;
  let told = false;

  /** Null for a chain whose tip is the one that was seen before, or not seen before at all: nobody knows how old it was then. */
  async function sampleOf(chain: string, scanner: Head): Promise<Sample | null> {
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
    if (inARow >= TIMES_IN_A_ROW && !told)
      deps.logger.error('clock.differs', { aheadSeconds: seconds, chains: samples.map((one) => one.chain) });
    if (!apart && told) deps.logger.info('clock.agrees');
    told = apart && (told || inARow >= TIMES_IN_A_ROW);
  };
}

/** Of two the one that is closer to the clock: a single node that is behind is no wrong clock. */
function middleOf(samples: readonly Sample[]): Sample | null {
  const sorted = samples.toSorted((a, b) => a.seconds - b.seconds);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) return null;
  return Math.abs(low.seconds) <= Math.abs(high.seconds) ? low : high;
}

async function tipOf(scanner: Head) {
  try {
    return (await scanner.head({ finality: false })).tip;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}
