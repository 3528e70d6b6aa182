/** QR codes as SVG. Drawing one takes longer than the rest of a page, so some are kept. */
import { boundedMap } from '../../../../domain/bounded-map.ts';

/** About 4 kB each. */
const KEPT = 256;
const kept = boundedMap<string, Promise<string>>(KEPT);

/** Readable with 15 % of it damaged (level M). `margin`: the modules around it. */
export function qrCode(text: string, { margin }: { margin: number }): Promise<string> {
  const key = `${margin} ${text}`;
  const drawn = kept.get(key) ?? drawnSvg(text, margin);
  kept.set(key, drawn);
  return drawn;
}

/** As a PNG of so many pixels. */
export async function qrPicture(
  text: string,
  { margin, width }: { margin: number; width: number },
): Promise<Uint8Array> {
  const qr = await drawing();
  return qr.toBuffer(text, { width, margin });
}

/** Loaded with the first code: most processes draw none soon, or ever. */
const drawing = () => import('qrcode').then((loaded) => loaded.default);

async function drawnSvg(text: string, margin: number): Promise<string> {
  const qr = await drawing();
  return qr.toString(text, { type: 'svg', margin, errorCorrectionLevel: 'M' });
}
