/** Reads a QR code as a phone's camera does: from the pixels that the browser shows. */
import jsQr from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';

/** The code's text, unfolded where it is folded; null where nothing can be read. */
export async function scanned(page: Page): Promise<string | null> {
  if (!(await page.locator('.qr').isVisible())) await page.locator('#scan > summary').click();
  const shot = await page.locator('.qr').screenshot();
  const { data, width, height } = PNG.sync.read(shot);
  return jsQr(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data ?? null;
}
