/**
 * Well-formed text of any letters, ASCII and what is escaped more often than the rest. `unit:
 * 'binary'` would build its table for seconds.
 */
import fc from 'fast-check';

const LETTER = fc.oneof(
  fc.nat(0x7f),
  fc.constantFrom(0x22, 0x2f, 0x5c, 0xe9, 0x2028, 0x2029, 0x1f4b6),
  fc.nat(0xd7ff),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

export function anyText(length: { minLength?: number; maxLength: number }): fc.Arbitrary<string> {
  return fc.string({ unit: LETTER.map((code) => String.fromCodePoint(code)), ...length });
}
