/** The QR code of a text as an image for `img src`. */
import QRCode from 'qrcode';

export async function qrImage(text: string): Promise<string> {
  const svg = await QRCode.toString(text, { type: 'svg', margin: 2 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
