/**
 * Invoices paid on Solana: coin and token, in parts, failed, on a branch that lost, to permanent
 * addresses; and what keeps a lack of addresses.
 */
import { describe, expect, test } from 'bun:test';
import { transferChecked } from '../../../src/adapters/chains/solana/codec/instructions.ts';
import { associatedAccount } from '../../../src/adapters/chains/solana/programs.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { FINAL_AFTER, LAB, SOL, stageSolanaJourney, USDC } from '../../support/solana/journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('an invoice on solana', () => {
  const on = stageSolanaJourney();
  const { create, pay, mine, settle, mineToFinality } = on;
  const payer = () => on.lab.payer.publicKey.toBase58();

  for (const asset of [SOL, USDC, LAB]) {
    test(`in ${asset} is confirming when its block is confirmed and success when it is finalized`, async () => {
      const invoice = await create({ asset });
      const txid = pay(invoice);
      await settle();
      expect((await on.read(invoice.order_id)).status).toBe('created');
      mine(1);
      await settle();
      expect(await on.read(invoice.order_id)).toMatchObject({ status: 'confirming', txid });
      mine(FINAL_AFTER - 2);
      await settle();
      expect((await on.read(invoice.order_id)).status).toBe('confirming');
      mine(1);
      await settle();
      expect(await on.read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
        fiat_amount: 25,
        txid,
        address_from: payer(),
      });
      expect(on.statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
      expect((await on.balance()).available).toBeCloseTo(25, 4);
      await on.chainAndBooksAgree();
    });
  }

  test('is paid in two parts, and credited exactly what it was for', async () => {
    for (const asset of [SOL, USDC]) {
      const invoice = await create({ asset });
      const due = on.due(invoice);
      pay(invoice, (due * 4n) / 10n);
      await mineToFinality();
      expect((await on.read(invoice.order_id)).status).toBe('partially_paid');
      pay(invoice, due - (due * 4n) / 10n);
      await mineToFinality();
      expect(await on.read(invoice.order_id)).toMatchObject({
        status: 'success',
        received_amount: invoice.amount,
      });
      expect(on.statusesSent(invoice.order_id)).toEqual([
        'confirming',
        'partially_paid',
        'confirming',
        'success',
      ]);
    }
    await on.chainAndBooksAgree();
  });

  test('S1: a failed transaction in a block pays nothing', async () => {
    const invoice = await create();
    const { usdc } = on.lab.mints;
    pay(invoice, 1n);
    mine(1);
    const tooMuch = transferChecked({
      from: associatedAccount(payer(), usdc),
      to: associatedAccount(invoice.address_to, usdc),
      owner: payer(),
      token: usdc,
      units: 2n ** 63n,
      decimals: 6,
    });
    const txid = on.lab.send([tooMuch]);
    await mineToFinality();
    expect(on.lab.ledger.find(txid)?.transaction.meta.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect((await on.depositsTo(invoice.address_to)).map(({ units }) => units)).toEqual([1n]);
    await on.chainAndBooksAgree();
  });

  test('S7: a payment in a confirmed block of a branch that loses is gone; paid again, it is credited once', async () => {
    const invoice = await create({ asset: SOL });
    pay(invoice);
    mine(2);
    await settle();
    expect((await on.read(invoice.order_id)).status).toBe('confirming');
    on.lab.reorg(2);
    mine(1);
    await settle();
    expect(await on.read(invoice.order_id)).toMatchObject({ status: 'created', received_amount: 0 });
    expect(await on.depositsTo(invoice.address_to)).toMatchObject([{ status: 'dropped' }]);
    pay(invoice);
    await mineToFinality();
    expect(await on.read(invoice.order_id)).toMatchObject({
      status: 'success',
      received_amount: invoice.amount,
    });
    expect((await on.balance()).available).toBeCloseTo(25, 4);
    await on.chainAndBooksAgree();
  });

  test('a permanent address takes coins and tokens: each payment opens an invoice of its own', async () => {
    const made = await on.it.call(on.merchant.live, 'POST', '/api/v2/permanent', {
      user_id: 'customer-7',
      family: 'solana',
    });
    expect(made.status).toBe(201);
    const { id, address } = made.body.result;
    const list = async () => {
      const answer = await on.it.call(on.merchant.live, 'GET', '/api/v2/invoices?order=asc');
      return answer.body.result;
    };
    on.transfer({ to: address, asset: SOL, units: 20_000_000n });
    await mineToFinality();
    on.transfer({ to: address, asset: USDC, units: 30_000_000n });
    await mineToFinality();
    const common = { status: 'success', permanent_address_id: id, address_to: address };
    expect(await list()).toMatchObject([
      { ...common, asset: SOL, received_amount: 0.02, fiat_amount: 40 },
      { ...common, asset: USDC, received_amount: 30, fiat_amount: 30 },
    ]);
    await on.chainAndBooksAgree();
  });

  test('addresses are given out from those that the signer derived ahead, each once', async () => {
    const invoices = await Promise.all(Array.from({ length: 300 }, () => create({ asset: SOL })));
    expect(new Set(invoices.map(({ address_to }) => address_to)).size).toBe(300);
    await settle();
    const { unitOfWork } = on.it.service.dependencies;
    const { derived, reserved } = await unitOfWork.run(async ({ addresses }) => ({
      derived: await addresses.derivedIndexes('solana'),
      reserved: await addresses.reservedIndexes('solana'),
    }));
    expect(derived - reserved).toBe(4_096);
  });
});
