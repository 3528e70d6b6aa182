/** Transactions in memory: one after the other, each as a whole or not at all. */
import { beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { NOW, secondsAfter } from '../../../support/builders.ts';
import { type MemoryStore, memoryStore, type Tables } from './memory-store.ts';

let store: MemoryStore;
let tables: Tables;
beforeEach(() => {
  store = memoryStore();
  tables = store.tables;
});

const aChain = (chain: string) => ({ chain, network: 'main', notedAt: NOW });
const chains = () => Array.from(tables.chainIdentities.all(), ({ chain }) => chain);
const insert = (chain: string) => void tables.chainIdentities.insert(aChain(chain));
const failure = new Error('it fails');

/** Lets everything go on that waits for nothing else. */
const breath = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('the storage in memory', () => {
  test('runs transactions one after the other, in the order in which they were begun', async () => {
    const told: string[] = [];
    const work = (name: string) => async () => {
      told.push(`${name} begins`);
      await breath();
      told.push(`${name} ends`);
      return name;
    };
    const results = await Promise.all([
      store.transaction(work('one')),
      store.readOnly(work('two')),
      store.transaction(work('three')),
    ]);
    expect(results).toEqual(['one', 'two', 'three']);
    expect(told).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  test('lets a write outside of a transaction wait for its end', async () => {
    const told: string[] = [];
    const first = store.transaction(async () => {
      insert('first');
      await breath();
      told.push(...chains());
    });
    await Promise.all([first, store.write(() => insert('second'))]);
    expect(told).toEqual(['first']);
    expect(chains()).toEqual(['first', 'second']);
  });

  test('refuses a write that nobody waits for the end of', async () => {
    expect(() => insert('one')).toThrow('outside of transactions');
    await store.transaction(async () => insert('two'));
    expect(() => insert('three')).toThrow('outside of transactions');
    expect(chains()).toEqual(['two']);
  });

  test('takes back all of a transaction that fails, and goes on', async () => {
    await store.write(() => insert('before'));
    const failing = store.transaction(async () => {
      insert('one');
      await breath();
      tables.chainIdentities.delete(tables.chainIdentities.find('before')!);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(chains()).toEqual(['before']);
    await store.write(() => insert('one'));
    expect(chains()).toEqual(['before', 'one']);
  });

  test('takes back a statement that fails in its midst', async () => {
    const statement = store.write(() => {
      insert('one');
      throw failure;
    });
    await expect(statement).rejects.toBe(failure);
    expect(chains()).toEqual([]);
  });

  test('refuses writes of a transaction that only reads', async () => {
    await store.write(() => insert('one'));
    expect(await store.readOnly(async () => chains())).toEqual(['one']);
    const writing = store.readOnly(async () => insert('two'));
    await expect(writing).rejects.toThrow('only reads');
    const deleting = store.readOnly(async () =>
      tables.chainIdentities.delete(tables.chainIdentities.find('one')!),
    );
    await expect(deleting).rejects.toThrow('only reads');
    expect(chains()).toEqual(['one']);
    await store.transaction(async () => insert('two'));
    expect(chains()).toEqual(['one', 'two']);
  });

  test('does at the end what was asked for, and what that asks for, in the transaction', async () => {
    const told: string[][] = [];
    await store.transaction(async () => {
      store.beforeCommit(async () => {
        insert('late');
        store.beforeCommit(() => void told.push(chains()));
      });
      insert('early');
    });
    expect(told).toEqual([['early', 'late']]);
    const failing = store.transaction(async () => {
      insert('gone');
      store.beforeCommit(() => Promise.reject(failure));
      store.beforeCommit(() => void told.push(chains()));
    });
    await expect(failing).rejects.toBe(failure);
    // It was of that transaction alone.
    await store.transaction(async () => insert('last'));
    expect(told).toHaveLength(1);
    expect(chains()).toEqual(['early', 'late', 'last']);
  });

  test('keeps something for the time of a transaction, by its owner', async () => {
    const [owner, other] = [{}, {}];
    const kept = (of: object) => store.keptInTransaction(of, (): string[] => []);
    const inTransaction = () =>
      store.transaction(async () => {
        kept(owner).push('one');
        kept(owner).push('two');
        return [kept(owner), kept(other)];
      });
    expect(await inTransaction()).toEqual([['one', 'two'], []]);
    expect(await inTransaction()).toEqual([['one', 'two'], []]);
  });

  test('tells the changes of what was committed, and of nothing else', async () => {
    const told: string[][] = [];
    store.onCommit((changes) => told.push(changes.map(({ table, key }) => `${table.name} ${key}`)));
    await store.transaction(async () => insert('one'));
    await store.transaction(async () => undefined);
    const failing = store.transaction(async () => {
      insert('two');
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    await store.write(() => insert('three'));
    expect(told).toEqual([['chain_identities one'], ['chain_identities three']]);
  });

  test('is copied as it is, brought back, and emptied as after the migrations', async () => {
    await store.write(() => insert('one'));
    const restore = store.copy();
    await store.write(() => {
      tables.chainIdentities.update(tables.chainIdentities.find('one')!, { genesis: 'g' });
      insert('two');
    });
    restore();
    expect([...tables.chainIdentities.all()]).toEqual([{ ...aChain('one'), genesis: null }]);
    expect(tables.signingSwitch.size).toBe(1);
    store.empty();
    expect(chains()).toEqual([]);
    expect([...tables.signingSwitch.all()]).toEqual([{ singleton: true, stoppedAt: null, note: '' }]);
  });
});

/** A table with a primary key and a partial unique index, and one without any. */
const OPERATION = fc.record({
  do: fc.constantFrom('insert', 'unlessThere', 'orUpdate', 'update', 'delete', 'count', 'uncount', 'look'),
  family: fc.constantFrom('evm' as const, 'solana' as const, 'tron' as const),
  fingerprint: fc.constantFrom('a', 'b', 'c', 'd'),
  replacedAt: fc.constantFrom(null, NOW, secondsAfter(1)),
  nth: fc.nat(7),
});
type Operation = typeof OPERATION extends fc.Arbitrary<infer One> ? One : never;

/** What became of it: what it wrote or found, or what refused it. */
function play(at: Tables, operation: Operation): unknown {
  try {
    return played(at, operation) ?? null;
  } catch (error) {
    if (error instanceof StatementRefused) return error.constraint;
    throw error;
  }
}

function played({ walletKeys, listCountChanges }: Tables, operation: Operation): unknown {
  const { family, fingerprint, replacedAt, nth } = operation;
  const key = { family, fingerprint, replacedAt, notedAt: NOW };
  const row = [...walletKeys.all()][nth];
  const counted = [...listCountChanges.all()][nth];
  switch (operation.do) {
    case 'insert':
      return walletKeys.insert(key);
    case 'unlessThere':
      return walletKeys.insertUnlessThere(key);
    case 'orUpdate':
      return walletKeys.insertOrUpdate(key, () => ({ replacedAt, notedAt: secondsAfter(nth) }));
    case 'update':
      return row && walletKeys.update(row, { replacedAt });
    case 'delete':
      return row && walletKeys.delete(row);
    case 'count':
      return listCountChanges.insert({
        ...{
          merchantId: family,
          sandbox: true,
          list: 'payouts',
          label: '',
          asset: '',
          block: 0n,
          change: nth,
        },
      });
    case 'uncount':
      return counted && listCountChanges.delete(counted);
    case 'look':
      return [walletKeys.by('replacedAt', replacedAt), listCountChanges.by('merchantId', family)];
  }
}

/** All rows in their order. */
const rowsOf = ({ walletKeys, listCountChanges }: Tables) => [
  [...walletKeys.all()],
  [...listCountChanges.all()],
];

/** Every row is found by its values, in the same order as among all. */
function indexesAgree({ walletKeys, listCountChanges }: Tables): void {
  for (const row of walletKeys.all()) {
    const { family, fingerprint, replacedAt } = row;
    expect(walletKeys.find(family, fingerprint)).toBe(row);
    expect(walletKeys.by('family', family)).toEqual(walletKeys.where((one) => one.family === family));
    expect(walletKeys.by('replacedAt', replacedAt)).toEqual(
      walletKeys.where((one) => one.replacedAt?.getTime() === replacedAt?.getTime()),
    );
  }
  for (const { merchantId } of listCountChanges.all())
    expect(listCountChanges.by('merchantId', merchantId)).toEqual(
      listCountChanges.where((one) => one.merchantId === merchantId),
    );
}

test('whatever a transaction did before it failed, all is as if it had never been', async () => {
  const some = fc.array(OPERATION, { maxLength: 20 });
  const [one, twin] = [memoryStore(), memoryStore()];
  await fc.assert(
    fc.asyncProperty(some, some, some, async (before, failed, after) => {
      for (const at of [one, twin]) at.empty();
      const committed = (at: MemoryStore, operations: readonly Operation[]) =>
        at.transaction(async () => operations.map((operation) => play(at.tables, operation)));
      for (const at of [one, twin]) await committed(at, before);
      const rows = rowsOf(one.tables);
      const failing = one.transaction(async () => {
        for (const operation of failed) play(one.tables, operation);
        indexesAgree(one.tables);
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect(rowsOf(one.tables)).toEqual(rows);
      indexesAgree(one.tables);
      // No index remembers it either.
      expect(await committed(one, after)).toEqual(await committed(twin, after));
      expect(rowsOf(one.tables)).toEqual(rowsOf(twin.tables));
      indexesAgree(one.tables);
    }),
    { numRuns: 300 },
  );
});
