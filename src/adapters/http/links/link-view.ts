/** A payment link in answers: schema, example and values. */
import { unixSeconds } from '../../../app/invoices/present-invoice.ts';
import { FIAT_DECIMALS } from '../../../domain/catalog/fiat.ts';
import { LINK_MODES, type PaymentLink } from '../../../domain/links/payment-link.ts';
import { type ExactNumber, exactNumber } from '../../../domain/money/exact-number.ts';
import { html } from '../checkout/page/html.ts';
import {
  boolean,
  id,
  integer,
  list,
  nullable,
  number,
  oneOf,
  string,
  strings,
  unixTime,
  view,
} from '../kit/input/views.ts';

export const LinkSchema = view('PaymentLink', {
  id: id(),
  slug: string(),
  url: string('The page of the link'),
  qr_svg_url: string('A QR code of the page, to print'),
  qr_png_url: string('The same as a PNG picture'),
  button_html: string('A button for any web page'),
  frame_html: string('A frame for pages whose origin is among the `frame_ancestors` of your brand'),
  mode: oneOf(LINK_MODES),
  title: string(),
  description: nullable(string()),
  picture_url: nullable(string()),
  fiat_currency: string(),
  amount: nullable(number('In `fiat_currency`. Null: the customer enters it')),
  min_amount: nullable(number()),
  max_amount: nullable(number()),
  suggested_amounts: list(number()),
  tips: list(integer('Percent')),
  accepted_coins: nullable(strings()),
  expires_at: nullable(unixTime()),
  stock: nullable(integer('Most payments')),
  fields: strings('What the page asks'),
  success_url: nullable(string()),
  notify_url: nullable(string()),
  extra: nullable(string()),
  ttl: integer('Seconds until an invoice of the link expires'),
  active: boolean(),
  created_at: unixTime(),
  updated_at: unixTime(),
});

export function presentLink(link: PaymentLink, checkoutUrl: string) {
  const url = `${checkoutUrl}/l/${link.slug}`;
  const fiat = (micros: bigint): ExactNumber => exactNumber(micros, FIAT_DECIMALS);
  const inFiat = (micros: bigint | null) => (micros === null ? null : fiat(micros));
  return {
    id: link.id,
    slug: link.slug,
    url,
    qr_svg_url: `${url}/qr.svg`,
    qr_png_url: `${url}/qr.png`,
    button_html: html`<a href="${url}" style="${BUTTON_STYLE}">${link.title}</a>`.text,
    frame_html:
      html`<iframe src="${url}?frame=1" title="${link.title}" width="380" height="620" style="border:0"></iframe>`
        .text,
    mode: link.mode,
    title: link.title,
    description: link.description,
    picture_url: link.pictureDigest === null ? null : `${url}/picture`,
    fiat_currency: link.fiatCurrency,
    amount: inFiat(link.amountMicros),
    min_amount: inFiat(link.leastMicros),
    max_amount: inFiat(link.mostMicros),
    suggested_amounts: link.suggestedMicros.map(fiat),
    tips: link.tips.map(Number),
    accepted_coins: link.acceptedCoins,
    expires_at: link.expiresAt === null ? null : unixSeconds(link.expiresAt),
    stock: link.stock,
    fields: link.fields,
    success_url: link.successUrl,
    notify_url: link.notifyUrl,
    extra: link.extra,
    ttl: link.ttlSeconds,
    active: link.active,
    created_at: unixSeconds(link.createdAt),
    updated_at: unixSeconds(link.updatedAt),
  };
}

const BUTTON_STYLE =
  'display:inline-block;padding:12px 20px;border-radius:12px;background:#2456d6;color:#fff;font:600 16px system-ui,sans-serif;text-decoration:none';

export const LINK_EXAMPLE = {
  ...presentLink(
    {
      ...{ id: '0190f3a1b2c30a1b2c3d4e71', slug: 'annual-plan', merchantId: '', sandbox: false },
      ...{ mode: 'payment', title: 'Annual plan', description: null, pictureDigest: null },
      ...{ fiatCurrency: 'USD', amountMicros: 25_000_000n, leastMicros: null, mostMicros: null },
      ...{ suggestedMicros: [], tips: [], acceptedCoins: null, expiresAt: null, stock: 100 },
      ...{
        fields: ['email'],
        successUrl: null,
        notifyUrl: null,
        extra: null,
        ttlSeconds: 3_600,
        active: true,
      },
      ...{ createdAt: new Date(1_767_225_600_000), updatedAt: new Date(1_767_225_600_000) },
    },
    'https://pay.example',
  ),
  amount: 25,
};
