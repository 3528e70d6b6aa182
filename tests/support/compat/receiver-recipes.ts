/**
 * How receivers of each provider tell that a webhook is genuine: the recipes of the providers'
 * documentation, SDKs and plugins, written apart from the code that signs. A recipe in PHP goes
 * through PHP's own JSON (php.ts).
 */
import { createHash, createHmac } from 'node:crypto';
import type { WebhookFormat } from '../../../src/domain/webhooks/webhook-format.ts';
import type { Json } from '../test-service.ts';
import { phpEncode } from './php.ts';

export interface DeliveredWebhook {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Recipe = (delivered: DeliveredWebhook, key: string) => boolean;

const hmac = (algorithm: string, key: string, text: string) =>
  createHmac(algorithm, key).update(text).digest('hex');

/** PHP: decode, take `sign` out, json_encode with JSON_UNESCAPED_UNICODE. */
const cryptomusInPhp: Recipe = ({ body }, key) => {
  const { sign, ...fields } = JSON.parse(body);
  const json = phpEncode(fields, { unescapedUnicode: true });
  return createHash('md5').update(Buffer.from(json).toString('base64')).update(key).digest('hex') === sign;
};

/** JavaScript: as their documentation says, with the slashes escaped by hand. */
const cryptomusInJavaScript: Recipe = ({ body }, key) => {
  const { sign, ...fields } = JSON.parse(body);
  const json = JSON.stringify(fields).replace(/\//gm, '\\/');
  return createHash('md5').update(Buffer.from(json).toString('base64')).update(key).digest('hex') === sign;
};

/** Go: what stands before the signature, byte for byte. */
const cryptomusRaw: Recipe = ({ body }, key) => {
  const [, fields, sign] = /^(.*),"sign":"([0-9a-f]{32})"\}$/s.exec(body) ?? [];
  const encoded = Buffer.from(`${fields}}`).toString('base64');
  return createHash('md5').update(encoded).update(key).digest('hex') === sign;
};

function sortedDeep(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortedDeep(inner)]),
  );
}

const nowpaymentsBy =
  (write: (fields: unknown) => string): Recipe =>
  ({ body, headers }, key) =>
    hmac('sha512', key, write(sortedDeep(JSON.parse(body)))) === headers['x-nowpayments-sig'];

const rawSha512: Recipe = ({ body, headers }, key) => hmac('sha512', key, body) === headers.hmac;

/**
 * Their example: the client id and the secret are the receiver's own, the URL is where it was
 * called. The id is the merchant's, which the body names, too.
 */
const coinpaymentsV2: Recipe = ({ url, body, headers }, key) => {
  const { merchantId } = JSON.parse(body).invoice;
  const signed = `\ufeffPOST${url}${merchantId}${headers['x-coinpayments-timestamp']}${body}`;
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  return expected === headers['x-coinpayments-signature'];
};

const cryptomus = { php: cryptomusInPhp, javaScript: cryptomusInJavaScript, raw: cryptomusRaw };

const RECIPES: Readonly<Record<WebhookFormat, Readonly<Record<string, Recipe>>>> = {
  native_v2: {
    raw: ({ body, headers }, key) => hmac('sha256', key, body) === headers['x-service-signature'],
  },
  cryptomus,
  heleket: cryptomus,
  nowpayments: {
    node: nowpaymentsBy((fields) => JSON.stringify(fields)),
    phpOfTheirPlugin: nowpaymentsBy((fields) => phpEncode(fields)),
    phpOfTheirDocumentation: nowpaymentsBy((fields) => phpEncode(fields, { unescapedSlashes: true })),
    phpWithAllFlags: nowpaymentsBy((fields) =>
      phpEncode(fields, { unescapedSlashes: true, unescapedUnicode: true }),
    ),
  },
  coinpayments: { raw: rawSha512 },
  coinpayments_v2: { raw: coinpaymentsV2 },
};

/** Where a body of the format says which status. */
const WORDS: Readonly<Record<WebhookFormat, (body: Json) => string>> = {
  native_v2: ({ status }) => status,
  cryptomus: ({ status }) => status,
  heleket: ({ status }) => status,
  nowpayments: ({ payment_status }) => payment_status,
  coinpayments: ({ status }) => status,
  coinpayments_v2: ({ type }) => type,
};

export function bodyOf(format: WebhookFormat, { body }: { readonly body: string }): Json {
  return format === 'coinpayments' ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
}

/** The provider's word for the status that a webhook tells. */
export function wordOf(format: WebhookFormat, webhook: { readonly body: string }): string {
  return WORDS[format](bodyOf(format, webhook));
}

/** The names of the recipes that refuse it: none for a genuine one. */
export function refusedBy(
  format: WebhookFormat,
  delivered: DeliveredWebhook,
  key: string,
): readonly string[] {
  return Object.entries(RECIPES[format]).flatMap(([name, accepts]) =>
    accepts(delivered, key) ? [] : [name],
  );
}
