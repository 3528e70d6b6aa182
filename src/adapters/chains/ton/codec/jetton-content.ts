/** What a jetton's master says about itself on the chain (TEP-64). Most say only where to read it, USDT too. */
import { createHash } from 'node:crypto';
import { type Cell, Dictionary } from '@ton/core';

const ON_CHAIN = 0;
const SNAKE = 0;
const DECIMALS = createHash('sha256').update('decimals').digest();

/** The decimals that the content tells, or null where it does not: then the catalog alone says them. */
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
