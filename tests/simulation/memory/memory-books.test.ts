/** A history in memory notices each law of its books that breaks, and what is not at rest. */
import { describe, expect, test } from 'bun:test';
import { deposits } from '../../../src/adapters/postgres/schema/addresses.ts';
import { outgoingTransfers } from '../../../src/adapters/postgres/schema/outgoing.ts';
import { bookedInFull } from '../../support/ledger/booked-in-full.ts';
import { LAW_DAMAGES } from '../../support/ledger/law-damages.ts';
import { LAWS } from '../../support/ledger/ledger-laws.ts';
import { is } from '../../support/ledger/raw-rows.ts';
import { MEMORY_LAWS } from './ledger/laws.ts';
import { booksRead } from './ledger/posted.ts';
import { reconciliationFaults } from './ledger/reconciliation-faults.ts';
import { memoryBooks, memoryIdsOf } from './memory-books.ts';
import { memoryUnitOfWork } from './memory-unit-of-work.ts';
import { memoryRawRows } from './raw-rows.ts';
import { memoryStore } from './store/memory-store.ts';

async function open() {
  const store = memoryStore();
  const world = await bookedInFull(memoryUnitOfWork(store));
  return { store, world, raw: memoryRawRows(store), books: memoryBooks(store) };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** Also that which histories do not ask. */
const broken = ({ store }: Pick<Opened, 'store'>): readonly string[] =>
  Object.entries(MEMORY_LAWS)
    .filter(([, breaks]) => [...breaks(booksRead(store))].length > 0)
    .map(([law]) => law);

describe('the books in memory', () => {
  test('have the laws of PostgreSQL', () => {
    expect(Object.keys(MEMORY_LAWS)).toEqual(Object.keys(LAWS));
  });

  test('are right as they were booked', async () => {
    const { store, books } = await open();
    expect(broken({ store })).toEqual([]);
    expect(await books.brokenLaws()).toEqual([]);
    expect(reconciliationFaults(store)).toEqual([]);
  });

  test.each(LAW_DAMAGES)('%s', async (_name, damage, laws) => {
    const { store, world, raw, books } = await open();
    await damage(raw, world);
    expect(broken({ store })).toEqual([...laws]);
    const asked = laws.filter((law) => law !== 'a delivery leaves the queue only when its receiver took it');
    expect((await books.brokenLaws()).map(({ law }) => law)).toEqual(asked);
  });

  test('say what is not at rest, in its order', async () => {
    const { store, world, raw, books } = await open();
    await raw.change(deposits, is(world.stray), { status: 'confirming' });
    await raw.change(outgoingTransfers, is(world.transfer), { status: 'signed' });
    const restless = (await books.restless()) as readonly { what: string; id: string }[];
    const ofKind = (kind: string) => restless.filter(({ what }) => what === kind).map(({ id }) => id);
    expect([...new Set(restless.map(({ what }) => what))]).toEqual([
      'deposit',
      'payout',
      'transfer payout',
      'webhook',
    ]);
    expect(ofKind('deposit')).toEqual([world.stray.id]);
    expect(ofKind('transfer payout')).toEqual([world.transfer.id]);
    expect(ofKind('payout')).toEqual([...(await memoryIdsOf(store)('open payouts'))]);
  });
});
