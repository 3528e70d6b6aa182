/**
 * The console's script. The pages work without it: it loads parts of pages instead of whole ones
 * (htmx), renews what changed, copies, asks before what cannot be taken back, and speaks to
 * passkeys. All its requests go to the page's own host.
 */
import htmx from 'htmx.org';
import { paced } from './paced.ts';
import { passkeys } from './passkeys.ts';
import { brandPreview } from './preview.ts';

declare global {
  interface Window {
    htmx: typeof htmx;
  }
}
window.htmx = htmx;

const LIVE_RETRY_MS = 5_000;
let stream: EventSource | null = null;
/** The state that the page was made of, or renewed for. */
let shown = document.getElementById('main')?.dataset.state;

/** Everything that the present content needs. Runs again after htmx has replaced parts of it. */
function begin(): void {
  for (const time of document.querySelectorAll('time[datetime]')) localTime(time as HTMLTimeElement);
  passkeys();
  brandPreview();
}

function localTime(time: HTMLTimeElement): void {
  // Of a part that was not replaced: the title has UTC already.
  if (time.title !== '') return;
  const at = new Date(time.dateTime);
  time.title = time.textContent ?? '';
  time.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Renews the parts of the page that say so, when the server announces a change. */
function follow(path: string | null): void {
  stream?.close();
  stream = null;
  if (path === null || document.hidden) return;
  const opened = new EventSource(path);
  stream = opened;
  opened.addEventListener('state', ({ data }: MessageEvent<string>) => {
    if (data !== shown) renew();
    shown = data;
  });
  opened.addEventListener('error', () => {
    if (opened.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      if (stream === opened) follow(path);
    }, LIVE_RETRY_MS);
  });
}

const renew = paced(async () => {
  for (const part of document.querySelectorAll<HTMLElement>('[data-renew]')) {
    if (part.contains(document.activeElement)) continue;
    await htmx.ajax('get', location.pathname + location.search, {
      target: `#${part.id}`,
      select: `#${part.id}`,
      swap: 'outerHTML',
    });
  }
});

document.addEventListener('click', (event) => {
  const pressed = (event.target as Element | null)?.closest<HTMLElement>('[data-copy],[data-ask]');
  if (!pressed) return;
  const { copy, ask } = pressed.dataset;
  if (copy !== undefined) {
    void navigator.clipboard.writeText(copy).then(() => announce('Copied.'));
    pressed.textContent = 'Copied';
  }
  if (ask !== undefined && !confirm(ask)) event.preventDefault();
});

function announce(text: string): void {
  const region = document.getElementById('announce');
  if (region) region.textContent = text;
}

const livePath = (): string | null => document.getElementById('main')?.dataset.live ?? null;
document.addEventListener('visibilitychange', () => {
  follow(livePath());
  if (!document.hidden) renew();
});
addEventListener('pagehide', () => stream?.close());
document.body.addEventListener('htmx:afterSettle', begin);
begin();
follow(livePath());
