/**
 * Leads back to the shop a moment after the server reports the payment. The customer can stop that.
 * It happens once, and never where the customer prefers reduced motion.
 */
import { everySecond, locale, type ScriptParts } from './parts.ts';

export function leaving({ main, ended }: ScriptParts): void {
  const link = main.querySelector<HTMLAnchorElement>('a[data-redirect][data-after]');
  const note = main.querySelector<HTMLElement>('#countdown');
  const shown = note?.querySelector('b');
  if (!link || !note || !shown || isSettled(main) || matchMedia('(prefers-reduced-motion: reduce)').matches)
    return;
  const unit = new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'short',
  });
  const end = performance.now() + Number(link.dataset.after) * 1000;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    settle(main);
  };
  note.hidden = false;
  note.querySelector('button')?.addEventListener('click', () => {
    stop();
    note.hidden = true;
    link.focus();
  });
  link.addEventListener('click', stop);
  everySecond(ended, () => {
    if (stopped) return;
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    shown.textContent = unit.format(left);
    if (left > 0) return;
    stop();
    location.assign(link.href);
  });
}

/**
 * Invoices whose page does not lead back again. Session storage keeps them while the tab is open.
 */
const settled = new Set<string>();
const keyOf = (main: HTMLElement): string => `led:${main.dataset.live}`;

function isSettled(main: HTMLElement): boolean {
  if (settled.has(keyOf(main))) return true;
  try {
    return sessionStorage.getItem(keyOf(main)) !== null;
  } catch {
    return false;
  }
}

function settle(main: HTMLElement): void {
  settled.add(keyOf(main));
  try {
    sessionStorage.setItem(keyOf(main), '1');
  } catch {
    // Storage may be switched off. The page then leads back again after it is reopened.
  }
}
