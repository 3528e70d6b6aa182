/** One-time codes: the vectors of RFC 6238, and another library over random secrets. */
import { describe, expect, test } from 'bun:test';
import { base32nopad } from '@scure/base';
import fc from 'fast-check';
import { TOTP, URI } from 'otpauth';
import { oneTimeCodes } from '../../../src/adapters/accounts/one-time-codes.ts';
import { randomIds } from '../../../src/adapters/system/random-ids.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const codes = oneTimeCodes(randomIds(testClock()));
const RFC_SECRET = base32nopad.encode(Buffer.from('12345678901234567890'));
const at = (seconds: number) => new Date(seconds * 1_000);

describe('one-time codes', () => {
  // RFC 6238, appendix B, SHA-1: the last six of its eight digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('the code of second %i is %s', (seconds, code) => {
    expect(codes.stepOf(code, RFC_SECRET, at(seconds))).toBe(Math.floor(seconds / 30));
  });

  test('a code is taken in its step and the ones beside it, and names its own', () => {
    const step = Math.floor(1_111_111_109 / 30);
    for (const [by, found] of [
      [-2, null],
      [-1, step],
      [0, step],
      [1, step],
      [2, null],
    ] as const)
      expect(codes.stepOf('081804', RFC_SECRET, at((step + by) * 30))).toBe(found);
  });

  test('spaces are left out, and nothing else is a code', () => {
    expect(codes.stepOf(' 287 082 ', RFC_SECRET, at(59))).toBe(1);
    for (const typed of ['', '28708', '2870820', '94287082', '287083', 'abcdef', '２８７０８２'])
      expect(codes.stepOf(typed, RFC_SECRET, at(59))).toBeNull();
  });

  test('another library makes the same codes, and reads the URI as its secret', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        const secret = codes.secret();
        const totp = URI.parse(codes.uri(secret, { issuer: 'Quittance & Co', email: 'a+b@shop.example' }));
        if (!(totp instanceof TOTP)) throw new Error('no TOTP');
        expect([totp.issuer, totp.label, totp.secret.base32]).toEqual([
          'Quittance & Co',
          'a+b@shop.example',
          secret,
        ]);
        const code = totp.generate({ timestamp: seconds * 1_000 });
        expect(codes.stepOf(code, secret, at(seconds))).toBe(Math.floor(seconds / 30));
      }),
      { numRuns: 50 },
    );
  });

  test('a secret has 160 bits, and none comes twice', () => {
    const secrets = Array.from({ length: 50 }, () => codes.secret());
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(base32nopad.decode(secret)).toHaveLength(20);
  });
});
