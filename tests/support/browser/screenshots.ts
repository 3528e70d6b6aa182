/**
 * Screenshots of a test run with `SCREENSHOTS=1`, for people: under .artifacts/screenshots, which
 * git ignores. No test reads them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dir, '..', '..', '..', '.artifacts', 'screenshots');
let told = false;

/** The whole page, or what is on the screen, as `<name>.png`, where it was asked for. */
export async function shoot(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  const path = pathOf(`${name}.png`);
  if (path !== null) await page.screenshot({ path, fullPage, animations: 'disabled' });
}

/** A document as `<name>.pdf`, and its first page as a picture where Debian's poppler-utils are. */
export async function keepPdf(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<void> {
  const path = pathOf(`${name}.pdf`);
  if (path === null) return;
  await Bun.write(path, bytes);
  if (Bun.which('pdftoppm') === null) return;
  const picture = path.slice(0, -'.pdf'.length);
  await Bun.spawn(['pdftoppm', '-r', '100', '-png', '-singlefile', path, picture]).exited;
}

/** Null where no pictures were asked for. */
function pathOf(file: string): string | null {
  if (process.env.SCREENSHOTS !== '1') return null;
  mkdirSync(FOLDER, { recursive: true });
  if (!told) console.log(`screenshots: ${FOLDER}`);
  told = true;
  return join(FOLDER, file);
}
