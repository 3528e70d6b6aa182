/** What people do on the console's pages, and read there. */
import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';

/** Presses the button, or follows the link, of that name, and waits for the next page. */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.locator('main').getByRole('button', { name, exact: true });
  const pressed =
    (await button.count()) > 0 ? button : page.locator('main').getByRole('link', { name, exact: true });
  await Promise.all([page.waitForEvent('domcontentloaded'), pressed.first().click()]);
}

/** Follows a link, and waits for its page. */
export async function follow(page: Page, link: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('domcontentloaded'), link.first().click()]);
}

/** The page says that it was done. */
export async function says(page: Page, text: string): Promise<void> {
  const told = page.locator('main .message').first();
  expect([await told.textContent(), page.url()]).toEqual([expect.stringContaining(text), page.url()]);
}

/** The first state that the page shows. */
export async function badge(page: Page): Promise<string | null> {
  return page.locator('main .badge').first().textContent();
}

/** The value beside a name. */
export async function fact(page: Page, name: string): Promise<string> {
  const found = page.locator('.facts > div').filter({ has: page.locator('dt', { hasText: name }) });
  const value = found.first().locator('dd');
  const code = value.locator('code');
  return ((await ((await code.count()) > 0 ? code : value).textContent()) ?? '').trim();
}

/** The rows of the page's first table, as text. */
export async function rows(page: Page): Promise<readonly string[]> {
  return page.locator('table').first().locator('tbody tr').allTextContents();
}
