/**
 * The countdown, and times in the reader's own zone. Screen readers announce the countdown twice
 * only.
 *
 * The server sends the seconds left. The device's clock measures how many of them have passed,
 * since `performance.now()` stops while a device sleeps. When that clock jumps, after sleep or by
 * hand, the page is fetched again.
 */
import { everySecond, locale, type ScriptParts } from './parts.ts';

/** The page is fetched this long after the end, so that the server's clock has passed it too. */
const SETTLE_MS = 1_500;
/** The clock is read every second, a little later on a busy device. A longer gap is a jump. */
const JUMP_MS = 5_000;

export function clocks(parts: ScriptParts): void {
  for (const time of parts.main.querySelectorAll<HTMLTimeElement>('time[datetime]')) showLocal(time);
  const timer = parts.main.querySelector<HTMLElement>('[data-left]');
  if (timer) countDown(timer, parts);
}

function showLocal(time: HTMLTimeElement): void {
  const at = new Date(time.dateTime);
  const today = at.toDateString() === new Date(Date.now()).toDateString();
  time.textContent = new Intl.DateTimeFormat(locale(), {
    ...(today ? {} : { dateStyle: 'medium' }),
    timeStyle: 'short',
  }).format(at);
  const form = time.closest<HTMLElement>('[data-until]');
  if (form) form.hidden = (form.dataset.until === 'time') !== today;
}

function countDown(timer: HTMLElement, { announce, refresh, ended }: ScriptParts): void {
  let looked = Date.now();
  const end = looked + Number(timer.dataset.left) * 1000;
  const left = (): number => Math.max(0, Math.ceil((end - looked) / 1000));
  const spoken: Readonly<Record<number, string | undefined>> = {
    300: timer.dataset.five,
    60: timer.dataset.one,
  };
  let before = left();
  let over = before === 0;
  const show = (): void => {
    const now = left();
    timer.textContent = clockText(now);
    timer.classList.toggle('short', now < 60);
    for (const [at, text] of Object.entries(spoken)) {
      if (before > Number(at) && now <= Number(at) && text !== undefined) announce(text);
    }
    before = now;
    if (now > 0 || over) return;
    over = true;
    setTimeout(() => ended.aborted || void refresh(), SETTLE_MS);
  };
  show();
  everySecond(ended, () => {
    const passed = Date.now() - looked;
    looked += passed;
    show();
    // A hidden page runs its timers rarely, and is fetched when it is shown again.
    if (!document.hidden && (passed < 0 || passed > JUMP_MS)) void refresh();
  });
}

function clockText(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const short = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  if (days > 0) {
    const unit = (value: number, name: 'day' | 'hour'): string =>
      new Intl.NumberFormat(locale(), { style: 'unit', unit: name, unitDisplay: 'short' }).format(value);
    return `${unit(days, 'day')} ${unit(hours, 'hour')}`;
  }
  return hours > 0 ? `${hours}:${short}` : short;
}
