/**
 * The part of the UtxoRepository suite about outside money: credited deposits, and the operator's
 * funding.
 */
import { expect, test } from 'bun:test';
import type { Outpoint } from '../../../src/domain/chains/outpoint.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { aDeposit, aHash, anId, anInvoice, anIssuedAddress, NOW } from '../../support/builders.ts';
import { aTxid, aUtxo } from '../../support/chains/utxo-builders.ts';
import type { CoinSteps } from './utxo-repository.ts';

const INDEX = 41;

/** Registers the tests in the calling describe block. */
export function testArrivingCoins(steps: () => CoinSteps): void {
  testDeposits(steps);
  testFunding(steps);
}

/**
 * A deposit of 70,000 base units at an address of the wallet's own deriver, stored and credited,
 * and its UTXO.
 */
async function credited(
  on: CoinSteps,
  given: Partial<Deposit> = {},
  deriver = 'bitcoin',
): Promise<{ deposit: Deposit; utxo: Utxo }> {
  const { id: merchantId } = await on.storage.merchant();
  const invoice = anInvoice({ merchantId });
  const address = `bcrt1q${anId()}`;
  const deposit = aDeposit({
    ...{ merchantId, chain: on.chain, asset: 'btc_bitcoin', address, units: 70_000n },
    ...{
      txid: aTxid(),
      output: 'vout:1',
      status: 'credited',
      invoiceId: invoice.id,
      block: { height: 10, hash: aHash() },
    },
    ...given,
  });
  await on.storage.run(async (r) => {
    await r.invoices.insert(invoice);
    await r.addresses.insert(
      anIssuedAddress({
        ...{ family: 'bitcoin', deriver, derivationIndex: INDEX },
        ...{ merchantId, invoiceId: invoice.id, address: deposit.address, sandbox: deposit.sandbox },
      }),
    );
    await r.deposits.insertAll([deposit]);
    await r.utxos.insertDeposits([deposit], 'bitcoin');
  });
  const { txid, units } = deposit;
  const vout = Number(deposit.output.slice('vout:'.length));
  return { deposit, utxo: { txid, vout, address, units, key: { role: 'deposit', index: INDEX } } };
}

