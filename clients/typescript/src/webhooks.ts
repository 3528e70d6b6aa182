/** Webhooks: whether one is genuine, and what it says. */
import { type Decimals, parseJson } from './decimals.ts';
import { WebhookError } from './errors.ts';
import type { InvoiceWebhook, PayoutWebhook } from './generated/models.ts';
import { webCrypto } from './web-crypto.ts';

/** `event` tells a payout, or a test, from an invoice, which has none. */
export type WebhookEvent<D extends number | string = number> =
  | (InvoiceWebhook<D> & { event?: never })
  | PayoutWebhook<D>
  | TestWebhook;

/** What POST /notifications/test sends unless a status or a format is asked for: about nothing. */
export interface TestWebhook {
  event: 'test';
  message: string;
  created_at: number;
  sandbox?: true;
  order_id?: never;
  status?: never;
}

/** As a Request has them, or Node's, Express's and the like: an object of names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions<Mode extends Decimals = Decimals> {
  /** Checks `X-Service-Signature`, or during a change of keys `X-Service-Signature-Previous`. */
  readonly apiKey?: string;
  /**
   * `whsec_...`: checks the headers of Standard Webhooks, and that the attempt is not of long ago.
   */
  readonly webhookSecret?: string;
  /** How far the sender's clock may be from ours, in either direction; 300 unless given. */
  readonly toleranceSeconds?: number;
  /** Amounts as exact strings with `string`; numbers unless given. */
  readonly decimals?: Mode;
  /** Unix milliseconds; the clock's unless given. */
  readonly now?: number;
}

/**
 * The event of a genuine webhook. `body` is what came, before any parsing. Every secret that is
 * given must fit; the comparison takes the same time wherever a signature differs. Throws a
 * WebhookError otherwise.
 */
export async function verifyWebhook<Mode extends Decimals = 'number'>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  options: WebhookOptions<Mode>,
): Promise<WebhookEvent<Mode extends 'string' ? string : number>> {
  const { apiKey, webhookSecret, decimals = 'number' } = options;
  if (apiKey === undefined && webhookSecret === undefined) {
    throw new TypeError('verifyWebhook needs an apiKey or a webhookSecret');
  }
  const bytes = typeof body === 'string' ? encode(body) : new Uint8Array(body);
  if (apiKey !== undefined) await checkService(bytes, headers, apiKey);
  if (webhookSecret !== undefined) await checkStandard(bytes, headers, webhookSecret, options);
  try {
    return parseJson(new TextDecoder().decode(bytes), decimals) as WebhookEvent<
      Mode extends 'string' ? string : number
    >;
  } catch {
    throw new WebhookError('NOT_JSON', 'the webhook is signed, but its body is not JSON');
  }
}

async function checkService(
  body: Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  apiKey: string,
): Promise<void> {
  const given = ['x-service-signature', 'x-service-signature-previous'].flatMap((name) => {
    const text = headerOf(headers, name);
    return text === null ? [] : [fromHex(text)];
  });
  await oneFits(given, body, encode(apiKey), 'X-Service-Signature');
}

/** https://www.standardwebhooks.com: `v1,` and base64, several with spaces between. */
async function checkStandard(
  body: Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions,
): Promise<void> {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  const given = (signatures ?? '')
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? [fromBase64(signature.slice(3))] : []));
  const head = encode(`${id ?? ''}.${time ?? ''}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  await oneFits(given, signed, fromBase64(secret.replace(/^whsec_/, '')), 'webhook-signature');
  const isNear = Math.abs(now / 1000 - Number(time)) <= toleranceSeconds;
  if (!/^\d{1,12}$/.test(time ?? '') || !isNear) {
    throw new WebhookError('WRONG_TIME', 'the webhook-timestamp is too far from now');
  }
}

async function oneFits(
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
  secret: Uint8Array<ArrayBuffer>,
  header: string,
): Promise<void> {
  if (signatures.length === 0) throw new WebhookError('NO_SIGNATURE', `the webhook has no ${header}`);
  if (secret.length === 0) throw new TypeError('the apiKey is empty, or the webhookSecret is none');
  const { subtle } = await webCrypto();
  const key = await subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const fits = await Promise.all(
    signatures.map((signature) => subtle.verify('HMAC', key, signature, signed)),
  );
  if (!fits.includes(true)) throw new WebhookError('WRONG_SIGNATURE', `the ${header} does not fit the body`);
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? [];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

/** Of any library: not all of them are the platform's own class. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === 'function';
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Empty, which fits nothing, where the text is not hex. */
function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const pairs = /^(?:[0-9a-f]{2})*$/i.test(text) ? (text.match(/../g) ?? []) : [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}

/** Empty, which fits nothing, where the text is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
