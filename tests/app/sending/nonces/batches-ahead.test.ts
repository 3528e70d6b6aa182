import { expect, test } from 'bun:test';
import { countAhead } from '../../../../src/app/sending/nonces/batches-ahead.ts';
import type { OutgoingTransfer, TransferBatch } from '../../../../src/domain/sending/outgoing.ts';

const batch = (wallet: string, transferBatchId: string): TransferBatch => [
  { wallet, transferBatchId } as OutgoingTransfer,
  { wallet, transferBatchId } as OutgoingTransfer,
];

test('a batch has those of its own wallet before it, each once, in the order that is given', () => {
  const batches = [batch('hot', 'a'), batch('other', 'b'), batch('hot', 'c'), batch('hot', 'd')];
  expect(Object.fromEntries(countAhead(batches))).toEqual({ a: 0, b: 0, c: 1, d: 2 });
  expect(countAhead([]).size).toBe(0);
});
