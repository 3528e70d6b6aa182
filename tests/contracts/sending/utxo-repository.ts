/**
 * The contract of UtxoRepository for UTXOs of own transactions, deposits and funding, and for
 * batches.
 */
import { describe, expect, test } from 'bun:test';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import type { UtxoRepository } from '../../../src/ports/sending/utxo-repository.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { aHash, anAddress, anId } from '../../support/builders.ts';
import { aTxid, aUtxo } from '../../support/chains/utxo-builders.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor, type Storage } from '../opened.ts';
import { testArrivingCoins } from './utxo-repository-arrivals.ts';
import { testOutsideCoins } from './utxo-repository-outside.ts';

/** The steps of the suite, on a chain of their own. */
export interface CoinSteps {
  readonly chain: string;
  readonly storage: Storage<Opened>;
  run<T>(work: (utxos: UtxoRepository) => Promise<T>): Promise<T>;
  /** UTXOs of an own transaction, in a block of `height`. */
  given(height: number, ...utxos: readonly Utxo[]): Promise<void>;
  free(finalHeight?: number): Promise<readonly Utxo[]>;
  /** The id of a stored batch. */
  batch(transfer?: Partial<OutgoingTransfer>): Promise<string>;
}

export function describeUtxoRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: coins`, () => {
    const storage = openedFor(open);
    const steps = (): CoinSteps => coinSteps(storage);
    testOwnCoins(steps);
    testClaims(steps);
    testArrivingCoins(steps);
    testOutsideCoins(steps);
  });
}

function coinSteps(storage: Storage<Opened>): CoinSteps {
  const chain = `chain-${anId()}`;
  const run: CoinSteps['run'] = (work) => storage.run((repositories) => work(repositories.utxos));
  return {
    chain,
    storage,
    run,
    given: (height, ...utxos) =>
      run(async (repository) => {
        await repository.insert(chain, utxos);
        for (const { txid } of utxos) await repository.settle(chain, txid, height);
      }),
    free: (finalHeight = 1_000) => run((repository) => repository.free(chain, finalHeight, 100)),
    async batch(given) {
      const transfer = anOutgoing({ chain, wallet: anAddress(), ...given });
      await storage.run((repositories) => repositories.outgoing.insert(transfer));
      return transfer.id;
    },
  };
}

function testOwnCoins(steps: () => CoinSteps): void {
  test('what a transaction of ours gives back is free in a final block, and only there', async () => {
    const { chain, run, free } = steps();
    const txid = aTxid();
    const utxos = [
      aUtxo({ txid, vout: 0, key: { role: 'hot' }, units: 3n }),
      aUtxo({ txid, vout: 1, key: { role: 'change', index: 12 }, units: 2n ** 62n }),
      aUtxo({ txid, vout: 2 ** 32 - 1, key: { role: 'deposit', index: 2 ** 31 - 1 }, units: 1n }),
    ] as const;
    await run((repository) => repository.insert(chain, utxos));
    expect(await free()).toEqual([]);
    await run((repository) => repository.settle(chain, txid, 10));
    expect(await free(9)).toEqual([]);
    expect(await free(10)).toEqual([utxos[1], utxos[0], utxos[2]]);
    await run((repository) => repository.settle(chain, txid, 12));
    expect(await free(11)).toEqual([]);
    await run((repository) => repository.settle(chain, txid, null));
    expect(await free()).toEqual([]);
  });

  test('a coin that is known stays as it is', async () => {
    const { chain, run, given, free } = steps();
    const utxo = aUtxo();
    await given(10, utxo);
    await run((repository) => repository.insert(chain, [{ ...utxo, units: 1n, key: { role: 'hot' } }]));
    expect(await free(10)).toEqual([utxo]);
  });

  test('free are the largest first, up to the limit, on this chain alone; their sum is of all of them', async () => {
    const { chain, run, given, free } = steps();
    const [small, large, middle, later] = [1n, 9n, 5n, 100n].map((units) => aUtxo({ units }));
    await given(10, small!, large!, middle!);
    await given(11, later!);
    await steps().given(10, aUtxo());
    expect(await free(10)).toEqual([large!, middle!, small!]);
    expect(await run((repository) => repository.free(chain, 10, 2))).toEqual([large!, middle!]);
    const sum = (finalHeight: number) => run((repository) => repository.freeUnits(chain, finalHeight));
    expect([await sum(9), await sum(10), await sum(11)]).toEqual([0n, 15n, 115n]);
  });

  test('coins stand while they are in a block and nothing was signed that spends them, page by page', async () => {
    const { chain, storage, run, given, batch } = steps();
    const txid = aTxid();
    const [second, tenth] = [aUtxo({ txid, vout: 2 }), aUtxo({ txid, vout: 10 })];
    const [unsigned, signed, unmined] = [aUtxo(), aUtxo(), aUtxo()];
    await given(10, tenth, second, unsigned, signed);
    await run((repository) => repository.insert(chain, [unmined]));
    for (const [utxo, sign] of [
      [unsigned, false],
      [signed, true],
    ] as const) {
      const transferBatchId = await batch();
      expect(await run((repository) => repository.claim(chain, transferBatchId, [utxo]))).toBe(true);
      if (sign) await storage.run((r) => r.outgoing.insertSigned(aSigned({ transferBatchId })));
    }
    const page = (after: Utxo | null, limit: number) =>
      run((repository) => repository.standing(chain, { after, limit }));
    expect(await page(null, 10)).toEqual([second, tenth, unsigned]);
    expect(await page(null, 1)).toEqual([second]);
    expect(await page(second, 1)).toEqual([tenth]);
    expect(await page(tenth, 5)).toEqual([unsigned]);
    expect(await page(unsigned, 5)).toEqual([]);
  });
}

function testClaims(steps: () => CoinSteps): void {
  test('a batch claims all of its coins or none, each once, until they are released', async () => {
    const { chain, run, given, free, batch } = steps();
    const [a, b, c] = [aUtxo({ units: 3n }), aUtxo({ units: 9n }), aUtxo({ units: 5n })];
    await given(10, a, b, c);
    const [first, second] = [await batch({ nonce: 0n }), await batch({ nonce: 1n })];
    const claim = (transferBatchId: string, ...utxos: readonly Utxo[]) =>
      run((repository) => repository.claim(chain, transferBatchId, utxos));
    const spentBy = (transferBatchId: string) => run((repository) => repository.ofBatch(transferBatchId));
    expect(await claim(first, a, b)).toBe(true);
    expect(await free()).toEqual([c]);
    expect(await run((repository) => repository.freeUnits(chain, 10))).toBe(5n);
    expect(await spentBy(first)).toEqual([b, a]);
    // One that is claimed, one that is unknown, one twice, one of another chain.
    expect(await claim(second, c, a)).toBe(false);
    expect(await claim(second, c, aUtxo())).toBe(false);
    expect(await claim(second, c, c)).toBe(false);
    expect(await run((repository) => repository.claim('another', second, [c]))).toBe(false);
    expect(await spentBy(second)).toEqual([]);
    expect(await spentBy(first)).toEqual([b, a]);
    expect(await free()).toEqual([c]);
    await run((repository) => repository.release(first));
    expect(await spentBy(first)).toEqual([]);
    expect(await claim(second, c, a)).toBe(true);
    expect(await free()).toEqual([b]);
  });

  test('a coin is claimed from its claim to its release, also among others, on its chain alone', async () => {
    const { chain, run, given, batch } = steps();
    const txid = aTxid();
    const [mine, neighbour, waiting] = [aUtxo({ txid }), aUtxo({ txid, vout: 1 }), aUtxo()];
    await given(10, mine, neighbour);
    await run((repository) => repository.insert(chain, [waiting]));
    const isClaimed = (...utxos: readonly Utxo[]) => run((repository) => repository.isClaimed(chain, utxos));
    expect(await isClaimed(mine, neighbour, waiting, aUtxo())).toBe(false);
    const transferBatchId = await batch();
    const claim = (...utxos: readonly Utxo[]) =>
      run((repository) => repository.claim(chain, transferBatchId, utxos, { waiting: true }));
    await claim(mine);
    expect(await isClaimed(neighbour, mine)).toBe(true);
    expect(await isClaimed(neighbour, waiting)).toBe(false);
    expect(await isClaimed()).toBe(false);
    expect(await run((repository) => repository.isClaimed(`${chain}-2`, [mine]))).toBe(false);
    await claim(waiting);
    expect(await isClaimed(waiting)).toBe(true);
    await run((repository) => repository.release(transferBatchId));
    expect(await isClaimed(mine, waiting)).toBe(false);
  });

  test('a coin in doubt is claimed by nobody, but by who waits for its block while it has none', async () => {
    const { chain, run, given, batch } = steps();
    const [mined, gone] = [aUtxo(), aUtxo()];
    await given(10, mined);
    await run((repository) => repository.insert(chain, [gone]));
    await run((repository) => repository.doubt(chain, [mined, gone], true));
    const transferBatchId = await batch();
    const claim = (utxo: Utxo, waiting: boolean) =>
      run((repository) => repository.claim(chain, transferBatchId, [utxo], { waiting }));
    expect([await claim(mined, false), await claim(mined, true), await claim(gone, false)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await claim(gone, true)).toBe(true);
  });

  test('a release leaves the coins claimed that are spent, and coins are found by their outpoints, claimed or not', async () => {
    const { chain, run, given, free, batch } = steps();
    const txid = aTxid();
    const [spent, neighbour, other] = [aUtxo({ txid }), aUtxo({ txid, vout: 1 }), aUtxo({ units: 2n })];
    await given(10, spent, neighbour, other);
    const [first, second] = [await batch({ nonce: 0n }), await batch({ nonce: 1n })];
    await run((repository) => repository.claim(chain, first, [spent, neighbour]));
    await run((repository) => repository.claim(chain, second, [other]));
    await run((repository) => repository.release(first, [spent, other]));
    expect(await free()).toEqual([neighbour]);
    expect(await run((repository) => repository.ofBatch(first))).toEqual([spent]);
    const named = (...utxos: readonly Pick<Utxo, 'txid' | 'vout'>[]) =>
      run((repository) => repository.named(chain, utxos));
    expect(await named(neighbour, spent, { txid: other.txid, vout: 1 })).toEqual([spent, neighbour]);
    expect(await named(other)).toEqual([other]);
    expect(await named()).toEqual([]);
    expect(await run((repository) => repository.named(`${chain}-2`, [other]))).toEqual([]);
    await run((repository) => repository.release(first, []));
    expect(await run((repository) => repository.ofBatch(first))).toEqual([]);
    expect(await run((repository) => repository.ofBatch(second))).toEqual([other]);
  });

  test('what is doubted is not spent by anybody, and stands as before: reconciliation looks at it', async () => {
    const { chain, run, given, free, batch } = steps();
    const [doubted, other, unmined] = [aUtxo({ units: 9n }), aUtxo({ units: 3n }), aUtxo()];
    await given(10, doubted, other);
    await run((repository) => repository.insert(chain, [unmined]));
    const doubt = (doubts: boolean) =>
      run((repository) => repository.doubt(chain, [doubted, unmined], doubts));
    await doubt(true);
    expect(await free()).toEqual([other]);
    expect(await run((repository) => repository.freeUnits(chain, 10))).toBe(3n);
    const transferBatchId = await batch();
    expect(await run((repository) => repository.claim(chain, transferBatchId, [doubted, other]))).toBe(false);
    expect(await run((repository) => repository.doubted(chain, 10))).toEqual([doubted]);
    expect(await run((repository) => repository.doubted(`${chain}-2`, 10))).toEqual([]);
    expect(await run((repository) => repository.standing(chain, { after: null, limit: 10 }))).toHaveLength(2);
    await doubt(false);
    expect(await free()).toEqual([doubted, other]);
    expect(await run((repository) => repository.claim(chain, transferBatchId, [doubted, other]))).toBe(true);
  });

  test('change that is in no block yet can be claimed by the child that helps its transaction alone', async () => {
    const { chain, run, free, batch } = steps();
    const change = aUtxo({ key: { role: 'change', index: 3 } });
    await run((repository) => repository.insert(chain, [change]));
    const bump = await batch({ purpose: 'bump' });
    expect(await run((repository) => repository.claim(chain, bump, [change]))).toBe(false);
    expect(await run((repository) => repository.claim(chain, bump, [change], { waiting: true }))).toBe(true);
    await run((repository) => repository.settle(chain, change.txid, 10));
    expect(await free()).toEqual([]);
    expect(await run((repository) => repository.ofBatch(bump))).toEqual([change]);
  });

  test('of two transactions that claim one coin at the same time, the later gets nothing at all', async () => {
    const { chain, run, given, batch } = steps();
    const [shared, mine, theirs] = [aUtxo({ units: 9n }), aUtxo({ units: 5n }), aUtxo({ units: 4n })];
    await given(10, shared, mine, theirs);
    const [first, second] = [await batch({ nonce: 0n }), await batch({ nonce: 1n })];
    const [has, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const earlier = run(async (repository) => {
      const claimed = await repository.claim(chain, first, [shared, mine]);
      has.resolve();
      await may.promise;
      return claimed;
    });
    await has.promise;
    const later = run((repository) => repository.claim(chain, second, [shared, theirs]));
    may.resolve();
    expect([await earlier, await later]).toEqual([true, false]);
    expect(await run((repository) => repository.ofBatch(first))).toEqual([shared, mine]);
    expect(await run((repository) => repository.ofBatch(second))).toEqual([]);
    expect(await run((repository) => repository.free(chain, 10, 10))).toEqual([theirs]);
  });

  test('of many transactions that claim the same coins at once, one does; who rolls back claimed nothing', async () => {
    const { chain, run, given, free, batch } = steps();
    const utxos = [aUtxo({ units: 2n }), aUtxo({ units: 1n })];
    await given(10, ...utxos);
    const batches = await Promise.all(
      Array.from({ length: 10 }, (_, place) => batch({ nonce: BigInt(place) })),
    );
    const failed = run(async (repository) => {
      await repository.claim(chain, batches[0] ?? '', utxos);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await free()).toEqual(utxos);
    const ends = await Promise.all(
      batches.map((transferBatchId) => run((repository) => repository.claim(chain, transferBatchId, utxos))),
    );
    expect(ends.filter(Boolean)).toHaveLength(1);
    const winner = batches[ends.indexOf(true)] ?? '';
    expect(await run((repository) => repository.ofBatch(winner))).toEqual(utxos);
    expect(await free()).toEqual([]);
  });

  test('a coin is claimed for a batch that is stored', async () => {
    const { chain, run, given } = steps();
    const utxo = aUtxo();
    await given(10, utxo);
    await expect(run((repository) => repository.claim(chain, aHash(), [utxo]))).rejects.toThrow(
      'coins_claimed_by_outgoing_transfers_id_fk',
    );
  });
}
