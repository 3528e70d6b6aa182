/** Stories as people read them. */
import { expect, test } from 'bun:test';
import { NUL } from '../memory/store/constraints.ts';
import { changesTold } from '../world/changes-told.ts';
import { shortened, toldStory } from './told-story.ts';

const at = Date.UTC(2026, 5, 1, 12, 0, 5);

test('a story tells who did what in which job, and leaves out how calls interleave', () => {
  expect(
    toldStory([
      { kind: 'act', atMs: at, by: 'customer', task: null, what: 'pays 5 usdt_tron to T9' },
      { kind: 'point', atMs: at, by: 'worker-1', task: 'chain:tron', what: 'tron scanner.blocks' },
      { kind: 'point', atMs: at, by: 'worker-1', task: 'chain:tron', what: 'transaction' },
      { kind: 'point', atMs: at, by: 'worker-1', task: null, what: 'begins chain:tron' },
      { kind: 'change', atMs: at, by: 'books', task: 'chain:tron', what: 'deposits 7: new' },
      { kind: 'point', atMs: at, by: 'api-3', task: 'cancels 019e830e77c000000000002e', what: 'answers' },
      { kind: 'fault', atMs: at, by: 'worker-1', task: null, what: 'dies' },
    ]),
  ).toEqual([
    '12:00:05 * customer: pays 5 usdt_tron to T9',
    '12:00:05   worker-1 chain:tron: tron scanner.blocks',
    '12:00:05 + books chain:tron: deposits 7: new',
    '12:00:05   api-3 cancels #2e: answers',
    '12:00:05 ! worker-1: dies',
  ]);
});

test('ids are told by what is counted in them, and long texts by their beginning', () => {
  expect(shortened('payouts 019e83119d0000000000002e of uuid 00000000-0000-4000-8000-00000000001f')).toBe(
    'payouts #2e of uuid uuid-1f',
  );
  expect(shortened(`txid ${'ab'.repeat(32)}`)).toBe('txid ababababab…');
});

test('a row is named by all columns of its key, as text', () => {
  const table = { name: 'ledger_postings', takeBack: () => undefined };
  const after = { entryId: 'e', account: 'treasury', amount: 5n, currency: 'USD' };
  expect(changesTold([{ table, key: `e${NUL}0`, before: undefined, after }])).toEqual([
    'ledger postings e 0: new, entryId e, account treasury, amount 5, currency USD',
  ]);
});
