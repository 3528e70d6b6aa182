/**
 * Hears of changes: by a stream of events, and where that cannot be had by asking every few seconds, less and less often
 * while nothing answers. Rests while nobody looks and while nothing can change any more.
 *
 * Whatever is heard last is shown in the end, however slow the line: no other event follows the last change.
 */

const ASK_EVERY_MS = 5_000;
const ASK_AT_LEAST_EVERY_MS = 60_000;
/** A stream that fails this often in a row is given up. */
const STREAM_TRIES = 3;
/** How often a page that shows another state than the last one heard is fetched again, and the first pause before that. */
const CATCH_UP_TRIES = 5;
const CATCH_UP_MS = 1_000;

/** Answers what to call whenever the content of `main` was replaced: it may be worth watching now, or no more. */
export function live(main: HTMLElement, refresh: () => Promise<boolean>): () => void {
  const path = main.dataset.live ?? '';
  let watching = false;
  let stream: EventSource | null = null;
  let asking: ReturnType<typeof setTimeout> | null = null;
  let failures = 0;
  let latest = main.dataset.state;
  let catching: Promise<boolean> | null = null;

  const watches = (): boolean => main.dataset.open === 'true' && !document.hidden;

  /** Answers whether the page could be fetched. */
  function heard(state: string): Promise<boolean> {
    latest = state;
    if (catching === null && state === main.dataset.state) return Promise.resolve(true);
    catching ??= catchUp();
    return catching;
  }

  /**
   * What was heard while the page was being fetched asks for another fetch at once. Else a page that differs from it is newer,
   * which the next event tells, or comes from a server that lags behind: that takes a moment.
   */
  async function catchUp(): Promise<boolean> {
    try {
      for (let tries = 0; latest !== main.dataset.state && tries < CATCH_UP_TRIES; ) {
        const wanted = latest;
        if (!(await refresh())) return false;
        if (latest !== wanted || latest === main.dataset.state) continue;
        await new Promise((resolve) => setTimeout(resolve, CATCH_UP_MS * 2 ** tries));
        tries += 1;
        if (document.hidden) break;
      }
      return true;
    } finally {
      catching = null;
    }
  }

  function listen(): void {
    const opened = new EventSource(`${path}/events`);
    let tries = 0;
    stream = opened;
    opened.addEventListener('state', ({ data }) => {
      tries = 0;
      void heard(String(data)).then((shown) => {
        if (!shown && stream === opened) fallBack();
      });
    });
    opened.addEventListener('error', () => {
      tries += 1;
      if (stream === opened && (opened.readyState === EventSource.CLOSED || tries >= STREAM_TRIES))
        fallBack();
    });
  }

  function fallBack(): void {
    stream?.close();
    stream = null;
    if (watching) askLater();
  }

  async function ask(): Promise<boolean> {
    try {
      const answer = await fetch(`${path}/status`, { cache: 'no-store' });
      if (!answer.ok) return false;
      const { state } = (await answer.json()) as { state: string };
      return await heard(state);
    } catch {
      return false;
    }
  }

  function askLater(): void {
    const delay = Math.min(ASK_EVERY_MS * 2 ** failures, ASK_AT_LEAST_EVERY_MS);
    asking = setTimeout(async () => {
      asking = null;
      failures = (await ask()) ? 0 : failures + 1;
      if (watching && asking === null && stream === null) askLater();
    }, delay);
  }

  function rest(): void {
    watching = false;
    stream?.close();
    stream = null;
    if (asking !== null) clearTimeout(asking);
    asking = null;
  }

  function wake(): void {
    rest();
    if (!watches()) return;
    watching = true;
    failures = 0;
    listen();
  }

  /** Whoever comes back sees how things stand now, also where nothing seemed to be able to change any more. */
  function lookAgain(): void {
    wake();
    if (!document.hidden) void refresh();
  }

  document.addEventListener('visibilitychange', lookAgain);
  // A page that comes back from the browser's memory has slept through everything; leaving it closes the stream.
  addEventListener('pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) lookAgain();
  });
  addEventListener('pagehide', rest);
  wake();
  return () => {
    if (watches() !== watching) wake();
  };
}
