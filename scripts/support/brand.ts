/** `bun run merchant brand`: how the checkout presents a merchant to customers. */
import { type BrandChange, changeBrand, showBrand } from '../../src/app/merchants/manage-brand.ts';
import {
  accentColour,
  BRAND_NAME_LENGTH_MAX,
  brandLink,
  brandName,
  frameAncestor,
  LOGO_BYTES_MAX,
  ORIGINS_MAX,
  supportContact,
} from '../../src/domain/merchants/brand.ts';
import type { Brand } from '../../src/ports/checkout/checkout-queries.ts';
import type { Arguments } from './arguments.ts';
import { orRefuse, UsageError } from './failures.ts';
import { imageOf } from './image.ts';
import type { Command } from './program.ts';
import { facts } from './table.ts';
import { id } from './values.ts';

export const brand: Command = {
  name: 'brand',
  about:
    'Shows or changes how the checkout presents a merchant. Settings without an option keep their value; --clear removes them.',
  audits: ['brand.changed'],
  positionals: ['merchant_id'],
  options: {
    name: { value: 'NAME', help: `name that customers see, up to ${BRAND_NAME_LENGTH_MAX} characters` },
    logo: {
      value: 'FILE',
      help: `PNG, JPEG or WebP, up to ${LOGO_BYTES_MAX / 1024} KiB and 1024 x 1024 pixels`,
    },
    accent: { value: '#RRGGBB', help: 'colour of buttons; text on it is made readable' },
    support: { value: 'CONTACT', help: 'e-mail address or URL where customers get help' },
    'legal-name': { value: 'NAME', help: 'name on receipts' },
    'terms-url': { value: 'URL', help: 'terms of sale, linked from the checkout' },
    'frame-ancestors': {
      value: 'ORIGINS',
      help: `sites that may show its payment links in a frame, like https://shop.example,https://blog.example; up to ${ORIGINS_MAX}`,
    },
    clear: { help: 'remove the settings without an option' },
  },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901',
    '65f0c1d2e3a4b5c6d7e8f901 --name "Corner shop" --logo logo.png --accent "#0a7d4f"',
    '65f0c1d2e3a4b5c6d7e8f901 --support help@shop.example --legal-name "Corner Shop Ltd"',
    '65f0c1d2e3a4b5c6d7e8f901 --clear',
  ],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const change = changeOf(args);
    const action = { action: 'brand.changed', subject: 'brand', id: merchantId } as const;
    return async ({ act, service }) => {
      const result = await (change === null
        ? showBrand(service.dependencies)(merchantId)
        : act(action, (deps) => changeBrand(deps)(merchantId, change)));
      const shown = orRefuse(result);
      return { json: brandJson(merchantId, shown), text: described(merchantId, shown) };
    };
  },
};

/** Null where no option changes anything. */
function changeOf(args: Arguments): BrandChange | null {
  const name = args.read('name', printableName);
  const logo = args.read('logo', imageOf);
  const accent = args.read('accent', colour);
  const support = args.read('support', contact);
  const legalName = args.read('legal-name', printableName);
  const termsUrl = args.read('terms-url', link);
  const frameAncestors = args.read('frame-ancestors', origins);
  const clears = args.isSet('clear');
  const given = { name, logo, accent, support, legalName, termsUrl, frameAncestors };
  const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return Object.keys(change).length === 0 && !clears ? null : { clears, ...change };
}

function contact(text: string): string {
  const found = supportContact(text);
  if (found === null) throw new UsageError(`must be an e-mail address or an http(s) URL, got "${text}"`);
  return found;
}

function link(text: string): string {
  const found = brandLink(text);
  if (found === null) throw new UsageError(`must be an http(s) URL, got "${text}"`);
  return found;
}

function origins(text: string): readonly string[] {
  const found = text.split(',').map((part) => {
    const origin = frameAncestor(part.trim());
    if (origin === null) throw new UsageError(`must be origins like https://shop.example, got "${part}"`);
    return origin;
  });
  if (found.length > ORIGINS_MAX) throw new UsageError(`must be at most ${ORIGINS_MAX} origins`);
  return [...new Set(found)];
}

function printableName(text: string): string {
  const name = brandName(text);
  if (name === null) throw new UsageError(`must be 1 to ${BRAND_NAME_LENGTH_MAX} printable characters`);
  return name;
}

function colour(text: string): string {
  const accent = accentColour(text);
  if (accent === null) throw new UsageError(`must be a colour like #0a7d4f, got "${text}"`);
  return accent;
}

function brandJson(merchantId: string, brand: Brand) {
  return {
    merchant_id: merchantId,
    name: brand.name,
    accent: brand.accent,
    logo_sha256: brand.logoDigest,
    support: brand.support,
    legal_name: brand.legalName,
    terms_url: brand.termsUrl,
    frame_ancestors: brand.frameAncestors,
  };
}

function described(merchantId: string, brand: Brand): string {
  const { frameAncestors, logoDigest } = brand;
  return facts([
    ['merchant', merchantId],
    ['name', brand.name],
    ['accent', brand.accent ?? 'not set'],
    ['logo', logoDigest === null ? 'not set' : `sha256 ${logoDigest}`],
    ['support', brand.support ?? 'not set'],
    ['legal name', brand.legalName ?? 'not set'],
    ['terms', brand.termsUrl ?? 'not set'],
    ['frame ancestors', frameAncestors.length === 0 ? 'not set' : frameAncestors.join(', ')],
  ]);
}
