/**
 * Payment links: pages that open invoices without a shop. This file has their settings, what the
 * settings may be, and what a customer may pay.
 */
import {
  ceilToMinor,
  FIAT_DECIMALS,
  type FiatCurrency,
  floorToMinor,
  minorDecimals,
} from '../catalog/fiat.ts';
import type { FieldError } from '../errors.ts';
import type { PictureType } from '../merchants/image-header.ts';
import { formatUnits, mulDiv } from '../money/decimal.ts';
import { err, ok, type Result } from '../result.ts';

/** `point_of_sale`: a till in a shop. Its page shows the last payments, so its URL is a secret. */
export const LINK_MODES = ['payment', 'donation', 'point_of_sale'] as const;
export type LinkMode = (typeof LINK_MODES)[number];

/** What the page asks the customer. Name and e-mail address are required then, the note is not. */
export const LINK_FIELDS = ['name', 'email', 'note'] as const;
export type LinkField = (typeof LINK_FIELDS)[number];

export const LINKS_MAX = 1_000;
export const SUGGESTIONS_MAX = 6;
export const TIPS_MAX = 4;
export const STOCK_MAX = 1_000_000;
/** Invoices of a link that wait for a payment at a time: a bound for strangers (safety.md L1). */
export const OPEN_PER_LINK = 200;
/** Invoices of a till that its page shows. */
export const LAST_SHOWN = 10;

/** Null: not set. Amounts are micros of `fiatCurrency`, in whole minor units. */
export interface LinkSettings {
  readonly title: string;
  readonly description: string | null;
  readonly picture: LinkPicture | null;
  /** Null: the customer enters it. */
  readonly amountMicros: bigint | null;
  readonly leastMicros: bigint | null;
  readonly mostMicros: bigint | null;
  readonly suggestedMicros: readonly bigint[];
  /** Percent, for a till. */
  readonly tips: readonly bigint[];
  /** Full asset keys. */
  readonly acceptedCoins: readonly string[] | null;
  readonly expiresAt: Date | null;
  /** Most payments. */
  readonly stock: number | null;
  readonly fields: readonly LinkField[];
  readonly successUrl: string | null;
  readonly notifyUrl: string | null;
  /** `extra` of its invoices. */
  readonly extra: string | null;
  readonly ttlSeconds: number;
  readonly active: boolean;
}

export interface LinkPicture {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}

/** A stored link. The picture is read by its digest. */
export interface PaymentLink extends Omit<LinkSettings, 'picture'> {
  readonly id: string;
  /** The last part of its URL: unique in the gateway. */
  readonly slug: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly mode: LinkMode;
  readonly fiatCurrency: FiatCurrency;
  /** SHA-256 of the picture, hex. */
  readonly pictureDigest: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const NEW_LINK: Omit<LinkSettings, 'title'> = {
  description: null,
  picture: null,
  amountMicros: null,
  leastMicros: null,
  mostMicros: null,
  suggestedMicros: [],
  tips: [],
  acceptedCoins: null,
  expiresAt: null,
  stock: null,
  fields: [],
  successUrl: null,
  notifyUrl: null,
  extra: null,
  ttlSeconds: 3_600,
  active: true,
};

type Amounts = Pick<LinkSettings, 'amountMicros' | 'leastMicros' | 'mostMicros' | 'suggestedMicros' | 'tips'>;

/** What contradicts itself in the settings, by the field of the API. */
export function linkFaults(
  link: Amounts & Pick<PaymentLink, 'mode' | 'fiatCurrency'>,
): readonly FieldError[] {
  const faults: FieldError[] = [];
  const {
    mode,
    fiatCurrency,
    amountMicros,
    leastMicros: least,
    mostMicros: most,
    suggestedMicros: suggested,
  } = link;
  const refuse = (field: string, message: string): void => void faults.push({ field, message });
  for (const [field, amounts] of Object.entries({
    amount: [amountMicros],
    min_amount: [least],
    max_amount: [most],
    suggested_amounts: suggested,
  }))
    if (amounts.some((micros) => micros !== null && floorToMinor(micros, fiatCurrency) !== micros))
      refuse(field, `must have at most ${minorDecimals(fiatCurrency)} decimals in ${fiatCurrency}`);
  if (mode === 'point_of_sale' && amountMicros !== null)
    refuse('amount', 'must be absent: the amount is entered at the till');
  if (mode !== 'point_of_sale' && link.tips.length > 0) refuse('tips', 'requires the mode point_of_sale');
  if (amountMicros !== null) {
    if (least !== null) refuse('min_amount', 'must be absent beside amount');
    if (most !== null) refuse('max_amount', 'must be absent beside amount');
    if (suggested.length > 0) refuse('suggested_amounts', 'must be absent beside amount');
  }
  if (least !== null && most !== null && least > most) refuse('max_amount', 'must be at least min_amount');
  if (suggested.some((each) => !isBetween(each, link)))
    refuse('suggested_amounts', 'must be between min_amount and max_amount');
  return faults;
}

/** Whether a link can be paid. `sold_out`: its stock is taken. */
export type LinkState = 'open' | 'inactive' | 'expired' | 'sold_out';

/** `taken`: invoices of the link that are paid or may still be. */
export function linkState(
  { active, expiresAt, stock }: Pick<PaymentLink, 'active' | 'expiresAt' | 'stock'>,
  taken: number,
  now: Date,
): LinkState {
  if (!active) return 'inactive';
  if (expiresAt !== null && expiresAt.getTime() <= now.getTime()) return 'expired';
  return stock !== null && taken >= stock ? 'sold_out' : 'open';
}

/** What a customer asks to pay. */
export interface LinkOrder {
  /** Entered, in micros. Null for a link with an amount. */
  readonly enteredMicros: bigint | null;
  /** One of the link's tips; 0 for none. */
  readonly tipPercent: bigint;
}

export interface LinkPrice {
  /** With the tip. */
  readonly micros: bigint;
  readonly tipMicros: bigint;
}

/**
 * The price of an order. The tip is rounded up to the minor unit. Refused: no amount or one out of
 * bounds (`amount`), and a tip that the link does not offer (`tip`).
 */
export function linkPrice(
  link: Pick<PaymentLink, 'fiatCurrency'> & Omit<Amounts, 'suggestedMicros'>,
  { enteredMicros, tipPercent }: LinkOrder,
): Result<LinkPrice, 'amount' | 'tip'> {
  const base = link.amountMicros ?? enteredMicros;
  if (base === null || base <= 0n || (link.amountMicros === null && !isBetween(base, link)))
    return err('amount');
  if (tipPercent !== 0n && !link.tips.includes(tipPercent)) return err('tip');
  const tip = mulDiv(base, tipPercent, 100n, 'ceil');
  const tipMicros = ceilToMinor(tip, link.fiatCurrency);
  return ok({ micros: base + tipMicros, tipMicros });
}

function isBetween(micros: bigint, { leastMicros, mostMicros }: Pick<Amounts, 'leastMicros' | 'mostMicros'>) {
  return (leastMicros === null || micros >= leastMicros) && (mostMicros === null || micros <= mostMicros);
}

/** An amount of a link as a decimal of its currency. */
export function linkDecimal(micros: bigint): string {
  return formatUnits(micros, FIAT_DECIMALS);
}
