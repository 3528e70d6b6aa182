/**
 * Call data of the few TRC-20 methods that are needed: words of 32 bytes, lower-case hex, no `0x`.
 */
import { ADDRESS_PREFIX } from './address.ts';

const TRANSFER_SELECTOR = 'a9059cbb';
const BALANCE_OF_SELECTOR = '70a08231';
/** Selectors of methods without arguments: decimals(), symbol(). */
export const DECIMALS_CALL = '313ce567';
export const SYMBOL_CALL = '95d89b41';

/** Contracts write addresses without the first byte. */
const addressWord = (hex: string): string => hex.slice(ADDRESS_PREFIX.length).padStart(64, '0');

/** TRC-20 `transfer(to, units)`; `to` in hex, `41` first. */
export function transferCall({ to, units }: { to: string; units: bigint }): string {
  return `${TRANSFER_SELECTOR}${addressWord(to)}${units.toString(16).padStart(64, '0')}`;
}

/**
 * The exact inverse of transferCall; null for all other call data, also if it is one byte longer.
 */
export function readTransferCall(data: string): { readonly to: string; readonly units: bigint } | null {
  const found = /^a9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data);
  return found === null ? null : { to: `${ADDRESS_PREFIX}${found[1]}`, units: BigInt(`0x${found[2]}`) };
}

/** TRC-20 `balanceOf(wallet)`. */
export function balanceCall(wallet: string): string {
  return `${BALANCE_OF_SELECTOR}${addressWord(wallet)}`;
}
