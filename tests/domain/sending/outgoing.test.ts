/**
 * Batches of outgoing transfers: how they come apart, and how they are put together from what is
 * stored.
 */
import { describe, expect, test } from 'bun:test';
import {
  batchesOf,
  decideOutgoing,
  type OutgoingEvent,
  type OutgoingState,
} from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import {
  delegationOf,
  leavesUs,
  movesMoney,
  OUTGOING_PURPOSES,
} from '../../../src/domain/sending/outgoing-purpose.ts';
import { aBatch, anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { NEW_TRANSFER } from '../../support/payouts/payout-world.ts';

describe('a batch', () => {
  test('is dissolved while nothing is signed for it, once, and keeps the reason of who was to blame', () => {
    const reason = failureOf('chain_refused', 'its neighbour was refused');
    const event: OutgoingEvent = { type: 'dissolved', reason };
    const apart = decideOutgoing(NEW_TRANSFER, event);
    const left = { ...NEW_TRANSFER, status: 'failed', takenOut: true } as const;
    expect(apart).toEqual({ ...left, failure: reason });
    expect(apart && decideOutgoing(apart, event)).toBeNull();
    const blamed = decideOutgoing(NEW_TRANSFER, { type: 'voided', reason: failureOf('signer_refused') });
    expect(blamed && decideOutgoing(blamed, event)).toEqual({
      ...left,
      ...{ failure: failureOf('signer_refused'), voided: true },
    });
    for (const status of ['signed', 'confirmed', 'failed'] as const)
      expect(decideOutgoing({ ...NEW_TRANSFER, status }, event)).toBeNull();
  });

  test('loses a transfer while nothing is signed for it: that has no place in its transactions', () => {
    const reason = failureOf('operator', 'cancelled');
    const event: OutgoingEvent = { type: 'taken_out', reason };
    const out = decideOutgoing(NEW_TRANSFER, event);
    const left = { ...NEW_TRANSFER, status: 'failed', voided: true, takenOut: true } as const;
    expect(out).toEqual({ ...left, failure: reason });
    expect(out && decideOutgoing(out, event)).toBeNull();
    for (const status of ['signed', 'confirmed', 'failed'] as const)
      expect(decideOutgoing({ ...NEW_TRANSFER, status }, event)).toBeNull();
  });

  test('lapses only when it was given up after it was signed', () => {
    const event: OutgoingEvent = { type: 'expired', reason: failureOf('expired') };
    const signed = { ...NEW_TRANSFER, status: 'signed' as const };
    expect(decideOutgoing(signed, event)).toBeNull();
    expect(decideOutgoing({ ...NEW_TRANSFER, voided: true }, event)).toBeNull();
    expect(decideOutgoing({ ...signed, voided: true, failure: failureOf('operator') }, event)).toMatchObject({
      ...{ status: 'failed', failure: failureOf('operator') },
    });
  });

  test('moves money unless it lends energy or takes it back', () => {
    expect(OUTGOING_PURPOSES.filter((purpose) => !movesMoney({ purpose }))).toEqual(['lend', 'reclaim']);
    expect(OUTGOING_PURPOSES.filter((purpose) => leavesUs({ purpose }))).toEqual(['payout', 'forward']);
    expect(delegationOf('reclaim')).toEqual({ delegates: 'energy_back' });
    expect(delegationOf('lend')).toEqual({ delegates: 'energy' });
  });

  test('is put together in the order of its places, batches in the order in which they come', () => {
    const [first, second, third] = aBatch(3);
    const [lead, follower] = aBatch(2);
    const alone = anOutgoing();
    expect(batchesOf([follower!, second!, alone, third!, lead, first])).toEqual([
      [lead, follower!],
      [first, second!, third!],
      [alone],
    ]);
    expect(batchesOf([])).toEqual([]);
  });

  test('has no event happen to one of it a second time', () => {
    const transfer: OutgoingState = { ...NEW_TRANSFER, status: 'signed' };
    const block = { height: 1, hash: 'b' };
    const events: readonly OutgoingEvent[] = [
      { type: 'confirmed', txid: 'a', block, feeUnits: 1n },
      { type: 'mined_without_effect', txid: 'a', block, feeUnits: 1n, reason: failureOf('reverted') },
      { type: 'superseded', reason: failureOf('superseded') },
      { type: 'voided', reason: failureOf('operator') },
    ];
    for (const event of events) {
      const once = decideOutgoing(transfer, event);
      expect(once).not.toBeNull();
      expect(once && decideOutgoing(once, event)).toBeNull();
    }
    expect(decideOutgoing(transfer, { type: 'reorganised' })).toBeNull();
  });

  test('is signed again after a reorganisation only if a block had settled it', () => {
    const signed: OutgoingState = { ...NEW_TRANSFER, status: 'signed' };
    const block = { height: 1, hash: 'b' };
    const mined = decideOutgoing(signed, { type: 'confirmed', txid: 'a', block, feeUnits: 1n });
    const dead = decideOutgoing(signed, { type: 'superseded', reason: failureOf('superseded') });
    const reorganised = (settled: OutgoingState | null) =>
      settled && decideOutgoing(settled, { type: 'reorganised' });
    expect(reorganised(mined)?.status).toBe('signed');
    expect(dead?.status).toBe('failed');
    expect(reorganised(dead)).toBeNull();
  });

  test('says that our wallet could not pay it, whatever it was given up for, as long as that block stands', () => {
    const reason = failureOf('unfunded');
    const mined = { txid: 'a', block: { height: 1, hash: 'b' }, feeUnits: 1n, reason };
    for (const failure of [null, failureOf('chain_refused')]) {
      const signed: OutgoingState = { ...NEW_TRANSFER, status: 'signed', voided: failure !== null, failure };
      const failed = decideOutgoing(signed, { type: 'mined_without_effect', ...mined });
      expect(failed).toMatchObject({ status: 'failed', failure: reason });
      const open = failed && decideOutgoing(failed, { type: 'reorganised' });
      expect(open?.failure ?? null).toEqual(failure && failureOf('given_up'));
    }
  });
});
