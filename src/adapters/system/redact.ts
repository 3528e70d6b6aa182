/**
 * Makes values safe for a log line: it replaces a secret that its field's name or its own form
 * reveals, and turns every value into plain JSON. Never throws.
 */

const REDACTED = '[redacted]';
const DEPTH_MAX = 5;

/**
 * Names are compared without case, `-` and `_`: `X-Api-Key`, `api_key` and `apiKey` are one name.
 */
const SECRET_NAMES = new Set([
  'xapikey',
  'apikey',
  'authorization',
  'proxyauthorization',
  'xservicesignature',
  'signature',
  'payerinfo',
  'masterkey',
  'webhooksecret',
  'seed',
  'mnemonic',
  'privatekey',
  'viewkey',
  'password',
]);

/** Masks merchants' API keys and webhook secrets, and the passwords of URLs, inside a text. */
function maskText(text: string): string {
  return text
    .replace(/sk_(live|sandbox)_[0-9A-Za-z]+/g, `sk_$1_${REDACTED}`)
    .replace(/whsec_[0-9A-Za-z+/=]+/g, `whsec_${REDACTED}`)
    .replace(/\/\/[^\s/?#@]*:[^\s/?#]*@/g, `//${REDACTED}@`);
}

/** A copy of `fields` for the log. Values nested deeper than five levels are left out unread. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return redactObject(fields, 1);
  } catch {
    return { unloggable: true };
  }
}

function redactObject(object: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      maskText(name),
      isSecretName(name) && value !== null && value !== undefined ? REDACTED : redactValue(value, depth + 1),
    ]),
  );
}

function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.replace(/[-_]/g, '').toLowerCase());
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  return typeof value === 'object' && value !== null ? redactStructure(value, depth) : value;
}

function redactStructure(value: object, depth: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (value instanceof URL) return maskText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth > DEPTH_MAX) return '[too deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Map) return redactObject(Object.fromEntries(value), depth);
  if (Array.isArray(value) || value instanceof Set)
    return [...value].map((item) => redactValue(item, depth + 1));
  return redactObject(value, depth);
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  // These four are not enumerable, unlike other properties of an error.
  const { name, message, stack, cause } = error;
  const plain = cause === undefined ? { name, message, stack } : { name, message, stack, cause };
  return redactObject(Object.assign(plain, error), depth);
}
