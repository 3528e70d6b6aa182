/**
 * The page's script: it keeps the page up to date, counts down, copies, searches and leads back to
 * the shop. The server renders every state, so the page also works without it. All its requests go
 * to the page's own host.
 */
import { clocks } from './clocks.ts';
import { copying } from './copying.ts';
import { keypad } from './keypad.ts';
import { leaving } from './leaving.ts';
import { live } from './live.ts';
import { refresher } from './refresh.ts';
import { searching } from './searching.ts';
import { findWallets } from './wallets/find-wallets.ts';

const main = document.querySelector<HTMLElement>('main[data-status]');

keypad();

const print = document.querySelector<HTMLButtonElement>('button[data-print]');
if (print) {
  print.hidden = false;
  print.addEventListener('click', () => window.print());
}

/**
 * Announces a text to screen readers without moving the focus. The live region is outside `main`.
 */
function announce(text: string): void {
  const region = document.getElementById('live');
  if (region) region.textContent = text;
}

if (main) {
  const page = main;
  /** Aborted when the content of `main` is replaced: everything started for that content ends. */
  let content = new AbortController();
  const begin = (): void => {
    content.abort();
    content = new AbortController();
    const parts = { main: page, announce, refresh, ended: content.signal };
    clocks(parts);
    copying(parts);
    searching(parts);
    leaving(parts);
    findWallets(parts);
  };
  let replaced = (): void => undefined;
  const refresh = refresher(page, announce, () => {
    begin();
    replaced();
  });
  begin();
  replaced = live(page, refresh);
} else {
  // the pages of links, refunds and receipts: nothing in them is replaced
  const still = document.querySelector<HTMLElement>('main');
  if (still) {
    const parts = { main: still, announce, refresh: async () => false, ended: new AbortController().signal };
    clocks(parts);
    copying(parts);
  }
}
