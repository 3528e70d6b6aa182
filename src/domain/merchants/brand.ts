/** Rules for a merchant's name, accent colour and logo on the checkout. */
import { type ImageHeader, type PictureType, pictureHeader } from './image-header.ts';

export const BRAND_NAME_LENGTH_MAX = 80;
export const LOGO_BYTES_MAX = 128 * 1024;
const LOGO_SIDE_MAX = 1024;

/** Control characters, and those that change the reading direction of the page around the name. */
const UNSHOWN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** Null: not set. */
export interface BrandSettings {
  readonly name: string | null;
  /** `#rrggbb`, lower case. */
  readonly accent: string | null;
  readonly logo: { readonly type: PictureType; readonly bytes: Uint8Array } | null;
}

/** The trimmed name; null if it is not allowed. */
export function brandName(text: string): string | null {
  const name = text.trim();
  const fits = name !== '' && Array.from(name).length <= BRAND_NAME_LENGTH_MAX && !UNSHOWN.test(name);
  return fits ? name : null;
}

/** A colour of six hex digits in lower case; null for anything else. */
export function accentColour(text: string): string | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null;
}

/** The logo's type and size; or a text that completes "the logo ..." if it is not allowed. */
export function logoHeader(bytes: Uint8Array): ImageHeader | string {
  if (bytes.length > LOGO_BYTES_MAX) return `has more than ${LOGO_BYTES_MAX / 1024} KiB`;
  const header = pictureHeader(bytes);
  if (header === null) return 'is no PNG, JPEG or WebP picture';
  const { width, height } = header;
  const fits = [width, height].every((side) => side >= 1 && side <= LOGO_SIDE_MAX);
  return fits
    ? header
    : `is ${width} x ${height} pixels; it may be 1 x 1 to ${LOGO_SIDE_MAX} x ${LOGO_SIDE_MAX}`;
}
