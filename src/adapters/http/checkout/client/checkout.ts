/**
 * Makes the page lively. The server renders every state of it, and all of it works without this: here it is kept up to date,
 * counts down, copies, searches and leads back to the shop. No request leaves our own host.
 */
import { clocks } from './clocks.ts';
import { copying } from './copying.ts';
import { leaving } from './leaving.ts';
import { live } from './live.ts';
import { refresher } from './refresh.ts';
import { searching } from './searching.ts';

const main = document.querySelector<HTMLElement>('main[data-status]');

/** Says something to a screen reader, without moving the focus. The region outlives the content of `main`. */
function announce(text: string): void {
  const region = document.getElementById('live');
  if (region) region.textContent = text;
}

if (main) {
  const page = main;
  /** Everything that belongs to the present content of `main`; what it starts ends with the signal. */
  let content = new AbortController();
  const begin = (): void => {
    content.abort();
    content = new AbortController();
    const parts = { main: page, announce, refresh, ended: content.signal };
    clocks(parts);
    copying(parts);
    searching(parts);
    leaving(parts);
  };
  let replaced = (): void => undefined;
  const refresh = refresher(page, announce, () => {
    begin();
    replaced();
  });
  begin();
  replaced = live(page, refresh);
}
