/** The orders of PostgreSQL for sorts in memory; null is not among the values. */

/** As in the collation C, by the bytes of UTF-8: that is the order of code points. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let n = 0; n < length; n += 1) {
    const [one, other] = [a.charCodeAt(n), b.charCodeAt(n)];
    if (one !== other) return weightOf(one) - weightOf(other);
  }
  return a.length - b.length;
}

/** Surrogates are parts of code points above all others. */
function weightOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function byNumber(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

export function byTime(a: Date, b: Date): number {
  return a.getTime() - b.getTime();
}

export function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}
