/** Whose turn it is among batches of which no node can tell what became. */
import { expect, test } from 'bun:test';
import { unclearBatches } from '../../../../src/app/sending/nonces/unclear-batches.ts';
import { SlotsLost } from '../../../../src/app/shared/slots.ts';
import { ChainUnavailable } from '../../../../src/ports/chains/chain-scanner.ts';
import { aBatch } from '../../../support/payouts/outgoing-builders.ts';

const NO_ANSWER = new ChainUnavailable('no node could tell');
const IDS = ['a', 'b', 'c'] as const;

/** Begins a step, and returns its turns as ids. */
function turnsOf(unclear: ReturnType<typeof unclearBatches>, kept: readonly string[] = []) {
  const batches = IDS.map((transferBatchId) => aBatch(1, { transferBatchId }));
  return () =>
    unclear
      .turns(batches, (id) => kept.includes(id))
      .map((part) => part.map(([{ transferBatchId }]) => transferBatchId));
}

test('batches that were unclear follow the others, the longest untried first', () => {
  const unclear = unclearBatches();
  const next = turnsOf(unclear);
  expect(next()).toEqual([[...IDS], []]);
  unclear.failed('b', NO_ANSWER);
  expect(next()).toEqual([['a', 'c'], ['b']]);
  unclear.failed('a', NO_ANSWER);
  expect(next()).toEqual([['c'], ['b', 'a']]);
  unclear.told('b');
  expect(next()).toEqual([['b', 'c'], ['a']]);
});

test('a batch that keeps its place stays in its order, however often it was unclear', () => {
  const unclear = unclearBatches();
  const next = turnsOf(unclear, ['a']);
  next();
  for (const id of ['a', 'b']) unclear.failed(id, NO_ANSWER);
  expect(next()).toEqual([['a', 'c'], ['b']]);
});

test('what was refused for lack of slots, or failed for another reason, was not unclear', () => {
  const unclear = unclearBatches();
  const next = turnsOf(unclear);
  next();
  unclear.failed('a', new SlotsLost(NO_ANSWER));
  unclear.failed('b', new Error('a fault of ours'));
  expect(next()).toEqual([[...IDS], []]);
});
