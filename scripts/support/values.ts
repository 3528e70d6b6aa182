/** Readers of option values. Each throws a UsageError whose message completes "<option> ...". */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { NOTE_LENGTH_MAX } from '../../src/domain/audit/audit-entry.ts';
import { CHAINS } from '../../src/domain/catalog/chain.ts';
import { FIAT_CURRENCIES, type FiatCurrency, isFiatCurrency } from '../../src/domain/catalog/fiat.ts';
import { OVERLAP_SECONDS_MAX } from '../../src/domain/merchants/key-overlap.ts';
import { type Decimal, parseDecimal, toUnits } from '../../src/domain/money/decimal.ts';
import { PERCENT_DECIMALS, PPM } from '../../src/domain/money/fee.ts';
import { checkWebhookUrl } from '../../src/domain/webhooks/webhook-url.ts';
import { UsageError } from './failures.ts';

const NAME_LENGTH_MAX = 200;

/** 24 lower-case hex digits; upper case is accepted. */
export function id(text: string): string {
  const lower = text.toLowerCase();
  if (!/^[0-9a-f]{24}$/.test(lower)) throw new UsageError(`must be an id of 24 hex digits, got "${text}"`);
  return lower;
}

/** A transaction's hash in hex; XRP's is shown in upper case. */
export function txid(text: string): string {
  const upper = text.toUpperCase();
  if (!/^[0-9A-F]{64}$/.test(upper))
    throw new UsageError(`must be a transaction's hash of 64 hex digits, got "${text}"`);
  return upper;
}

export function merchantName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX || /\p{Cc}/u.test(name)) {
    throw new UsageError(`must be 1 to ${NAME_LENGTH_MAX} printable characters`);
  }
  return name;
}

export function webhookUrl(text: string): string {
  const fault = checkWebhookUrl(text);
  if (fault !== null) throw new UsageError(`is not usable: ${fault}`);
  return text;
}

/** A URL, or `none` to remove it. */
export function webhookUrlOrNone(text: string): string | null {
  return text === 'none' ? null : webhookUrl(text);
}

/**
 * A percentage from 0 to under 100 in ppm. More than four decimals are refused, since they would be
 * rounded.
 */
export function percentPpm(text: string): bigint {
  const decimal = parseDecimal(text);
  const ppm = decimal === null ? null : toUnits(decimal, PERCENT_DECIMALS);
  if (ppm === null || ppm < 0n || ppm >= PPM) {
    throw new UsageError(
      `must be a percentage from 0 to under 100 with at most ${PERCENT_DECIMALS} decimals`,
    );
  }
  return ppm;
}

/**
 * An address or a CIDR range, as its network: 10.1.2.3/8 becomes 10.0.0.0/8, 10.1.2.3 becomes
 * 10.1.2.3/32.
 */
export function subnet(text: string): string {
  const [host = '', bits, ...rest] = text.trim().split('/');
  const family = isIP(host);
  const range = `${host}/${bits ?? (family === 4 ? '32' : '128')}`;
  // ipaddr.js also accepts 0x7f.1, and a zone would never match a caller.
  const isRange = family !== 0 && !host.includes('%') && rest.length === 0 && /\/\d{1,3}$/.test(range);
  if (!isRange || !ipaddr.isValidCIDR(range)) {
    throw new UsageError(`must be an IP address or a CIDR range, got "${text}"`);
  }
  const [address, prefix] = ipaddr.parseCIDR(range);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    throw new UsageError(`must be written as an IPv4 range, got "${text}"`);
  }
  const network = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${network.networkAddressFromCIDR(range).toString()}/${prefix}`;
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((known) => known === text);
    if (choice === undefined) throw new UsageError(`must be one of ${choices.join(', ')}, got "${text}"`);
    return choice;
  };
}

export const chainName = oneOf(CHAINS.map(({ name }) => name));

/**
 * An asset's key, and its chain. The catalog is checked later: the configuration may add assets.
 */
export function assetKey(text: string): { asset: string; chain: string } {
  const [, chain] = /^[a-z0-9]+_([a-z]+)$/.exec(text) ?? [];
  if (chain === undefined || !CHAINS.some(({ name }) => name === chain))
    throw new UsageError(`must be the key of an asset, usdt_ethereum for example, got "${text}"`);
  return { asset: text, chain };
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new UsageError(`must be a whole number, ${least} to ${most}, got "${text}"`);
    }
    return number;
  };
}

const SECONDS_IN = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** How long two keys are both valid, in seconds: `90m`, `24h`, `7d`; `0` for not at all. */
export function overlapSeconds(text: string): number {
  if (text === '0') return 0;
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * SECONDS_IN[(unit ?? 's') as keyof typeof SECONDS_IN];
  if (!(seconds <= OVERLAP_SECONDS_MAX))
    throw new UsageError(`must be 0 or a time like 90m, 24h or 7d, at most 30d, got "${text}"`);
  return seconds;
}

export function fiatCurrency(text: string): FiatCurrency {
  const code = text.toUpperCase();
  if (!isFiatCurrency(code))
    throw new UsageError(`must be one of ${FIAT_CURRENCIES.join(', ')}, got "${text}"`);
  return code;
}

/** A decimal above zero. */
export function positiveAmount(text: string): Decimal {
  const amount = parseDecimal(text);
  if (amount === null || amount.digits <= 0n) {
    throw new UsageError(`must be a decimal above zero, got "${text}"`);
  }
  return amount;
}

/** An address: its form is checked against its chain later. */
export function address(text: string): string {
  if (!/^[!-~]{1,200}$/.test(text)) throw new UsageError(`must be an address, got "${text}"`);
  return text;
}

/** An ISO-8601 date or datetime; without a zone it is UTC. */
export function instant(text: string): Date {
  const match = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const at = new Date(match ? `${match[1]}T${match[2] ?? '00:00'}${match[3] ?? 'Z'}` : Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw new UsageError(`must be an ISO-8601 date like 2026-01-31 or 2026-01-31T12:00:00Z, got "${text}"`);
  }
  return at;
}

export function operatorName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100 || /\p{Cc}/u.test(name))
    throw new UsageError('must be 1 to 100 printable characters');
  return name;
}

export function reason(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > NOTE_LENGTH_MAX || /\p{Cc}/u.test(trimmed)) {
    throw new UsageError(`must be 1 to ${NOTE_LENGTH_MAX} printable characters`);
  }
  return trimmed;
}
