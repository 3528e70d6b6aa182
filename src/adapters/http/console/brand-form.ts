/** The form of a brand, with its preview: for the merchant, and for operators. */

import type { BrandChange } from '../../../app/merchants/manage-brand.ts';
import type { AppError, FieldError } from '../../../domain/errors.ts';
import { validationError } from '../../../domain/errors.ts';
import {
  accentColour,
  type BrandSettings,
  brandLink,
  brandName,
  frameAncestor,
  logoHeader,
  supportContact,
} from '../../../domain/merchants/brand.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { Brand } from '../../../ports/checkout/checkout-queries.ts';
import { html, type Markup } from '../checkout/page/html.ts';
import { listed } from './kit/form-body.ts';
import type { FormParts } from './kit/form-parts.ts';
import { button, card, checkbox } from './kit/parts.ts';
import type { OpenCall } from './kit/route.ts';

type Call = Pick<OpenCall, 'form' | 'shell'>;

/** The form as a change, or every fault of it. */
export async function brandChangeOf({ form }: Pick<Call, 'form'>): Promise<Result<BrandChange, AppError>> {
  const faults: FieldError[] = [];
  const read = <Value>(name: string, rule: (text: string) => Value | null, message: string): Value | null => {
    const text = form.optional(name);
    const value = text === null ? null : rule(text);
    if (text !== null && value === null) faults.push({ field: name, message });
    return value;
  };
  const origins = (listed(form.optional('frame_ancestors')) ?? []).map((text) => {
    const origin = frameAncestor(text);
    if (origin === null) faults.push({ field: 'frame_ancestors', message: `${text} is no origin` });
    return origin ?? '';
  });
  const logo = await logoOf(form);
  if (typeof logo === 'string') faults.push({ field: 'logo', message: logo });
  const change = {
    name: read('name', brandName, 'must have 1 to 80 characters'),
    accent: form.isSet('no_accent')
      ? null
      : read('accent', accentColour, 'must be a colour, #2456d6 for example'),
    support: read('support', supportContact, 'must be an e-mail address or a URL'),
    legalName: read('legal_name', brandName, 'must have 1 to 80 characters'),
    termsUrl: read('terms_url', brandLink, 'must be a URL'),
    frameAncestors: origins,
    ...(typeof logo === 'string' || logo === undefined ? {} : { logo }),
    clears: false,
  };
  return faults.length === 0 ? ok(change) : err(validationError(faults));
}

/** Undefined: as it is. Null: removed. A text: what is wrong with it. */
async function logoOf(form: Call['form']): Promise<BrandSettings['logo'] | undefined | string> {
  if (form.isSet('no_logo')) return null;
  const file = await form.file('logo');
  if (file === null) return undefined;
  const header = logoHeader(file.bytes);
  return typeof header === 'string' ? header : { type: header.type, bytes: file.bytes };
}

/** Kept by the browser's script in step with the form beside it. */
export function brandPreview(brand: Brand, checkoutUrl: string): Markup {
  return html`<div class="preview" data-preview><p class="merchant">${
    brand.logoDigest === null
      ? null
      : html`<img data-preview-of="logo" src="${new URL(checkoutUrl).pathname.replace(/\/$/, '')}/checkout/assets/logo/${brand.logoDigest}" alt="" width="40" height="40">`
  }<b data-preview-of="name">${brand.name}</b></p><p><span class="button main" data-preview-button>Open wallet</span></p><p class="hint" data-preview-of="support">${brand.support ?? ''}</p></div>`;
}

/** Posts to `at`. */
export function brandForm(
  { shell, form }: Call,
  brand: Brand,
  at: string,
  { field, area }: FormParts,
): Markup {
  const value = (name: string, stored: string | null): string =>
    form.isSet('name') ? form.text(name) : (stored ?? '');
  return card(
    'Change it',
    shell.form(
      at,
      html`${field('name', 'Name', { value: value('name', brand.name), maxLength: 80 })}${field('accent', 'Colour', { type: 'color', value: value('accent', brand.accent) || '#2456d6' })}${checkbox('no_accent', 'The usual colour', { checked: form.isSet('name') ? form.isSet('no_accent') : brand.accent === null })}${field('logo', 'Logo', { type: 'file', accept: 'image/png,image/jpeg,image/webp', hint: 'PNG, JPEG or WebP, at most 128 KiB and 1024 pixels.' })}${brand.logoDigest === null ? null : checkbox('no_logo', 'No logo')}${field('support', 'Customers get help at', { value: value('support', brand.support), hint: 'An e-mail address or a URL.' })}${field('legal_name', 'Name on receipts', { value: value('legal_name', brand.legalName), maxLength: 80 })}${field('terms_url', 'Terms', { type: 'url', value: value('terms_url', brand.termsUrl) })}${area('frame_ancestors', 'Sites that may show your payment links in a frame', { value: value('frame_ancestors', brand.frameAncestors.join('\n')), hint: 'One origin per line, https://shop.example for example.' })}${button('Save')}`,
      { upload: true },
    ),
  );
}