function testDeposits(steps: () => CoinSteps): void {
  test('a credited deposit is a coin, spent by the key of its address, from the block it is in', async () => {
    const on = steps();
    const { deposit, utxo } = await credited(on);
    expect(await on.free(9)).toEqual([]);
    expect(await on.free(10)).toEqual([utxo]);
    await on.run((repository) => repository.insertDeposits([deposit], 'bitcoin'));
    expect(await on.free(10)).toEqual([utxo]);
  });

  test('deposits of the sandbox, of another deriver or family, with tokens (U8) or of no output, are no coins', async () => {
    const on = steps();
    await credited(on, { sandbox: true });
    await credited(on, { encumbered: true });
    await credited(on, {}, 'fake:bitcoin');
    await credited(on, { output: 'log:1' });
    const { deposit } = await credited(on, { output: 'internal:0' });
    await on.run((repository) => repository.insertDeposits([deposit], 'evm'));
    await on.run((repository) => repository.insertDeposits([aDeposit({ chain: on.chain })], 'bitcoin'));
    expect(await on.free()).toEqual([]);
    expect(await on.run((repository) => repository.standing(on.chain, { after: null, limit: 9 }))).toEqual(
      [],
    );
  });

  test('deposits in a block that are no coins yet are told page by page, those that we could not spend are not', async () => {
    const on = steps();
    const txid = aTxid();
    await credited(on);
    await credited(on, { status: 'confirming', block: null });
    const { deposit: former } = await credited(on, { txid: aTxid(), status: 'confirming' });
    const frozen = { chain: on.chain, address: former.address, reason: 'a former wallet', at: NOW };
    await on.storage.run((r) => r.frozen.freeze(frozen));
    for (const given of [{ sandbox: true }, { encumbered: true }, { output: 'internal:0' }])
      await credited(on, { status: 'confirming', ...given });
    for (const [place, status] of (['confirming', 'arrived', 'held', 'stray'] as const).entries())
      await credited(on, { txid, output: `vout:${8 + place}`, status });
    const page = (after: Outpoint | null, limit: number) =>
      on.run((repository) => repository.uncredited(on.chain, { after, limit }));
    expect(await page(null, 9)).toEqual([8, 9, 10, 11].map((vout) => ({ txid, vout })));
    expect(await page({ txid, vout: 8 }, 2)).toEqual([9, 10].map((vout) => ({ txid, vout })));
    expect(await page({ txid, vout: 11 }, 9)).toEqual([]);
  });

  test('a deposit that was reversed is not spent, and its neighbours are', async () => {
    const on = steps();
    const { deposit, utxo } = await credited(on);
    const { utxo: neighbour } = await credited(on, { txid: deposit.txid, output: 'vout:11' });
    await on.run((repository) => repository.removeDeposit(deposit));
    expect(await on.free()).toEqual([neighbour]);
    // It returned in another block, and was credited again.
    const again: Deposit = { ...deposit, block: { height: 14, hash: aHash() } };
    await on.storage.run(async (r) => {
      await r.deposits.save(again);
      await r.utxos.insertDeposits([again], 'bitcoin');
    });
    expect(await on.free(13)).toEqual([neighbour]);
    expect(await on.free(14)).toContainEqual(utxo);
  });

  test('deposits above a fork are not spent until a block has them again, and who claimed them knows', async () => {
    const on = steps();
    const [below, above] = [
      await credited(on),
      await credited(on, { txid: aTxid(), block: { height: 12, hash: aHash() } }),
    ];
    const transferBatchId = await on.batch();
    await on.run((repository) => repository.claim(on.chain, transferBatchId, [below.utxo, above.utxo]));
    const lost = () => on.run((repository) => repository.lostOf(transferBatchId));
    expect(await lost()).toEqual([]);
    await on.run((repository) => repository.orphanAbove(on.chain, 11));
    expect(await lost()).toEqual([above.utxo]);
    await on.run((repository) => repository.release(transferBatchId));
    expect(await on.free()).toEqual([below.utxo]);
    const again: Deposit = { ...above.deposit, block: { height: 14, hash: aHash() } };
    await on.storage.run(async (r) => {
      await r.deposits.save(again);
      await r.utxos.insertDeposits([again], 'bitcoin');
    });
    expect(await on.free(13)).toEqual([below.utxo]);
    expect(await on.free(14)).toHaveLength(2);
  });

  test('a reversed deposit that a batch claimed stays with it, and is not free after it', async () => {
    const on = steps();
    const { deposit, utxo } = await credited(on);
    const transferBatchId = await on.batch();
    await on.run((repository) => repository.claim(on.chain, transferBatchId, [utxo]));
    await on.run((repository) => repository.removeDeposit(deposit));
    expect(await on.run((repository) => repository.ofBatch(transferBatchId))).toEqual([utxo]);
    await on.run((repository) => repository.release(transferBatchId));
    expect(await on.free()).toEqual([]);
  });
}

