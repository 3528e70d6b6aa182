/** The time that is left, and times in the reader's own zone. Screen readers hear of the countdown at two moments only. */
import { everySecond, type Parts } from './parts.ts';

/** After the end the server is asked how things stand; a little later, so that it agrees that it is the end. */
const SETTLE_MS = 1_500;

export function clocks(parts: Parts): void {
  for (const time of parts.main.querySelectorAll<HTMLTimeElement>('time[datetime]')) showLocal(time);
  const timer = parts.main.querySelector<HTMLElement>('[data-left]');
  if (timer) countDown(timer, parts);
}

function showLocal(time: HTMLTimeElement): void {
  const at = new Date(time.dateTime);
  const today = at.toDateString() === new Date(performance.timeOrigin + performance.now()).toDateString();
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    ...(today ? {} : { dateStyle: 'medium' }),
    timeStyle: 'short',
  }).format(at);
}

function countDown(timer: HTMLElement, { announce, refresh, ended }: Parts): void {
  const end = performance.now() + Number(timer.dataset.left) * 1000;
  const left = (): number => Math.max(0, Math.ceil((end - performance.now()) / 1000));
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
  everySecond(ended, show);
}

function clockText(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const short = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  if (days > 0) {
    const language = document.documentElement.lang;
    const unit = (value: number, name: 'day' | 'hour'): string =>
      new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value);
    return `${unit(days, 'day')} ${unit(hours, 'hour')}`;
  }
  return hours > 0 ? `${hours}:${short}` : short;
}
