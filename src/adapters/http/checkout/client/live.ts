/**
 * Learns of changes from a stream of events. Without a stream it polls every few seconds, and less
 * and less often while nothing answers. It rests while the page is hidden, and while the invoice
 * cannot change any more.
 */
import { catchUp } from './catch-up.ts';

const ASK_EVERY_MS = 5_000;
const ASK_AT_LEAST_EVERY_MS = 60_000;
/** After this many failures in a row polling replaces the stream. */
const STREAM_TRIES = 3;

/**
 * Starts to watch. Call the returned function after the content of `main` is replaced: it starts or
 * stops as the new content needs.
 */
export function live(main: HTMLElement, refresh: () => Promise<boolean>): () => void {
  const path = main.dataset.live ?? '';
  const heard = catchUp(main, refresh);
  let watching = false;
  let stream: EventSource | null = null;
  let asking: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const watches = (): boolean => main.dataset.open === 'true' && !document.hidden;

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
      asking = undefined;
      failures = (await ask()) ? 0 : failures + 1;
      if (watching && !asking && !stream) askLater();
    }, delay);
  }

  function rest(): void {
    watching = false;
    stream?.close();
    stream = null;
    clearTimeout(asking);
    asking = undefined;
  }

  function wake(): void {
    rest();
    if (!watches()) return;
    watching = true;
    failures = 0;
    listen();
  }

  /** Shows the current state to a customer who comes back, also of an invoice that was final. */
  function lookAgain(): void {
    wake();
    if (!document.hidden) void refresh();
  }

  document.addEventListener('visibilitychange', lookAgain);
  // A page from the back/forward cache has missed every change. Leaving a page closes its stream.
  addEventListener('pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) lookAgain();
  });
  addEventListener('pagehide', rest);
  wake();
  return () => {
    if (watches() !== watching) wake();
  };
}
