/** Moments on a page: UTC, until the script shows them in the reader's zone. */
import type { Translator } from '../messages/translator.ts';
import { html, type Markup } from './html.ts';

/** "until" a day and time. The script shows the form for a time alone where that is today. */
export function until(at: Date, tongue: Translator): Markup {
  const time = html`<time datetime="${at.toISOString()}">${tongue.time(at)}</time>`;
  return html`<span data-until="date">${tongue.say('untilDate', { time })}</span><span data-until="time" hidden>${tongue.say('untilTime', { time })}</span>`;
}
