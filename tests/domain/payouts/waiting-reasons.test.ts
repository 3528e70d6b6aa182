/** When a payout that waits has had its turn, and when what is known of it is told already. */
import { describe, expect, test } from 'bun:test';
import {
  isAlreadyRecorded,
  isRetryDue,
  pauseMs,
  steppedAside,
  TRIES_MAX,
  type Waiting,
} from '../../../src/domain/payouts/waiting-reasons.ts';

const at = new Date('2026-01-01T00:00:00Z');
const waiting: Waiting = { code: 'liquidity', reason: 'the hot wallet has less', at };

describe('a payout that waits', () => {
  test('has had its turn ten seconds after it was looked at', () => {
    expect(isRetryDue(waiting, new Date(at.getTime() + 9_999))).toBe(false);
    expect(isRetryDue(waiting, new Date(at.getTime() + 10_000))).toBe(true);
  });

  test('is told again only when code or reason are others', () => {
    expect(isAlreadyRecorded(waiting, { code: 'liquidity', reason: waiting.reason })).toBe(true);
    expect(isAlreadyRecorded(waiting, { code: 'asset', reason: waiting.reason })).toBe(false);
    expect(isAlreadyRecorded(waiting, { code: 'liquidity', reason: 'it has even less' })).toBe(false);
    expect(isAlreadyRecorded(null, waiting)).toBe(false);
  });

  test('G4: steps aside for pauses that double, and for a bounded time; a fee above the policy is left to the market', () => {
    const now = at.getTime();
    const until = (code: Waiting['code'], tries: number) =>
      steppedAside({ code, reason: 'why' }, tries, at)?.at.getTime();
    const pauses = Array.from({ length: TRIES_MAX }, (_, tries) => pauseMs(tries + 1) / 1_000);
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640]);
    expect(until('trial', 1)).toBe(now + pauseMs(1));
    expect(until('trial', TRIES_MAX)).toBe(now + pauseMs(TRIES_MAX));
    expect(until('trial', TRIES_MAX + 1)).toBeUndefined();
    expect(until('fee', TRIES_MAX + 1)).toBe(now + pauseMs(TRIES_MAX + 1));
  });
});
