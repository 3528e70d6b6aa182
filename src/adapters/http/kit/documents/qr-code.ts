/** QR codes as SVG. Drawing one takes longer than the rest of a page, so some are kept. */
import QRCode from 'qrcode';
import { boundedMap } from '../../../../domain/bounded-map.ts';

/** About 4 kB each. */
const KEPT = 256;
const kept = boundedMap<string, Promise<string>>(KEPT);

/** Readable with 15 % of it damaged (level M). `margin`: the modules around it. */
export function qrCode(text: string, { margin }: { margin: number }): Promise<string> {
  const key = `${margin} ${text}`;
  const drawn = kept.get(key) ?? QRCode.toString(text, { type: 'svg', margin, errorCorrectionLevel: 'M' });
  kept.set(key, drawn);
  return drawn;
}
