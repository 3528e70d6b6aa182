/**
 * The machines behind one address of a provider lag behind each other by up to some seconds
 * (safety.md R10). A block that one has announced and another lacks is asked for again shortly.
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
/** More blocks than any chain makes in that time. */
const LATE_BLOCKS = 32;

/**
 * One attempt, and further ones after longer and longer pauses. While another node could be asked,
 * which may have it already, it throws NodeLags instead of a pause.
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
 * Reads what the node announced, again and again while the error satisfies `lacks` (default:
 * NodeLagging). Then throws that error, or NodeLags while another node could be asked.
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

/**
 * `lag` for blocks up to `height`, where `tip` is the highest announced one: a machine may only
 * lack blocks near it.
 */
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
