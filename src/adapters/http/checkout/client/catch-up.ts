/**
 * Fetches the page until it shows the last state received. No later event would repeat the last
 * change.
 */

/**
 * The pauses before a page that shows another state is fetched again: each is twice the one before.
 */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 16_000;

/** The returned function takes a received state, and reports whether the page could be fetched. */
export function catchUp(
  main: HTMLElement,
  refresh: () => Promise<boolean>,
): (state: string) => Promise<boolean> {
  let latest = main.dataset.state;
  let running: Promise<boolean> | null = null;

  /**
   * A state that arrives during a fetch needs another fetch at once. Otherwise a page that differs
   * is newer than the state, or comes from a server that lags. Both settle after a pause.
   */
  async function run(): Promise<boolean> {
    try {
      for (let pauseMs = FIRST_PAUSE_MS; latest !== main.dataset.state && pauseMs <= LAST_PAUSE_MS; ) {
        const wanted = latest;
        if (!(await refresh())) return false;
        if (latest !== wanted || latest === main.dataset.state) continue;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        pauseMs *= 2;
        if (document.hidden) break;
      }
      return true;
    } finally {
      running = null;
    }
  }

  return (state) => {
    latest = state;
    if (running === null && state === main.dataset.state) return Promise.resolve(true);
    running ??= run();
    return running;
  };
}
