/**
 * The machines behind one address of a provider lag behind each other by up to some seconds (safety.md R10): what one of them does not
 * have yet, although another told of it, is asked again shortly.
 */
import { type BudgetTime, systemTime } from './call-log.ts';
import { NodeLagging, NodeLags } from './node-errors.ts';
import { hasteNow } from './urgency.ts';

export interface Lag {
  /** How long the slowest machine is waited for. Default: 5 seconds. */
  readonly lagMs?: number | undefined;
  readonly time?: Pick<BudgetTime, 'after'> | undefined;
}

const LAG_MS = 5_000;
const FIRST_PAUSE_MS = 250;
/** More than any chain makes in that time. */
const LATE_BLOCKS = 32;

/**
 * One look at once, and then, if one is asked for, others after longer and longer pauses. Throws NodeLags instead while another node
 * could be asked: it may have it already.
 */
export async function* looks({ lagMs = LAG_MS, time = systemTime }: Lag): AsyncGenerator<void> {
  yield;
  for (const ms of pauses(lagMs)) {
    if (hasteNow().hasChoice) throw new NodeLags('one of its machines lags behind another one');
    await new Promise<void>((resume) => time.after(ms, resume));
    yield;
  }
}

/**
 * Reads what the node told of: again while that is lacking, by `lacks` of what is thrown (default: NodeLagging). Throws that, or NodeLags
 * while another node could be asked.
 */
export async function bridged<T>(
  read: () => Promise<T>,
  { lacks = isBehind, ...lag }: Lag & { readonly lacks?: (error: unknown) => boolean },
): Promise<T> {
  let lacking: unknown;
  for await (const _ of looks(lag)) {
    try {
      return await read();
    } catch (error) {
      if (!lacks(error)) throw error;
      lacking = error;
    }
  }
  throw lacking;
}

/** `lag` for blocks up to `height`, where the highest tip that was told is `tip`: only what is so new may a machine lack for that. */
export function lagAt(height: number, tip: number, lag: Lag): Lag {
  return height <= tip && height > tip - LATE_BLOCKS ? lag : { ...lag, lagMs: 0 };
}

const isBehind = (error: unknown): boolean => error instanceof NodeLagging;

/** Milliseconds that grow, `inAllMs` together. */
function* pauses(inAllMs: number): Generator<number> {
  let left = inAllMs;
  for (let ms = FIRST_PAUSE_MS; left > 0; ms *= 2) {
    yield Math.min(ms, left);
    left -= ms;
  }
}
