/**
 * Money of UTXO chains that must not be credited, or not yet (safety.md U2, U3, U4, U6, U8), on
 * real nodes through the whole service.
 */
import { describe, expect, test } from 'bun:test';
import { type MwebNode, startMwebNode } from '../../support/nodes/mweb.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { CONFIRMATIONS, stageUtxoJourney, type UtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { BITCOIN, BITCOIN_CASH, LITECOIN, UTXO_CHAINS } from '../../support/utxo/utxo-nodes.ts';

const database = needs('postgres', postgresAvailable());

async function paidByCoinbase(on: UtxoJourney): Promise<void> {
  const invoice = await on.create();
  await on.node.rpc('generatetoaddress', 1, invoice.address_to);
  const height = await on.node.height();
  const final = height + on.node.network.coinbaseMaturity + CONFIRMATIONS - 1;
  await on.settle();
  expect((await on.read(invoice.order_id)).status).toBe('confirming');
  expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ lockedUntil: height + 100 }]);
  await on.node.mine(final - height - 1);
  await on.settle();
  expect((await on.read(invoice.order_id)).status).toBe('confirming');
  await on.node.mine(1);
  await on.settle();
  expect((await on.read(invoice.order_id)).status).toBe('paid_over');
  await on.booksAreRight();
}

for (const chain of UTXO_CHAINS)
  describe.skipIf(![chain.there(), database].every(Boolean))(`safety on ${chain.family}`, () => {
    const on = stageUtxoJourney(chain);
    const { create, read, settle, statusesSent, balance, booksAreRight } = on;
    const replaceable = chain !== BITCOIN_CASH;

    test('U2: a waiting payment whose coins go elsewhere leaves the invoice unpaid, and nothing was credited', async () => {
      const invoice = await create({ ttl: 300 });
      const paid = await on.pay(invoice);
      await settle();
      expect((await read(invoice.order_id)).status).toBe('confirming');
      const rival = await on.node.sign([{ to: on.node.freshAddress(), units: on.due(invoice) }], {
        spending: paid.utxos,
        feeUnits: 100_000n,
      });
      if (replaceable) await on.node.send(rival.raw);
      else await on.node.mineOnly([rival.raw]);
      await settle();
      expect(await read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
      expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'dropped' }]);
      on.clock.advance(400);
      await on.mineToFinality();
      // By the chain's own time it is not over yet (K7).
      expect((await read(invoice.order_id)).status).toBe('created');
      expect(await on.ledger()).toEqual([]);
      expect((await balance()).available).toBe(0);
      await booksAreRight();
    });

    if (chain === BITCOIN)
      test('U2: it is credited once, and nothing else is, when a block takes it after all', async () => {
        const invoice = await create();
        const paid = await on.pay(invoice);
        await settle();
        const elsewhere = [{ to: on.node.freshAddress(), units: on.due(invoice) }];
        const rival = await on.node.sign(elsewhere, { spending: paid.utxos, feeUnits: 100_000n });
        await on.node.send(rival.raw);
        await settle();
        expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'dropped' }]);
        await on.node.mineOnly([paid.raw]);
        await settle();
        expect(await read(invoice.order_id)).toMatchObject({ status: 'confirming', txid: paid.txid });
        await on.mineToFinality();
        await settle();
        expect(await read(invoice.order_id)).toMatchObject({
          status: 'success',
          received_amount: invoice.amount,
          txid: paid.txid,
        });
        expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited' }]);
        expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'confirming', 'success']);
        expect((await balance()).available).toBeCloseTo(25, 4);
        await booksAreRight();
      });

    // Bitcoin Cash has no replacements.
    if (replaceable)
      test('U3: replaced three times, paying us each time, it is one payment', async () => {
        const invoice = await create();
        const first = await on.pay(invoice);
        await settle();
        let last = first;
        for (const feeUnits of [60_000n, 120_000n, 240_000n]) {
          last = await on.node.sign([{ to: invoice.address_to, units: on.due(invoice) }], {
            spending: first.utxos,
            feeUnits,
          });
          await on.node.send(last.raw);
          await settle();
          expect((await read(invoice.order_id)).status).toBe('confirming');
        }
        await on.mineToFinality();
        expect(await read(invoice.order_id)).toMatchObject({
          status: 'success',
          received_amount: invoice.amount,
          txid: last.txid,
        });
        const deposits = await on.depositsTo(invoice.address_to);
        expect(deposits.map(({ status }) => status).toSorted()).toEqual([
          'credited',
          'dropped',
          'dropped',
          'dropped',
        ]);
        expect(statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
        expect((await balance()).available).toBeCloseTo(25, 4);
        await booksAreRight();
      });

    test('U4: a coinbase is confirming until it could be spent', () => paidByCoinbase(on));
  });

describe.skipIf(![LITECOIN.there(), database].every(Boolean))('peg-outs on litecoin', () => {
  let mweb: MwebNode;
  const on = stageUtxoJourney({
    ...LITECOIN,
    start: async () => {
      mweb = await startMwebNode();
      return mweb;
    },
  });

  test('U6: a peg-out of the HogEx is confirming until it could be spent', async () => {
    const invoice = await on.create();
    await mweb.pegOut({ to: invoice.address_to, units: on.due(invoice) });
    await on.settle();
    expect((await on.read(invoice.order_id)).status).toBe('created');
    await mweb.mine(1);
    const height = await mweb.height();
    await on.settle();
    expect((await on.read(invoice.order_id)).status).toBe('confirming');
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ lockedUntil: height + 6 }]);
    await mweb.mine(6 + CONFIRMATIONS - 2);
    await on.settle();
    expect((await on.read(invoice.order_id)).status).toBe('confirming');
    await mweb.mine(1);
    await on.settle();
    expect((await on.read(invoice.order_id)).status).toBe('success');
    await on.booksAreRight();
  });
});

describe.skipIf(![BITCOIN_CASH.there(), database].every(Boolean))('tokens on bitcoincash', () => {
  const on = stageUtxoJourney(BITCOIN_CASH);

  test('U8: the coins of an output with tokens are credited, and it is marked', async () => {
    const invoice = await on.create();
    const { raw } = await on.node.sign([{ to: withTokens(invoice.address_to, on), units: on.due(invoice) }]);
    await on.node.mineOnly([raw]);
    await on.mineToFinality();
    expect(await on.read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
    });
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'credited', encumbered: true }]);
    await on.booksAreRight();
  });
});

/** The address's script behind a prefix of 5 fungible tokens. */
function withTokens(address: string, { node }: UtxoJourney): Uint8Array {
  return Uint8Array.of(0xef, ...new Uint8Array(32).fill(7), 0x10, 5, ...node.scriptOf(address));
}
