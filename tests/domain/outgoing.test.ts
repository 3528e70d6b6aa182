/** Bundles of outgoing transfers: how they come apart, and how they are put together from what is stored. */
import { describe, expect, test } from 'bun:test';
import { bundlesOf, decideOutgoing, type OutgoingEvent } from '../../src/domain/outgoing.ts';
import { aBundle, anOutgoing } from '../support/outgoing-builders.ts';
import { NEW_TRANSFER } from '../support/payout-world.ts';

describe('a bundle', () => {
  test('is dissolved while nothing is signed for it, once, and keeps the reason of who was to blame', () => {
    const event: OutgoingEvent = { type: 'dissolved', reason: 'its neighbour was refused' };
    const apart = decideOutgoing(NEW_TRANSFER, event);
    expect(apart).toEqual({ ...NEW_TRANSFER, status: 'failed', failure: 'its neighbour was refused' });
    expect(apart && decideOutgoing(apart, event)).toBeNull();
    const blamed = decideOutgoing(NEW_TRANSFER, { type: 'voided', reason: 'refused' });
    expect(blamed && decideOutgoing(blamed, event)).toEqual({
      ...NEW_TRANSFER,
      ...{ status: 'failed', failure: 'refused', voided: true },
    });
    for (const status of ['signed', 'confirmed', 'failed'] as const)
      expect(decideOutgoing({ ...NEW_TRANSFER, status }, event)).toBeNull();
  });

  test('is put together in the order of its places, bundles in the order in which they come', () => {
    const [first, second, third] = aBundle(3);
    const [lead, follower] = aBundle(2);
    const alone = anOutgoing();
    expect(bundlesOf([follower!, second!, alone, third!, lead, first])).toEqual([
      [lead, follower!],
      [first, second!, third!],
      [alone],
    ]);
    expect(bundlesOf([])).toEqual([]);
  });
});
