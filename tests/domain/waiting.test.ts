/** When a payout that waits has had its turn, and when what is known of it is told already. */
import { describe, expect, test } from 'bun:test';
import { alreadyTold, hadItsTurn, type Waiting } from '../../src/domain/waiting.ts';

const at = new Date('2026-01-01T00:00:00Z');
const waiting: Waiting = { code: 'liquidity', reason: 'the hot wallet has less', at };

describe('a payout that waits', () => {
  test('has had its turn ten seconds after it was looked at', () => {
    expect(hadItsTurn(waiting, new Date(at.getTime() + 9_999))).toBe(false);
    expect(hadItsTurn(waiting, new Date(at.getTime() + 10_000))).toBe(true);
  });

  test('is told again only when code or reason are others', () => {
    expect(alreadyTold(waiting, { code: 'liquidity', reason: waiting.reason })).toBe(true);
    expect(alreadyTold(waiting, { code: 'asset', reason: waiting.reason })).toBe(false);
    expect(alreadyTold(waiting, { code: 'liquidity', reason: 'it has even less' })).toBe(false);
    expect(alreadyTold(null, waiting)).toBe(false);
  });
});
