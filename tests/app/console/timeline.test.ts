/** Time lines: everything that is stored is there once, in order, and what is not is named. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { payoutTimeline, timelineOfInvoice, timelineOfPayout } from '../../../src/app/console/timeline.ts';
import type { InvoiceFacts, PayoutFacts } from '../../../src/ports/console/timeline-queries.ts';
import { aDeposit, anId, anInvoice, aPayout, inStatus, secondsAfter } from '../../support/builders.ts';

const seconds = fc.integer({ min: 0, max: 100_000 }).map((after) => secondsAfter(after));
const EMPTY: InvoiceFacts = {
  ...{ invoice: anInvoice(), issued: [], deposits: [], unmatched: [], entries: [] },
  ...{ deliveries: [], attempts: [], claims: [], refunds: [], mails: [] },
};
const NO_PAYOUT: PayoutFacts = {
  ...{ payout: aPayout(), entries: [], allocatedAt: [], signed: [], deliveries: [], attempts: [] },
};
const anAttempt = (sentAt: Date) => ({
  ...{ id: anId(), invoiceId: null, payoutId: null, eventSeq: null, url: 'https://shop.example', attempt: 1 },
  ...{ statusCode: 500, responseBody: 'later', sentAt, deliveryId: null },
});

describe('the time line of an invoice', () => {
  test('has every record, oldest first', () => {
    fc.assert(
      fc.property(fc.array(seconds), fc.array(seconds), fc.array(seconds), (paid, tried, posted) => {
        const { lines } = timelineOfInvoice({
          ...EMPTY,
          deposits: paid.map((firstSeenAt) => aDeposit({ firstSeenAt })),
          attempts: tried.map(anAttempt),
          entries: posted.map((at) => ({
            ...{ kind: 'income' as const, referenceId: anId(), depositId: null, at, microUsd: 1n },
          })),
        });
        const count = (code: string) => lines.filter((line) => line.code === code).length;
        expect(count('payment_seen')).toBe(paid.length);
        expect(count('webhook_attempt')).toBe(tried.length);
        expect(count('payment_credited')).toBe(posted.length);
        // Beside these it was created, and will expire.
        expect(lines).toHaveLength(paid.length + tried.length + posted.length + 2);
        const times = lines.map(({ at }) => at.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });

  test('says what became of it where no event does', () => {
    const expired = anInvoice({ ...inStatus('expired', secondsAfter(60)) });
    expect(timelineOfInvoice({ ...EMPTY, invoice: expired }).lines).toEqual([
      { at: expired.createdAt, code: 'created', asset: 'usdt_ethereum' },
      { at: secondsAfter(60), code: 'status', status: 'expired', nth: 0 },
    ]);
    const paid = anInvoice({ ...inStatus('success', secondsAfter(60)) });
    const event = { id: anId(), type: 'invoice.success', url: null, eventAt: secondsAfter(61), queued: null };
    const { lines } = timelineOfInvoice({ ...EMPTY, invoice: paid, deliveries: [event] });
    expect(lines.map(({ at, code }) => [code, at])).toEqual([
      ['created', paid.createdAt],
      ['status', secondsAfter(61)],
    ]);
  });

  test('names what is not stored, and only where it would be shown', () => {
    expect(timelineOfInvoice(EMPTY).unknown).toEqual([]);
    const some = timelineOfInvoice({
      ...EMPTY,
      invoice: anInvoice({ price: null }),
      deposits: [aDeposit({ status: 'dropped', block: null })],
    });
    expect(some.unknown).toEqual(['confirmations', 'choices', 'disappeared']);
    const attempts = Array.from({ length: 200 }, (_, n) => anAttempt(secondsAfter(n)));
    expect(timelineOfInvoice({ ...EMPTY, attempts }).unknown).toEqual(['older']);
  });
});

describe('the time line of a payout', () => {
  test('has what was signed, sent and posted', () => {
    const payout = aPayout({
      ...{ status: 'success', txid: '0xcd', txHashes: ['0xab', '0xcd'], processedAt: secondsAfter(50) },
    });
    const { lines, unknown } = timelineOfPayout({
      ...{ ...NO_PAYOUT, payout, allocatedAt: [secondsAfter(1)] },
      entries: [
        {
          kind: 'payout_reserved',
          referenceId: payout.id,
          depositId: null,
          at: secondsAfter(0),
          microUsd: -5n,
        },
        {
          kind: 'payout_settled',
          referenceId: payout.id,
          depositId: null,
          at: secondsAfter(50),
          microUsd: 0n,
        },
      ],
      signed: [
        { txid: '0xcd', ordinal: 2, voids: false, signedAt: secondsAfter(20), broadcastAt: secondsAfter(21) },
        { txid: '0xab', ordinal: 1, voids: false, signedAt: secondsAfter(2), broadcastAt: null },
      ],
    });
    expect(lines.map((line) => ('txid' in line ? `${line.code} ${line.txid}` : line.code))).toEqual([
      ...[
        'created',
        'reserved',
        'nonce_taken',
        'signed 0xab',
        'signed 0xcd',
        'broadcast 0xcd',
        'settled',
        'status',
      ],
    ]);
    expect(unknown).toEqual(['mined']);
  });

  test('tells a merchant that it is held or waits, and nothing of what operators wrote', async () => {
    const payout = aPayout({
      held: { code: 'operator', text: 'looks like fraud' },
      waiting: { code: 'liquidity', reason: 'the hot wallet has too little', at: secondsAfter(9) },
    });
    const read = payoutTimeline({
      consoleQueries: { payoutFacts: async () => ({ ...NO_PAYOUT, payout }) } as never,
    });
    const shown = (scope: Parameters<typeof read>[0]) =>
      read(scope, payout.id).then((timeline) =>
        JSON.stringify(timeline, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      );
    const [theirs, ours] = [await shown({ merchantId: anId(), sandbox: false }), await shown(null)];
    for (const remark of ['looks like fraud', 'the hot wallet has too little']) {
      expect(theirs).not.toContain(remark);
      expect(ours).toContain(remark);
    }
    expect(theirs).toContain('"held"');
    expect(theirs).toContain('"waiting"');
  });

  test('shows why it is held or waits', () => {
    const held = aPayout({ held: { code: 'limit', text: 'over the limit of a day' } });
    const { lines, unknown } = timelineOfPayout({ ...NO_PAYOUT, payout: held });
    expect(lines.map(({ code }) => code)).toEqual(['created', 'held']);
    expect(unknown).toEqual(['decisions']);
    const waiting = { code: 'liquidity' as const, reason: 'too little', at: secondsAfter(9) };
    const waits = timelineOfPayout({ ...NO_PAYOUT, payout: aPayout({ waiting }) });
    expect(waits.lines.at(-1)).toEqual({ at: secondsAfter(9), code: 'waiting', waiting });
  });
});
