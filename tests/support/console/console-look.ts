/**
 * A page of the console as people meet it: nothing sticks out or is cut off on three screens, no id
 * is there twice, and axe finds nothing on a phone in light colours, nor what changes on a desktop
 * in dark ones. With `SCREENSHOTS=1` pictures are kept, of a phone and a desktop in both colours.
 */
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { OF_THE_LOOK, violations } from '../browser/axe.ts';
import { cutOff, sticksOut } from '../browser/checkout-page.ts';
import { shoot } from '../browser/screenshots.ts';

/** Colours move nothing: one look at each screen is enough for what sticks out. */
const LOOKS = [
  { name: 'phone', width: 360, height: 740, colorScheme: 'light', axed: true, onlyPictured: false },
  { name: 'phone-dark', width: 360, height: 740, colorScheme: 'dark', axed: false, onlyPictured: true },
  { name: 'tablet', width: 768, height: 1024, colorScheme: 'light', axed: false, onlyPictured: false },
  { name: 'desktop', width: 1200, height: 900, colorScheme: 'light', axed: false, onlyPictured: true },
  { name: 'desktop-dark', width: 1200, height: 900, colorScheme: 'dark', axed: true, onlyPictured: false },
] as const;

/** Of the page that is open, with everything unfolded that is folded away. */
export async function looksRight(page: Page, name: string): Promise<void> {
  const pictured = process.env.SCREENSHOTS === '1';
  const wrong: string[] = [...(await doubled(page))];
  for (const look of LOOKS) {
    const { width, height, colorScheme, axed } = look;
    if (!pictured && look.onlyPictured) continue;
    await page.setViewportSize({ width, height });
    if (axed || pictured) await page.emulateMedia({ colorScheme });
    await shoot(page, `console-${name}-${look.name}`);
    if (axed) await unfold(page, true);
    const found = [...(await sticksOut(page)), ...(await cutOff(page)), ...(await scrolledAway(page))];
    if (axed) found.push(...(await violations(page, colorScheme === 'dark' ? OF_THE_LOOK : undefined)));
    if (axed) await unfold(page, false);
    wrong.push(...found.map((line) => `${look.name}: ${line}`));
  }
  expect([name, ...wrong]).toEqual([name]);
}

async function unfold(page: Page, open: boolean): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll('main details').forEach((each) => { each.open = ${String(open)}; })`,
  );
}

/** Buttons that a list shows only when it is scrolled to the side: nobody finds them. */
function scrolledAway(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`[...document.querySelectorAll('.scroll button')].filter((button) =>
    button.checkVisibility() && button.getBoundingClientRect().right > button.closest('.scroll').getBoundingClientRect().right + 1
  ).map((button) => 'scrolled away: ' + button.textContent)`);
}

/** A label would lead to the first of them. */
function doubled(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))].map((id) => 'twice on the page: #' + id);
  })()`);
}
