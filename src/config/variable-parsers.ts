/** Parsers of environment variables. Each returns null for an invalid text. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FIAT_DECIMALS } from '../domain/catalog/fiat.ts';
import { isEmailAddress } from '../domain/merchants/brand.ts';
import { parseDecimal, toUnits } from '../domain/money/decimal.ts';
import { checkWebhookUrl } from '../domain/webhooks/webhook-url.ts';
import type { MailConfig } from './types.ts';

/**
 * Prefixes of existing webhook headers: the gateway's own, those of Standard Webhooks, and those of
 * the formats (decisions 0012 and 0013).
 */
const TAKEN_PREFIXES: ReadonlySet<string> = new Set(['x-service', 'webhook', 'x-coinpayments']);
export const HEADER_PREFIXES_MAX = 5;

export function headerPrefixes(text: string): readonly string[] | null {
  const prefixes = text.split(',').map((part) => part.trim());
  const names = new Set(prefixes.map((prefix) => prefix.toLowerCase()));
  const isGood =
    names.size === prefixes.length &&
    prefixes.length <= HEADER_PREFIXES_MAX &&
    prefixes.every((prefix) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/i.test(prefix) && prefix.length <= 40) &&
    [...names].every((name) => !TAKEN_PREFIXES.has(name));
  return isGood ? prefixes : null;
}

export function integerUpTo(max: number): (text: string) => number | null {
  return (text) => (/^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : null);
}

/** 0, or a number of days that is not too few. */
export function daysFrom(least: number): (text: string) => number | null {
  const parse = integerUpTo(36_500);
  return (text) => {
    const days = parse(text);
    return days === null || (days > 0 && days < least) ? null : days;
  };
}

export function listOf(parse: (text: string) => string | null): (text: string) => readonly string[] | null {
  return (text) => {
    const parsed = text.split(',').map((part) => parse(part.trim()));
    return parsed.every((part) => part !== null) ? parsed : null;
  };
}

/**
 * Checks only the form: the host may be missing if the query names a socket, which URL.parse does
 * not accept.
 */
export function postgresUrl(text: string): string | null {
  return /^postgres(?:ql)?:\/\/[^\s/?#]+(?:[/?]\S*)?$/.test(text) ? text : null;
}

/** Whether the URL of a database leads through a connection pooler. */
export function namesPooler(url: string): boolean {
  return /[?&]pgbouncer=true(?:&|$)/.test(url);
}

/** The kernel limits the name of a socket to 107 bytes. */
export function socketPath(text: string): string | null {
  return Buffer.byteLength(text) <= 100 ? text : null;
}

export function proxyUrl(text: string): string | null {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && url.hostname !== '' && url.pathname + url.search + url.hash === '/'
    ? text
    : null;
}

/**
 * A URL to append paths to: without query, fragment and credentials; the trailing slash is removed.
 */
export function siteUrl(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username || url.password)
    return null;
  return url.href.replace(/\/+$/, '');
}

/** A URL to post to, with its query: it is secret, and used as it is. */
export function hookUrl(text: string): string | null {
  return checkWebhookUrl(text) === null && !text.includes('#') ? text : null;
}

export function masterKeyHex(text: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  // 32 bytes are 43 characters and one padding; the last character carries 4 bits, so its other two
  // must be zero.
  if (!/^[A-Za-z0-9+/_-]{42}[AEIMQUYcgkosw048]=?$/.test(text)) return null;
  return Buffer.from(text, 'base64').toString('hex');
}

export function address(text: string): string | null {
  return isIP(text) === 0 ? null : text; // ipaddr.js alone would take 0x7f.1
}

export function addressOrRange(text: string): string | null {
  const [host = '', ...range] = text.split('/');
  if (address(host) === null || range.length > 1) return null;
  return range.length === 0 || (/^\d{1,3}$/.test(range[0] ?? '') && ipaddr.isValidCIDR(text)) ? text : null;
}

/** `name`, `name:port`, an address, or `[v6 address]:port`. */
export function allowedHost(text: string): string | null {
  if (address(text) !== null) return text;
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const bracketed = /^\[(.*)\]$/.exec(host)?.[1];
  const isHost = bracketed === undefined ? isHostName(host) : isIP(bracketed) === 6;
  return isHost && Number(port ?? 1) <= 65_535 ? text.toLowerCase() : null;
}

function isHostName(text: string): boolean {
  return /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(text) && text.length <= 253;
}

const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/** `smtps`: TLS from the first byte. `smtp`: STARTTLS is required, except with `?tls=none`. */
export function smtpServer(text: string): Omit<MailConfig, 'from'> | null {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || !['smtp:', 'smtps:'].includes(url.protocol)) return null;
  const isTls = url.protocol === 'smtps:';
  const plain = url.searchParams.get('tls') === 'none';
  if (isTls && plain) return null;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isTls ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port),
    security: isTls ? 'tls' : plain ? 'none' : 'starttls',
    user: url.username === '' ? null : decodeURIComponent(url.username),
    password: url.password === '' ? null : decodeURIComponent(url.password),
  };
}

export function mailAddress(text: string): string | null {
  return isEmailAddress(text) ? text : null;
}

/** Micro-USD. */
export function usdAmount(text: string): bigint | null {
  const amount = /^\d{1,12}(?:\.\d{1,6})?$/.test(text) ? parseDecimal(text) : null;
  return amount === null ? null : toUnits(amount, FIAT_DECIMALS);
}
