/**
 * A page as people meet it: on three screens, in light or in dark colours. Nothing sticks out or is
 * cut off on any of them, nor at 320 pixels. axe looks at each combination of a small or large
 * screen with light or dark colours: two where the page reads from the left, the other two where
 * it reads from the right. The latter is the same markup, so only what hangs on the look is looked
 * at. With `SCREENSHOTS=1` pictures are kept, of each screen in both colours.
 */
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { OF_THE_LOOK, violations } from './axe.ts';
import { cutOff, sticksOut } from './checkout-page.ts';
import { shoot } from './screenshots.ts';

const SCREENS = [
  { screen: 'phone', viewport: { width: 360, height: 740 } },
  { screen: 'tablet', viewport: { width: 768, height: 1024 } },
  { screen: 'desktop', viewport: { width: 1440, height: 900 } },
] as const;
const NARROWEST = { width: 320, height: 640 };
/** By the direction of the page. */
const AXED: Readonly<Record<string, readonly string[]>> = {
  ltr: ['phone-light', 'desktop-dark'],
  rtl: ['phone-dark', 'desktop-light'],
};

/** Of the page that is open, in its language. `everyLook`: not only those that axe looks at. */
export async function looksRight(page: Page, name: string, { everyLook = true } = {}): Promise<void> {
  const direction = (await page.locator('html').getAttribute('dir')) ?? 'ltr';
  const rules = direction === 'rtl' ? OF_THE_LOOK : undefined;
  const pictured = process.env.SCREENSHOTS === '1';
  const wrong: string[] = [];
  for (const { screen, viewport } of SCREENS)
    for (const colorScheme of ['light', 'dark'] as const) {
      const look = `${screen}-${colorScheme}`;
      const axed = AXED[direction]?.includes(look) === true;
      // Colours move nothing: one look at each screen is enough for what sticks out.
      if (!axed && !(everyLook && (pictured || look === 'tablet-light'))) continue;
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const found = [...(await sticksOut(page)), ...(await cutOff(page))];
      if (axed) found.push(...(await violations(page, rules)));
      wrong.push(...found.map((line) => `${look}: ${line}`));
      await shoot(page, `${name}-${look}`);
    }
  await page.setViewportSize(NARROWEST);
  wrong.push(...(await sticksOut(page)).map((line) => `320 pixels: ${line}`));
  expect(wrong).toEqual([]);
}
