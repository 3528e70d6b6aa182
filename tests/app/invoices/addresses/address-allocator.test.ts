/**
 * Deposit addresses handed out far past one block of indexes, by two instances, and over a deriver
 * that fails in between.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  addressAllocator,
  type FreshAddress,
} from '../../../../src/app/invoices/addresses/address-allocator.ts';
import type { AddressDeriver } from '../../../../src/ports/chains/address-deriver.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

/** Indexes that are reserved at a time. */
const BLOCK = 256;

describe.skipIf(!needs('postgres', postgresAvailable()))('the address allocator', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  async function take(from: ReturnType<typeof addressAllocator>, count: number): Promise<FreshAddress[]> {
    const taken = await Promise.all(Array.from({ length: count }, () => from.next('bitcoin', false)));
    return taken.filter((address) => address !== null);
  }
  const indexesOf = (addresses: readonly FreshAddress[]) =>
    addresses.map(({ derivationIndex }) => derivationIndex).toSorted((a, b) => a - b);
  const reserved = () =>
    it.service.dependencies.unitOfWork.run((r) => r.addresses.reservedIndexes('bitcoin'));

  test('goes on past its first block without a gap or a repetition, whoever asks at once, and each is of its index', async () => {
    const first = await reserved();
    const allocator = addressAllocator(it.service.dependencies);
    const taken = [
      ...(await take(allocator, 3)),
      ...(await take(allocator, 2 * BLOCK)),
      ...(await take(allocator, 100)),
    ];
    expect(taken).toHaveLength(2 * BLOCK + 103);
    expect(indexesOf(taken)).toEqual(taken.map((_, place) => first + place));
    expect(new Set(taken.map(({ normalized }) => normalized)).size).toBe(taken.length);
    const deriver = it.service.dependencies.liveDerivers.get('bitcoin');
    for (const place of [0, BLOCK - 1, BLOCK, 2 * BLOCK + 102]) {
      const { derivationIndex, display } = taken[place] as FreshAddress;
      expect(await deriver?.derive({ from: derivationIndex, count: 1 })).toEqual([display]);
    }
    expect((await reserved()) % BLOCK).toBe(first % BLOCK);
  });

  test('two instances never hand out the same, and what is given back is handed out next', async () => {
    const [one, other] = [
      addressAllocator(it.service.dependencies),
      addressAllocator(it.service.dependencies),
    ];
    const taken = (await Promise.all([take(one, 300), take(other, 300), take(one, 300)])).flat();
    expect(new Set(taken.map(({ normalized }) => normalized)).size).toBe(900);
    const [last] = await take(one, 1);
    if (last === undefined) throw new Error('nothing was handed out');
    one.giveBack(last);
    expect(await take(one, 1)).toEqual([last]);
  });

  test('a deriver that fails costs no index: whoever finds the pool empty is told, and the same block comes next', async () => {
    const live = it.service.dependencies.liveDerivers.get('bitcoin') as AddressDeriver;
    let fails = false;
    const failing: AddressDeriver = {
      ...live,
      async derive(range) {
        if (fails) throw new Error('no addresses at the moment');
        return live.derive(range);
      },
    };
    const allocator = addressAllocator({
      ...it.service.dependencies,
      liveDerivers: new Map([['bitcoin', failing]]),
    });
    const first = await reserved();
    const before = await take(allocator, 1);
    fails = true;
    before.push(...(await take(allocator, BLOCK - 1)));
    await expect(take(allocator, 1)).rejects.toThrow('no addresses at the moment');
    await expect(take(allocator, 1)).rejects.toThrow('no addresses at the moment');
    fails = false;
    const after = await take(allocator, BLOCK);
    expect(indexesOf([...before, ...after])).toEqual(
      Array.from({ length: 2 * BLOCK }, (_, place) => first + place),
    );
  });
});
