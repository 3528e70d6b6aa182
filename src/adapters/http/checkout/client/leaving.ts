/**
 * Leads back to the shop, a moment after the server has said that it is paid. The customer can stop it; whoever comes back
 * to the page, or wants less motion, is not sent away.
 */
import { everySecond, type Parts } from './parts.ts';

export function leaving({ main, ended }: Parts): void {
  const link = main.querySelector<HTMLAnchorElement>('a[data-redirect][data-after]');
  const note = main.querySelector<HTMLElement>('#countdown');
  const shown = note?.querySelector('b');
  if (!link || !note || !shown || wasLed(main) || matchMedia('(prefers-reduced-motion: reduce)').matches)
    return;
  const unit = new Intl.NumberFormat(document.documentElement.lang, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'short',
  });
  const end = performance.now() + Number(link.dataset.after) * 1000;
  let stopped = false;
  note.hidden = false;
  note.querySelector('button')?.addEventListener('click', () => {
    stopped = true;
    note.hidden = true;
    link.focus();
  });
  everySecond(ended, () => {
    if (stopped) return;
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    shown.textContent = unit.format(left);
    if (left > 0) return;
    stopped = true;
    led(main);
    location.assign(link.href);
  });
}

const keyOf = (main: HTMLElement): string => `led:${main.dataset.live}`;

function wasLed(main: HTMLElement): boolean {
  try {
    return sessionStorage.getItem(keyOf(main)) !== null;
  } catch {
    return false;
  }
}

function led(main: HTMLElement): void {
  try {
    sessionStorage.setItem(keyOf(main), '1');
  } catch {
    // Storage may be switched off: then the page leads there again when it is opened again.
  }
}
