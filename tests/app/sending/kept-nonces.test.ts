/** How long a batch keeps its nonce whose bytes may have been lost (safety.md G4). */
import { describe, expect, test } from 'bun:test';
import { fakeCapabilities } from '../../../src/adapters/chains/fake/fake-capabilities.ts';
import { applyRefusal } from '../../../src/app/sending/signing/apply-refusal.ts';
import { keptNonces } from '../../../src/app/sending/signing/kept-nonces.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { SigningRefused } from '../../../src/ports/sending/signer.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { openPayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const UNCLEAR = new SendingRefused('unclear', 'the nodes disagree');
const allocated = (changes: Partial<OutgoingTransfer>) => anOutgoing({ status: 'allocated', ...changes });
const mayBeSigned = () => allocated({ openAttempts: 1 });

test('two minutes from the first refusal on, however often it is refused', () => {
  const clock = testClock();
  const kept = keptNonces(clock);
  const batch = [mayBeSigned()] as const;
  clock.advance(3_600);
  for (let second = 0; second < 120; second += 40) {
    expect(kept.keeps(batch, UNCLEAR)).toBe(true);
    clock.advance(40);
  }
  expect(kept.keeps(batch, UNCLEAR)).toBe(false);
  expect(kept.keeps([mayBeSigned()], UNCLEAR)).toBe(true);
});

test('no longer where the clock is set back by hours', () => {
  const clock = testClock();
  const kept = keptNonces(clock);
  const batch = [mayBeSigned()] as const;
  expect(kept.keeps(batch, UNCLEAR)).toBe(true);
  clock.advance(-10_800);
  expect(kept.keeps(batch, UNCLEAR)).toBe(false);
});

test.each([
  ['nothing of it can be signed', [allocated({})], UNCLEAR],
  ['it moves nothing any more', [allocated({ openAttempts: 1, voided: true })], UNCLEAR],
  ['its bytes are stored', [anOutgoing({ status: 'signed', openAttempts: 1 })], UNCLEAR],
  ['its recipient is to blame', [mayBeSigned()], new SendingRefused('untried', 'its trial takes long')],
  ['the wallet lacks money', [mayBeSigned()], new SendingRefused('money', 'it lacks 1 ETH')],
  ['the signer refuses it', [mayBeSigned()], new SigningRefused('over the limit')],
] as const)('not at all where %s', (_, batch, error) => {
  expect(keptNonces(testClock()).keeps(batch, error)).toBe(false);
});

test('also where one of several may be signed', () => {
  expect(keptNonces(testClock()).keeps([allocated({}), mayBeSigned()], UNCLEAR)).toBe(true);
});

describe.skipIf(!needs('postgres', postgresAvailable()))('payments that leave together', () => {
  test('stay together for two minutes, and step aside then', async () => {
    const capabilities = { ...fakeCapabilities('ton'), paymentsAtOnce: 3 };
    const stage = await openPayoutStage({
      at: { chain: 'ton', native: 'ton_ton' },
      sender: { capabilities },
    });
    try {
      for (let nth = 0; nth < 3; nth += 1) await stage.order();
      // The chain of the test makes one payment at a time: the batch is there, and is not signed.
      await expect(stage.step()).rejects.toThrow('3 payments');
      const asked = (await stage.open()).map((transfer) => ({ ...transfer, openAttempts: 1 }));
      await stage.deps.unitOfWork.run((r) => r.outgoing.saveAll(asked));
      const kept = keptNonces(stage.deps.clock);
      const transferBatchId = asked[0]?.transferBatchId ?? '';
      const refuse = () =>
        applyRefusal(stage.deps, stage.on, { transferBatchId, asked, feeIsOutlier: false, kept }, UNCLEAR);
      await refuse();
      expect(await stage.open()).toHaveLength(3);
      stage.journey.clock.advance(120);
      await refuse();
      expect(await stage.open()).toEqual([]);
    } finally {
      await stage.close();
    }
  });
});
