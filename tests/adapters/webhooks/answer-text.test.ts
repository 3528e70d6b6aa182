import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { answerText } from '../../../src/adapters/webhooks/answer-text.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

describe('what is kept of an answer', () => {
  test('is its first 500 characters, not bytes and not UTF-16 units', () => {
    expect(answerText([utf8('a'.repeat(600))])).toBe('a'.repeat(500));
    expect(answerText([utf8('ü'.repeat(600))])).toBe('ü'.repeat(500));
    expect(answerText([utf8('🚀'.repeat(600))])).toBe('🚀'.repeat(500));
    expect(answerText([utf8(`a${'🚀'.repeat(600)}`)])).toBe(`a${'🚀'.repeat(499)}`);
    expect(answerText([])).toBe('');
  });

  test('has no NUL, and NULs do not count', () => {
    expect(answerText([utf8(`\0a\0\0b${'\0'.repeat(2_000)}${'c'.repeat(600)}`)])).toBe(
      `ab${'c'.repeat(498)}`,
    );
  });

  test('is whole although a character arrives in two pieces, and a half one at the end is left out', () => {
    const rocket = utf8('x🚀');
    expect(answerText([rocket.subarray(0, 3), rocket.subarray(3)])).toBe('x🚀');
    expect(answerText([rocket.subarray(0, 3)])).toBe('x');
  });

  test('replaces what is not UTF-8, surrogates in UTF-8 clothes included', () => {
    expect(answerText([Uint8Array.of(0xff, 0x61)])).toBe('\ufffda');
    expect(answerText([Uint8Array.of(0xed, 0xa0, 0x80, 0x61)]).isWellFormed()).toBe(true);
  });

  test('is always text that PostgreSQL takes, for any bytes in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), (chunks) => {
        const text = answerText(chunks);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\0');
        expect(Array.from(text).length).toBeLessThanOrEqual(500);
      }),
    );
  });
});
