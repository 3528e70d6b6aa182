/**
 * Counts refused requests (429) by caller and logs them in one line a minute, so that a flood of
 * requests does not become a flood of log lines (safety.md W4).
 */
import type { Logger } from '../../../ports/runtime/logger.ts';

const EVERY_MS = 60_000;
/**
 * Callers that are counted one by one within a minute, and those that are logged by name. The
 * others are summed up.
 */
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

  /** @param caller the merchant, or the network of a request without a valid key */
  count(caller: string): void {
    this.#total += 1;
    const before = this.#byCaller.get(caller);
    if (before !== undefined || this.#byCaller.size < COUNTED_MAX)
      this.#byCaller.set(caller, (before ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.tell(), this.#everyMs).unref();
  }

  /**
   * Logs what was counted since the last line, if anything. Runs automatically a minute after the
   * first refusal.
   */
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
