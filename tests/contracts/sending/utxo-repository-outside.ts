/**
 * The part of the UtxoRepository suite about outputs of transactions that we did not make: which
 * are ours, change that an unknown transaction gave back (safety.md K4), and funding to be booked.
 */
import { expect, test } from 'bun:test';
import type { UtxoRepository } from '../../../src/ports/sending/utxo-repository.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { aDeposit, aHash, anId, NOW, secondsAfter } from '../../support/builders.ts';
import { aTxid, aUtxo } from '../../support/chains/utxo-builders.ts';
import type { CoinSteps } from './utxo-repository.ts';

/** Registers the tests in the calling describe block. */
export function testOutsideCoins(steps: () => CoinSteps): void {
  const aBlock = (height: number) => ({ height, hash: aHash() });
  const insertFunding = (on: CoinSteps, { txid, vout, address, units }: Utxo, block = aBlock(10)) =>
    on.run((repository) => repository.insertFunding(on.chain, { txid, vout, address, units }, block));

  test('outputs that paid us are known by their outpoints: coins, spent or not, and deposits that are none yet', async () => {
    const on = steps();
    const { id: merchantId } = await on.storage.merchant();
    const [mine, spent, ofAnother] = [aUtxo(), aUtxo({ vout: 11 }), aUtxo()];
    await on.given(10, mine, spent, ofAnother);
    const transferBatchId = await on.batch();
    await on.run((repository) => repository.claim(on.chain, transferBatchId, [spent]));
    const deposit = aDeposit({ merchantId, chain: on.chain, txid: aTxid(), output: 'vout:2' });
    await on.storage.run((r) => r.deposits.insertAll([deposit]));
    const frozen = { chain: on.chain, address: ofAnother.address, reason: 'a former wallet', at: NOW };
    await on.storage.run((r) => r.frozen.freeze(frozen));
    const ours = async (...outpoints: readonly string[]) => [
      ...(await on.run((repository) => repository.ours(on.chain, outpoints))),
    ];
    const asked = [mine, spent, ofAnother].map(({ txid, vout }) => `${txid}:${vout}`);
    const known = [`${mine.txid}:0`, `${spent.txid}:11`, `${deposit.txid}:2`];
    const strangers = [`${spent.txid}:1`, `${deposit.txid}:1`, `${aTxid()}:0`];
    const found = await ours(...asked, `${deposit.txid}:2`, ...strangers);
    expect(found.toSorted()).toEqual(known.toSorted());
    expect(await ours(...strangers)).toEqual([]);
    expect(await ours()).toEqual([]);
    expect([...(await on.run((repository) => repository.ours(`${on.chain}-2`, known)))]).toEqual([]);
  });

  test('K4: change of an unknown transaction is a coin of its block and waits to be booked, until the block is gone', async () => {
    const on = steps();
    const change = aUtxo({ key: { role: 'change', index: 5 } });
    const seen = (height: number, utxo = change) =>
      on.run((repository) => repository.insertChange(on.chain, utxo, aBlock(height)));
    await seen(10);
    expect([await on.free(9), await on.free(10)]).toEqual([[], [change]]);
    await seen(12);
    expect([await on.free(11), await on.free(12)]).toEqual([[], [change]]);
    expect(await on.run((repository) => repository.isFunding(on.chain, change))).toBe(false);
    const unbooked = () => on.run((repository) => repository.lockUnbooked(on.chain, 99, 9));
    expect(await unbooked()).toMatchObject([{ ...change, block: { height: 12 } }]);
    await on.run((repository) => repository.removeFunding(on.chain, change));
    await on.run((repository) => repository.orphanAbove(on.chain, 11));
    expect([await on.free(), await unbooked()]).toEqual([[], []]);
    await seen(13);
    expect(await on.free(13)).toEqual([change]);
    expect(await unbooked()).toMatchObject([{ ...change, block: { height: 13 } }]);
    await on.run((repository) => repository.markBooked(on.chain, change, true));
    await seen(14);
    expect(await unbooked()).toEqual([]);
    // It is signed by ourselves after all: its own entries say what it cost.
    await on.run((repository) => repository.orphanAbove(on.chain, 9));
    await on.run((repository) => repository.markBooked(on.chain, change, false));
    await on.run((repository) => repository.insert(on.chain, [change]));
    await on.run((repository) => repository.settle(on.chain, change.txid, 15));
    expect([await on.free(15), await unbooked()]).toEqual([[change], []]);
    await expect(seen(10, aUtxo())).rejects.toThrow('for change');
  });

  test('unbooked funding is summed up to a block, found of one transaction, and removed if it was none', async () => {
    const on = steps();
    const [low, high, booked] = [3n, 40n, 500n].map((units) => aUtxo({ key: { role: 'hot' }, units }));
    const blocks = [aBlock(10), aBlock(11)] as const;
    await insertFunding(on, low!, blocks[0]);
    await insertFunding(on, high!, blocks[1]);
    await insertFunding(on, booked!);
    await on.run((repository) => repository.markBooked(on.chain, booked!, true));
    await on.given(10, aUtxo({ key: { role: 'hot' } }));
    const sum = (height: number) => on.run((repository) => repository.unbookedUnits(on.chain, height));
    expect([await sum(9), await sum(10), await sum(11)]).toEqual([0n, 3n, 43n]);
    const of = (txid: string, finalHeight = 11) =>
      on.run((repository) => repository.lockUnbooked(on.chain, finalHeight, 9, txid));
    expect(await of(high!.txid)).toEqual([{ ...high!, block: blocks[1] }]);
    expect([await of(high!.txid, 10), await of(booked!.txid), await of(aTxid())]).toEqual([[], [], []]);
    const isFunding = (utxo: Utxo) => on.run((repository) => repository.isFunding(on.chain, utxo));
    expect([await isFunding(low!), await isFunding(booked!), await isFunding(aUtxo())]).toEqual([
      ...[true, true],
      false,
    ]);
    for (const utxo of [low!, booked!])
      await on.run((repository) => repository.removeFunding(on.chain, utxo));
    expect([await isFunding(low!), await isFunding(booked!)]).toEqual([false, true]);
    expect(await sum(11)).toBe(40n);
  });

  test('funding booked in vain is told with the block of its newest booking, by outpoint', async () => {
    const on = steps();
    const txid = aTxid();
    const [first, second, neverBooked] = [2, 10, 11].map((vout) =>
      aUtxo({ txid, vout, key: { role: 'hot' } }),
    );
    const [early, late] = [aBlock(10), aBlock(14)];
    for (const utxo of [second!, first!, neverBooked!]) {
      await insertFunding(on, utxo, late);
      await on.run((repository) => repository.markBooked(on.chain, utxo, true));
    }
    const book = (utxo: Utxo, block: typeof early, at: Date) =>
      on.storage.run((r) =>
        r.capital.insert({
          ...{ id: anId(), chain: on.chain, asset: 'btc_bitcoin', units: utxo.units, block },
          ...{ note: 'a note', at, coin: { txid, vout: utxo.vout } },
          address: null,
        }),
      );
    await book(first!, late, secondsAfter(5));
    await book(first!, early, NOW);
    await book(second!, early, NOW);
    await book(second!, late, NOW);
    await on.run((repository) => repository.orphanAbove(on.chain, 9));
    const inVain = (limit: number) => on.run((repository) => repository.lockBookedInVain(on.chain, limit));
    const found = [
      { ...first!, block: late },
      { ...second!, block: late },
    ];
    expect(await inVain(9)).toEqual(found);
    expect(await inVain(1)).toEqual(found.slice(0, 1));
  });

  test('what a transaction of ours brought after all is adopted: it is never booked, and a booking of it is told', async () => {
    const on = steps();
    const txid = aTxid();
    const [booked, unbooked, own, other] = [
      aUtxo({ txid, vout: 0, key: { role: 'hot' } }),
      aUtxo({ txid, vout: 1, key: { role: 'change', index: 3 } }),
      aUtxo({ txid, vout: 2, key: { role: 'hot' } }),
      aUtxo({ key: { role: 'hot' } }),
    ] as const;
    const block = aBlock(10);
    for (const utxo of [booked, other]) await insertFunding(on, utxo, block);
    await on.run((repository) => repository.insertChange(on.chain, unbooked, block));
    await on.run((repository) => repository.insert(on.chain, [own]));
    for (const utxo of [booked, other])
      await on.run((repository) => repository.markBooked(on.chain, utxo, true));
    const adopt = () => on.run((repository) => repository.adopt(on.chain, [own, unbooked, booked]));
    expect([await adopt(), await adopt()]).toEqual([[{ ...booked, block }], []]);
    const left = await on.run(async (repository) => [
      await repository.lockUnbooked(on.chain, 99, 9),
      await repository.lockBookedInVain(on.chain, 9),
      await repository.unbookedUnits(on.chain, 99),
    ]);
    expect(left).toEqual([[], [], 0n]);
    await on.run((repository) => repository.settle(on.chain, txid, null));
    expect(await on.run((repository) => repository.lockBookedInVain(on.chain, 9))).toEqual([]);
  });

  test('a UTXO that was spent without the gateway is neither free nor standing nor in doubt, until it is taken back', async () => {
    const on = steps();
    const [first, second] = [aUtxo({ txid: 'a'.repeat(64), units: 9n }), aUtxo({ txid: 'b'.repeat(64) })];
    await on.given(10, first, second);
    const spent = { isSpent: true, finalHeight: 10 } as const;
    const back = { isSpent: false, inBlock: true } as const;
    const mark = (utxo: Utxo, how: Parameters<UtxoRepository['markSpentOutside']>[2] = spent) =>
      on.run((repository) => repository.markSpentOutside(on.chain, utxo, how));
    expect(await mark(first, back)).toBeNull();
    expect(await mark(first, { ...spent, finalHeight: 9 })).toBeNull();
    expect(await mark(aUtxo())).toBeNull();
    expect(await mark(first)).toEqual(first);
    expect(await mark(first)).toBeNull();
    const page = { after: null, limit: 9 };
    const standing = () => on.run((repository) => repository.standing(on.chain, page));
    const doubted = () => on.run((repository) => repository.doubted(on.chain, 9));
    expect([await on.free(10), await standing(), await doubted()]).toEqual([[second], [second], []]);
    // Nothing else makes it free.
    await on.run((repository) => repository.doubt(on.chain, [first], false));
    const transferBatchId = await on.batch();
    const claim = (utxo: Utxo) => on.run((repository) => repository.claim(on.chain, transferBatchId, [utxo]));
    expect([await on.free(10), await claim(first)]).toEqual([[second], false]);
    // Who takes it back because it has no block looked before it got one.
    expect(await mark(first, { isSpent: false, inBlock: false })).toBeNull();
    expect([await standing(), await mark(first, back)]).toEqual([[second], first]);
    expect([await on.free(10), await standing(), await doubted()]).toEqual([
      ...[[second], [first, second]],
      [first],
    ]);
    expect(await claim(second)).toBe(true);
    expect(await mark(second)).toBeNull();
  });

  test('those that were spent without the gateway come by outpoint, in a block or in none any more', async () => {
    const on = steps();
    const txid = aTxid();
    const utxos = [2, 10, 11].map((vout) => aUtxo({ txid, vout, key: { role: 'hot' } }));
    for (const [nth, utxo] of utxos.entries()) await insertFunding(on, utxo, aBlock(10 + nth));
    for (const utxo of utxos)
      await on.run((repository) =>
        repository.markSpentOutside(on.chain, utxo, { isSpent: true, finalHeight: 99 }),
      );
    await on.run((repository) => repository.orphanAbove(on.chain, 11));
    const those = (inBlock: boolean, after: Utxo | null = null, limit = 9) =>
      on.run((repository) => repository.spentOutside(on.chain, { inBlock, after, limit }));
    expect([await those(true), await those(false)]).toEqual([utxos.slice(0, 2), utxos.slice(2)]);
    expect([await those(true, null, 1), await those(true, utxos[0])]).toEqual([
      utxos.slice(0, 1),
      utxos.slice(1, 2),
    ]);
    expect(
      await on.run((r) => r.spentOutside(`${on.chain}-2`, { inBlock: true, after: null, limit: 9 })),
    ).toEqual([]);
    const takeBack = (inBlock: boolean) =>
      on.run((r) => r.markSpentOutside(on.chain, utxos[2]!, { isSpent: false, inBlock }));
    expect([await takeBack(true), await takeBack(false)]).toEqual([null, utxos[2]!]);
  });
}
