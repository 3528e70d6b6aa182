/** What several nodes say became of a nonce, in one answer. */
import { expect, test } from 'bun:test';
import {
  combineNodeViews,
  type MinedOutcome,
  type NodeView,
} from '../../../../../src/adapters/chains/shared/nodes/node-views.ts';

const seenBy = (...views: readonly NodeView[]) => {
  const every = <T>(work: (view: NodeView) => Promise<T>): Promise<T[]> => Promise.all(views.map(work));
  const of = { what: 'sequence 1', lastTxid: 'a' };
  return combineNodeViews({ pool: { every }, chain: 'ton' }, of, async (view) => view);
};
const minedAs = (changes: Partial<MinedOutcome> = {}): NodeView => ({
  ...{ kind: 'mined', tipHeight: 9 },
  mined: {
    ...{ kind: 'mined', txid: 'a', block: { height: 7, hash: 'b' }, feeUnits: 1n, effects: [true, false] },
    ...{ final: true, ...changes },
  },
});

test('nodes that differ in which payments were made, or why one was not, tell nothing final', async () => {
  const short = minedAs({ unfunded: [false, true] });
  expect(await seenBy(short, short)).toMatchObject({ final: true, unfunded: [false, true] });
  expect(await seenBy(minedAs(), minedAs({ unfunded: [false, false] }))).toMatchObject({ final: true });
  for (const other of [minedAs(), minedAs({ unfunded: [true, true] }), minedAs({ effects: [true, true] })])
    expect(await seenBy(short, other)).toMatchObject({ kind: 'mined', final: false });
});
