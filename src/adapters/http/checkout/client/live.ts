/**
 * Hears of changes: by a stream of events, and where that cannot be had by asking every few seconds, less and less often
 * while nothing answers. Rests while nobody looks and while nothing can change any more.
 */

const ASK_EVERY_MS = 5_000;
const ASK_AT_LEAST_EVERY_MS = 60_000;
/** A stream that fails this often in a row is given up. */
const STREAM_TRIES = 3;

export function live(main: HTMLElement, refresh: () => Promise<boolean>): void {
  const path = main.dataset.live ?? '';
  let stream: EventSource | null = null;
  let asking: ReturnType<typeof setTimeout> | null = null;
  let failures = 0;
  let refreshing = false;
  let latest = main.dataset.state;

  const watches = (): boolean => main.dataset.open === 'true' && !document.hidden;

  /** A change that is heard of while the page is being fetched may be in it already or not: one more look tells. */
  async function heard(state: string): Promise<boolean> {
    latest = state;
    if (state === main.dataset.state || refreshing) return true;
    refreshing = true;
    let shown = await refresh();
    if (shown && latest !== main.dataset.state) shown = await refresh();
    refreshing = false;
    if (!watches()) rest();
    return shown;
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
    rest();
    if (watches()) askLater();
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
      if (watches() && asking === null && stream === null) askLater();
    }, delay);
  }

  function rest(): void {
    stream?.close();
    stream = null;
    if (asking !== null) clearTimeout(asking);
    asking = null;
  }

  function wake(): void {
    rest();
    if (!watches()) return;
    failures = 0;
    listen();
  }

  document.addEventListener('visibilitychange', () => {
    wake();
    if (watches()) void ask();
  });
  // A page that comes back from the browser's memory has slept through everything; leaving it closes the stream.
  addEventListener('pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) void refresh().then(wake);
  });
  addEventListener('pagehide', rest);
  wake();
}
