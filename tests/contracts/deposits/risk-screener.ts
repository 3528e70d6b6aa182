/** The contract of every risk screener, run by each adapter's test. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { RiskScreener, RiskSubject } from '../../../src/ports/deposits/risk-screener.ts';

export interface ScreenerUnderTest {
  readonly screener: RiskScreener;
  /** Makes the screener's source fail until `repair`. */
  breakDown(): Promise<void>;
  repair(): Promise<void>;
  close(): Promise<void>;
}

/** Senders that the tested screener must deny. */
export const DENIED_EVM = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';
export const DENIED_TRON = 'TNiq9AXBp9EjUqhDhrwrfvAA8U3GUQZH81';

export function riskSubject(change: Partial<RiskSubject> = {}): RiskSubject {
  return {
    depositId: '0199aabbccdd001122334455',
    chain: 'ethereum',
    asset: 'usdt_ethereum',
    txid: `0x${'ab'.repeat(32)}`,
    from: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
    to: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    units: 2n ** 200n,
    sandbox: false,
    ...change,
  };
}

export function describeRiskScreener(name: string, open: () => Promise<ScreenerUnderTest>): void {
  describe(`risk screener: ${name}`, () => {
    let subject: ScreenerUnderTest;
    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close());

    test('passes an ordinary sender and an unknown sender', async () => {
      expect(await subject.screener.screen(riskSubject())).toEqual({ kind: 'pass' });
      expect(await subject.screener.screen(riskSubject({ from: null }))).toEqual({ kind: 'pass' });
    });

    test('hits a denied sender with a reason, in any case of an EVM address', async () => {
      for (const from of [
        DENIED_EVM,
        DENIED_EVM.toLowerCase(),
        `0x${DENIED_EVM.slice(2).toUpperCase()}`,
        DENIED_TRON,
      ]) {
        const verdict = await subject.screener.screen(riskSubject({ from }));
        expect(verdict).toEqual({ kind: 'hit', reason: expect.stringMatching(/\S/) });
      }
    });

    test('gives the same verdict when asked again', async () => {
      for (let time = 0; time < 3; time += 1) {
        expect((await subject.screener.screen(riskSubject())).kind).toBe('pass');
        expect((await subject.screener.screen(riskSubject({ from: DENIED_TRON }))).kind).toBe('hit');
      }
    });

    test('keeps verdicts apart that are asked at the same time', async () => {
      const kinds = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const from = index % 2 === 0 ? DENIED_EVM : null;
          return (await subject.screener.screen(riskSubject({ from }))).kind;
        }),
      );
      expect(kinds).toEqual(kinds.map((_, index) => (index % 2 === 0 ? 'hit' : 'pass')));
    });

    test('never passes a payment while it cannot know, and recovers', async () => {
      expect((await subject.screener.screen(riskSubject())).kind).toBe('pass');
      await subject.breakDown();
      expect(await subject.screener.screen(riskSubject())).toEqual({
        kind: 'unavailable',
        reason: expect.stringMatching(/\S/),
      });
      expect((await subject.screener.screen(riskSubject({ from: DENIED_EVM }))).kind).not.toBe('pass');
      await subject.repair();
      expect((await subject.screener.screen(riskSubject())).kind).toBe('pass');
      expect((await subject.screener.screen(riskSubject({ from: DENIED_EVM }))).kind).toBe('hit');
    });
  });
}
