/**
 * What a jetton's master contract says about the jetton on the chain (TEP-64). Most, including
 * USDT, only say where to read it.
 */
import { createHash } from 'node:crypto';
import { type Cell, Dictionary } from '@ton/core';

const ON_CHAIN = 0;
const SNAKE = 0;
const DECIMALS = createHash('sha256').update('decimals').digest();

/** The decimals in the content; null where it has none: then only the catalog states them. */
export function chainDecimals(content: Cell): number | null {
  try {
    const slice = content.beginParse();
    if (slice.loadUint(8) !== ON_CHAIN) return null;
    const entries = slice.loadDict(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
    const text = entries.get(DECIMALS)?.beginParse();
    if (text === undefined || text.loadUint(8) !== SNAKE) return null;
    const written = text.loadStringTail();
    return /^\d{1,3}$/.test(written) ? Number(written) : null;
  } catch {
    return null;
  }
}
