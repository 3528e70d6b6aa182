/**
 * Every state that two payouts can reach on a UTXO chain, where several leave in one transaction: a
 * payment that is refused or given up leaves its batch, the other one is paid in it, or in another
 * one if the batch comes apart, and neither is ever paid twice. The signer remembers what it
 * signed, also where nobody else does.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  type BatchWorld,
  BUNDLES_MAX,
  placesOf,
  START,
  settled,
  steps,
  transfersOf,
  undone,
  within,
} from '../../support/payouts/batch-world.ts';
import { broken, explore, mayBePaid, payoutRules, type Step } from '../../support/payouts/payout-world.ts';

function faultOf(world: BatchWorld): string | null {
  for (const [pays, payout] of world.payouts.entries()) {
    const paying = world.batches.filter((batch) => within(batch).some((member) => member.pays === pays));
    const fault = broken({
      ...payoutRules(payout, transfersOf(world, pays)),
      'signed in one batch': paying.filter(({ signed }) => signed).length <= 1,
      'paid at most once': paying.filter(({ mined }) => mined === 'pay').length <= 1,
      'pending was never signed': payout.payout.status !== 'pending' || !paying.some(({ signed }) => signed),
    });
    if (fault) return `${fault} (${pays})`;
  }
  for (const batch of world.batches) {
    const { claimed, signed } = batch;
    const states = within(batch).map(({ state }) => state);
    const fault = broken({
      'what was signed keeps its coins': !signed || claimed,
      'coins are free once it is apart':
        claimed === (signed || states.some(({ status }) => status !== 'failed')),
      'comes apart as a whole': claimed || states.every(({ status }) => status === 'failed'),
      'nothing that was signed is given up': !signed || states.every(({ voided }) => !voided),
      'one is signed when all are': new Set(states.map(({ status }) => status === 'allocated')).size <= 1,
    });
    if (fault) return fault;
  }
  return null;
}

/** What is wrong with a world, or with a step out of it. */
function* faults(world: BatchWorld, ways: readonly Step<BatchWorld>[]): Generator<string> {
  const fault = faultOf(world);
  if (fault) yield fault;
  for (const { name, to } of ways)
    for (const [pays, { payout }] of world.payouts.entries()) {
      const after = to.payouts[pays]?.payout.status;
      if (payout.status === 'success' && after !== 'success' && !name.startsWith('undo'))
        yield `success moved by ${name}`;
      if (payout.status !== 'pending' && after === 'pending') yield `pending again by ${name}`;
    }
  // Nothing that is to be paid waits for an operator, or for luck.
  const onward = ways.some(({ name }) => /^(allocate|take|sign|mine|settle|undo)/.test(name));
  if (world.payouts.some(mayBePaid) && world.batches.length < BUNDLES_MAX && !onward) yield 'stuck';
  // Once the chain has decided and everybody was told, what it paid is paid.
  for (const [at, batch] of world.batches.entries()) {
    if (batch.mined !== 'pay') continue;
    const known = placesOf(batch).reduce((last, place) => undone(last, at, place) ?? last, world);
    const end = placesOf(batch).reduce((last, place) => settled(last, at, place) ?? last, known);
    if (within(batch).some(({ pays }) => end.payouts[pays]?.payout.status !== 'success'))
      yield 'paid and not success';
  }
}

describe('every reachable state of two payouts on a UTXO chain', () => {
  let found: ReturnType<typeof explore<BatchWorld>>;
  beforeAll(() => {
    found = explore(START, steps, faults);
  }, 120_000);

  test('keeps the money in one place, pays at most once, and frees the UTXOs of what came apart', () => {
    expect(found.faults).toEqual([]);
    expect(found.worlds.length).toBeGreaterThan(1_000);
  });

  test.each([
    ['is refused', 'failed', 'refused'],
    ['is cancelled', 'cancelled', null],
  ] as const)('of a batch of two the one %s, and the other is paid by it', (_, status, failure) => {
    const [lead, follower] = [0, 1].map((ended) =>
      found.worlds.filter(({ payouts, batches }) => {
        const one = payouts[ended]?.payout;
        const other = payouts[1 - ended]?.payout;
        const asked = one?.status === status && one.failure === failure && other?.status === 'success';
        return asked && batches.length === 1 && batches[0]?.members.length === 2;
      }),
    );
    for (const worlds of [lead, follower]) {
      expect(worlds?.length).toBeGreaterThan(0);
      for (const { batches } of worlds ?? []) expect(within(batches[0]!)).toHaveLength(1);
    }
  });
});
