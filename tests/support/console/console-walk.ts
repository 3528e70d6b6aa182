/**
 * A walk through the console: one person, whose browser is closed after each step and opened again
 * for the next. With `SCREENSHOTS=1` a step leaves the picture that docs/console.md shows.
 */
import { expect } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { shoot } from '../browser/screenshots.ts';
import type { StagedConsole } from './console-shop.ts';

const SCREEN = { width: 1200, height: 800 };

export interface Walk {
  /** The person's page at a path below `/console`, or at a link. Says yes to what is asked. */
  at(path: string): Promise<Page>;
  /** The step is over: what the browser keeps, it keeps. */
  over(page: Page): Promise<void>;
}

export function walk(on: StagedConsole): Walk {
  let kept: Awaited<ReturnType<BrowserContext['storageState']>> | null = null;
  return {
    async at(path) {
      const page = await on.stage.visitor(
        { viewport: SCREEN, ...(kept === null ? {} : { storageState: kept }) },
        { asked: [] },
      );
      await page.goto(path.startsWith('http') ? path : `${on.shop.it.url}/console${path}`);
      return page;
    },
    async over(page) {
      kept = await page.context().storageState();
    },
  };
}

/** The picture of a step, as `walk-<name>.png`, of what is on the screen. */
export async function picture(page: Page, name: string): Promise<void> {
  expect(await page.locator('h1').count()).toBe(1);
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  await shoot(page, `walk-${name}`, { fullPage: false });
}