function testFunding(steps: () => CoinSteps): void {
  /** A UTXO at the hot wallet's address, seen in blocks. */
  function funding(on: CoinSteps, given: Partial<Utxo> = {}) {
    const utxo = aUtxo({ ...given, key: { role: 'hot' } });
    const { txid, vout, address, units } = utxo;
    const seen = async (height: number) => {
      const block = { height, hash: aHash() };
      await on.run((repository) => repository.insertFunding(on.chain, { txid, vout, address, units }, block));
      return block;
    };
    const markBooked = () => on.run((repository) => repository.markBooked(on.chain, { txid, vout }, true));
    return { utxo, seen, markBooked };
  }
  const unbooked = (on: CoinSteps, finalHeight = 1_000, limit = 100) =>
    on.run((repository) => repository.lockUnbooked(on.chain, finalHeight, limit));

  test('what the operator sends to the hot wallet is a coin of it; seen in another block, it takes that', async () => {
    const on = steps();
    const { utxo, seen } = funding(on);
    await seen(10);
    expect(await on.free(9)).toEqual([]);
    expect(await on.free(10)).toEqual([utxo]);
    const transferBatchId = await on.batch();
    await on.run((repository) => repository.claim(on.chain, transferBatchId, [utxo]));
    const block = await seen(12);
    expect(await on.run((repository) => repository.ofBatch(transferBatchId))).toEqual([utxo]);
    await on.run((repository) => repository.release(transferBatchId));
    expect(await on.free(11)).toEqual([]);
    expect(await on.free(12)).toEqual([utxo]);
    expect(await unbooked(on)).toEqual([{ ...utxo, block }]);
  });

  test('funding in blocks above a fork is free no more, booked or not, until a block has it again', async () => {
    const on = steps();
    const [below, above, booked] = [funding(on), funding(on), funding(on)];
    await below.seen(10);
    await above.seen(11);
    await booked.seen(12);
    await booked.markBooked();
    const change = aUtxo({ key: { role: 'change', index: 1 }, units: 3n });
    const consolidated = aUtxo({ key: { role: 'hot' }, units: 2n });
    await on.given(13, change, consolidated);
    await on.run((repository) => repository.orphanAbove(`${on.chain}-2`, 0));
    expect(await on.free()).toHaveLength(5);
    await on.run((repository) => repository.orphanAbove(on.chain, 10));
    expect(await on.free()).toEqual([below.utxo, change, consolidated]);
    const block = await above.seen(15);
    await booked.seen(15);
    expect(await on.free(14)).not.toContainEqual(above.utxo);
    expect(await on.free(15)).toEqual(expect.arrayContaining([above.utxo, booked.utxo]));
    expect((await unbooked(on)).find(({ txid }) => txid === above.utxo.txid)?.block).toEqual(block);
  });

  test('funding is booked once, when its block is final, from the lowest block on', async () => {
    const on = steps();
    const [second, first, unfinal] = [funding(on), funding(on), funding(on)];
    const blocks = [await second.seen(11), await first.seen(10)];
    await unfinal.seen(12);
    const found = [
      { ...first.utxo, block: blocks[1]! },
      { ...second.utxo, block: blocks[0]! },
    ];
    expect(await unbooked(on, 11)).toEqual(found);
    expect(await unbooked(on, 11, 1)).toEqual(found.slice(0, 1));
    await first.markBooked();
    expect(await unbooked(on, 11)).toEqual(found.slice(1));
    await first.seen(13);
    expect((await unbooked(on)).map(({ txid }) => txid)).toEqual([second.utxo.txid, unfinal.utxo.txid]);
    // It can be spent as before, and money that is not the operator's is never booked.
    expect(await on.free()).toContainEqual(first.utxo);
    await on.given(10, aUtxo({ key: { role: 'hot' } }), aUtxo());
    await credited(on);
    expect(await unbooked(on)).toHaveLength(2);
  });

  test('funding that was booked and is in no block any more is found with the block of its booking, until it is taken back', async () => {
    const on = steps();
    const [gone, there, unbooked] = [funding(on), funding(on), funding(on)];
    const block = await gone.seen(10);
    await there.seen(9);
    await unbooked.seen(10);
    const { txid, vout } = gone.utxo;
    const capital = (units: bigint) => ({
      ...{ id: anId(), chain: on.chain, asset: 'btc_bitcoin', units, block },
      ...{ note: 'a note', at: NOW, coin: { txid, vout }, address: null },
    });
    await on.storage.run((r) => r.capital.insert(capital(50_000n)));
    for (const each of [gone, there]) await each.markBooked();
    // The change of own transactions is not capital.
    await on.run((repository) => repository.insert(on.chain, [aUtxo({ key: { role: 'hot' } })]));
    const inVain = () => on.run((repository) => repository.lockBookedInVain(on.chain, 10));
    expect(await inVain()).toEqual([]);
    await on.run((repository) => repository.orphanAbove(on.chain, 9));
    expect(await inVain()).toEqual([{ ...gone.utxo, block }]);
    await on.storage.run((r) => r.capital.insert(capital(-50_000n)));
    await on.run((repository) => repository.markBooked(on.chain, gone.utxo, false));
    expect(await inVain()).toEqual([]);
  });

  test('of workers that book at the same time, one books each coin', async () => {
    const on = steps();
    for (let made = 0; made < 5; made += 1) await funding(on).seen(10 + made);
    const book = () =>
      on.run(async (repository) => {
        const found = await repository.lockUnbooked(on.chain, 1_000, 100);
        for (const utxo of found) await repository.markBooked(on.chain, utxo, true);
        return found.length;
      });
    const booked = await Promise.all(Array.from({ length: 4 }, book));
    expect(booked.reduce((sum, count) => sum + count)).toBe(5);
    expect(await unbooked(on)).toEqual([]);
  });
}
