/**
 * Reads an image's type and size from its header. Types that can carry scripts (SVG) are not known.
 */

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

export interface ImageHeader {
  readonly type: PictureType;
  /** Pixels, by the header. */
  readonly width: number;
  readonly height: number;
}

/** Null if the bytes are no PNG, JPEG or WebP, or end before the size. */
export function pictureHeader(bytes: Uint8Array): ImageHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return png(view) ?? webp(view) ?? jpeg(view);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null; // read beyond the end
    throw thrown;
  }
}

/**
 * The signature, and the chunk IHDR right behind it (PNG, third edition, sections 5.2 and 11.2.1).
 */
function png(view: DataView): ImageHeader | null {
  if (!begins(view, 0, '\x89PNG\r\n\x1a\n') || !begins(view, 12, 'IHDR')) return null;
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** The first chunk has the size: VP8 (RFC 6386, 9.1), VP8L or VP8X (RFC 9649, 2.7 and 3.4). */
function webp(view: DataView): ImageHeader | null {
  if (!begins(view, 0, 'RIFF') || !begins(view, 8, 'WEBP')) return null;
  const type = 'image/webp';
  if (begins(view, 12, 'VP8 ') && begins(view, 23, '\x9d\x01\x2a')) {
    const side = (offset: number) => view.getUint16(offset, true) & 0x3fff;
    return { type, width: side(26), height: side(28) };
  }
  if (begins(view, 12, 'VP8L') && begins(view, 20, '\x2f')) {
    const sides = view.getUint32(21, true);
    return { type, width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 };
  }
  if (begins(view, 12, 'VP8X')) {
    const side = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 0x1_0000 + 1;
    return { type, width: side(24), height: side(27) };
  }
  return null;
}

/**
 * Segments up to the frame header, SOF0 to SOF15 without the markers that are tables (ITU-T T.81,
 * B.1.1 and B.2.2).
 */
function jpeg(view: DataView): ImageHeader | null {
  if (!begins(view, 0, '\xff\xd8\xff')) return null;
  let offset = 2;
  for (;;) {
    if (view.getUint8(offset) !== 0xff) return null;
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset += 1; // any number of these may fill up
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { type: 'image/jpeg', height: view.getUint16(offset + 5), width: view.getUint16(offset + 7) };
    }
    // a scan, or the end, before any frame
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return null;
    offset += 2 + view.getUint16(offset + 2);
  }
}

function begins(view: DataView, offset: number, text: string): boolean {
  return Array.from(text).every((letter, index) => view.getUint8(offset + index) === letter.charCodeAt(0));
}
