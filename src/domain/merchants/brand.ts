/** Rules for what a merchant's pages show of it: name, looks, and where customers get help. */
import { isWebLink } from '../web-link.ts';
import { type ImageHeader, type PictureType, pictureHeader } from './image-header.ts';

export const BRAND_NAME_LENGTH_MAX = 80;
export const LOGO_BYTES_MAX = 128 * 1024;
const LOGO_SIDE_MAX = 1024;
export const CONTACT_LENGTH_MAX = 254;
export const ORIGINS_MAX = 20;

/** Control characters, and those that change the reading direction of the page around the name. */
const UNSHOWN = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** Null: not set. */
export interface BrandSettings {
  readonly name: string | null;
  /** `#rrggbb`, lower case. */
  readonly accent: string | null;
  readonly logo: { readonly type: PictureType; readonly bytes: Uint8Array } | null;
  /** Where customers get help: an e-mail address or an http(s) URL. */
  readonly support: string | null;
  /** The merchant's name on receipts. */
  readonly legalName: string | null;
  /** http(s). */
  readonly termsUrl: string | null;
  /** Origins of the pages that may show its payment links in a frame. */
  readonly frameAncestors: readonly string[];
}

export const NO_BRAND: BrandSettings = {
  name: null,
  accent: null,
  logo: null,
  support: null,
  legalName: null,
  termsUrl: null,
  frameAncestors: [],
};

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

/** An e-mail address or an http(s) URL; null for anything else. */
export function supportContact(text: string): string | null {
  const contact = text.trim();
  return isEmailAddress(contact) ? contact : brandLink(contact);
}

/** An http(s) URL; null for anything else. */
export function brandLink(text: string): string | null {
  const link = text.trim();
  return link.length <= CONTACT_LENGTH_MAX && isWebLink(link) ? link : null;
}

/**
 * The ASCII form that mail servers take everywhere (RFC 5321, without quoted names and address
 * literals).
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= CONTACT_LENGTH_MAX && EMAIL.test(text);
}
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i;

/** `https://shop.example` or `http://localhost:8080`; null unless the text is just an origin. */
export function frameAncestor(text: string): string | null {
  const origin = URL.parse(text.toLowerCase())?.origin;
  // A host may contain `;` (WHATWG URL), which would begin another directive of the policy.
  return origin === text.toLowerCase() && /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) ? origin : null;
}
