/** The QR code of a text as an image for `img src`. */
import { qrCode } from '../../kit/documents/qr-code.ts';

export async function qrImage(text: string): Promise<string> {
  const svg = await qrCode(text, { margin: 2 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
