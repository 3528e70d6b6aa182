/**
 * Requests that were too many (429) are counted by caller and told in one line a minute: a flood of them must not become a
 * flood of log lines (safety.md W4).
 */
import type { Logger } from '../../../ports/runtime/logger.ts';

const EVERY_MS = 60_000;
/** Callers counted apart within a minute, and told by name; the others are told together. */
const COUNTED_MAX = 1_000;
const TOLD_MAX = 20;

export class RefusalLog {
  readonly #logger: Logger;
  readonly #everyMs: number;
  #byCaller = new Map<string, number>();
  #total = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(logger: Logger, everyMs = EVERY_MS) {
    this.#logger = logger;
    this.#everyMs = everyMs;
  }

  /** @param caller the merchant, or the network where there is no good key */
  count(caller: string): void {
    this.#total += 1;
    const before = this.#byCaller.get(caller);
    if (before !== undefined || this.#byCaller.size < COUNTED_MAX)
      this.#byCaller.set(caller, (before ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.tell(), this.#everyMs).unref();
  }

  /** Tells what was counted since the last time, if anything; called by itself a minute after the first. */
  tell(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#total === 0) return;
    const most = [...this.#byCaller].toSorted(([, a], [, b]) => b - a).slice(0, TOLD_MAX);
    const told = most.reduce((sum, [, count]) => sum + count, 0);
    this.#logger.warn('http.refused', {
      refused: this.#total,
      by_caller: Object.fromEntries(most),
      by_others: this.#total - told,
    });
    this.#byCaller = new Map();
    this.#total = 0;
  }
}
