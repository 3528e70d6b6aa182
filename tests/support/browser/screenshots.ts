/**
 * Screenshots of a test run with `SCREENSHOTS=1`, for people: under .artifacts/screenshots, which
 * git ignores. No test reads them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dir, '..', '..', '..', '.artifacts', 'screenshots');
let told = false;

/** The whole page, as `<name>.png`, where it was asked for. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return;
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true, animations: 'disabled' });
  if (!told) console.log(`screenshots: ${FOLDER}`);
  told = true;
}
