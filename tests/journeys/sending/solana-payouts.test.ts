/**
 * Money out on Solana: payouts of coin and token, stuck and expired ones, failures and forks;
 * sweeps whose fee the hot wallet pays.
 */

import { describe, expect, test } from 'bun:test';
import { associatedAccount } from '../../../src/adapters/chains/solana/programs.ts';
import { EXPIRY_MARGIN } from '../../../src/adapters/chains/solana/send/lifetime.ts';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { expectToldWhenUnknown } from '../../support/chains/unknown-sent.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { LAB, SOL, stageSolanaJourney, USDC } from '../../support/solana/journey.ts';

const available = needs('postgres', postgresAvailable());
/** Blocks that can take a transaction of the present blockhash. */
const LIFE = 150;

describe.skipIf(!available)('a payout on solana', () => {
  const on = stageSolanaJourney();
  const { mine, settle, mineToFinality, order, payoutOf } = on;

  /** The hot wallet has money, and the merchant a balance. */
  async function begin(): Promise<void> {
    await on.fund();
    on.pay(await on.create({ amount: 1_000, asset: USDC }));
    await mineToFinality();
    await settle();
  }
  const fresh = () => on.lab.unusedAddress();
  const signedOf = async (id: string) =>
    on.it.service.dependencies.unitOfWork.run(async ({ outgoing }) => {
      const transfer = await outgoing.activeOf('payout', id);
      return transfer === null ? [] : outgoing.signedOf([transfer.transferBatchId]);
    });

  test('G1: the rent of a token account is the cost of who pays somebody without one', async () => {
    await begin();
    await on.it.service.refreshRates();
    const address = fresh();
    const fees: number[] = [];
    for (const extraGas of [2_039_280n, 0n]) {
      const before = on.held(on.hot, SOL);
      const id = await order({ address, asset: USDC, amount: 5 });
      const stored = await on.it.service.dependencies.unitOfWork.run(({ payouts }) => payouts.lock(id));
      expect(stored?.extraGas).toBe(extraGas);
      await settle();
      await mineToFinality();
      await settle();
      const { status, fee_usd: fee } = await payoutOf(id);
      expect(status).toBe('success');
      // A SOL is 2,000 USD.
      expect(fee).toBeGreaterThanOrEqual((Number(before - on.held(on.hot, SOL)) / 1e9) * 2_000);
      fees.push(fee);
    }
    expect(fees[0]! - fees[1]!).toBeCloseTo(0.00203928 * 2_000, 4);
    await on.chainAndBooksAgree();
  });

  for (const { asset, amount, units } of [
    { asset: SOL, amount: 0.01, units: 10_000_000n },
    { asset: USDC, amount: 5, units: 5_000_000n },
  ]) {
    test(`K4: of ${asset} is processing while it is on its way, and success when it is final; the scanner tells it when it is not known`, async () => {
      await begin();
      const address = fresh();
      const id = await order({ address, asset, amount });
      await settle();
      expect(await payoutOf(id)).toMatchObject({ status: 'processing', txid: expect.stringMatching(/./) });
      mine(1);
      await settle();
      expect((await payoutOf(id)).status).toBe('processing');
      expect(on.held(address, asset)).toBe(units);
      await mineToFinality();
      expect((await payoutOf(id)).status).toBe('success');
      expect(on.held(address, asset)).toBe(units);
      await on.chainAndBooksAgree();
      await expectToldWhenUnknown(on.it, 'solana', [id]);
    });

    test(`of ${asset} that the network loses is signed again exactly once, when it is provably dead`, async () => {
      await begin();
      const address = fresh();
      on.lab.ledger.congest(true);
      const id = await order({ address, asset, amount });
      await settle();
      mine(LIFE - 20);
      await settle();
      expect(await signedOf(id)).toHaveLength(1);
      // The last block that could have taken it is there, but not final.
      mine(22);
      await settle();
      expect(await signedOf(id)).toHaveLength(1);
      on.lab.ledger.congest(false);
      mine(EXPIRY_MARGIN);
      await mineToFinality();
      await settle();
      await mineToFinality();
      const signed = await signedOf(id);
      expect(signed.map(({ ordinal }) => ordinal)).toEqual([1, 2]);
      expect(signed[1]!.validUntil).toBeGreaterThan(signed[0]!.validUntil!);
      expect(await payoutOf(id)).toMatchObject({ status: 'success', txid: signed[1]!.txid });
      mine(LIFE);
      await settle();
      expect(on.held(address, asset)).toBe(units);
      await on.chainAndBooksAgree();
    });
  }

  test('that is stuck is only broadcast again, and goes through when the network takes it', async () => {
    await begin();
    const address = fresh();
    on.lab.ledger.congest(true);
    const id = await order({ address, asset: SOL, amount: 0.01 });
    await settle();
    mine(100);
    await settle();
    on.lab.ledger.congest(false);
    await mineToFinality();
    await mineToFinality();
    expect((await payoutOf(id)).status).toBe('success');
    expect(await signedOf(id)).toHaveLength(1);
    expect(on.held(address, SOL)).toBe(10_000_000n);
    await on.chainAndBooksAgree();
  });

  test('whose block is on a branch that loses is paid all the same, once', async () => {
    await begin();
    const address = fresh();
    const id = await order({ address, asset: USDC, amount: 5 });
    await settle();
    mine(1);
    await settle();
    on.lab.reorg(1);
    expect(on.held(address, USDC)).toBe(0n);
    await settle();
    await mineToFinality();
    await mineToFinality();
    expect((await payoutOf(id)).status).toBe('success');
    expect(on.held(address, USDC)).toBe(5_000_000n);
    await on.chainAndBooksAgree();
  });

  test('to where the money would be lost fails, with the balance back and nothing signed', async () => {
    await begin();
    const before = (await on.balance()).available;
    const account = associatedAccount(on.hot, on.lab.mints.usdc);
    const ids = [
      await order({ address: account, asset: USDC, amount: 5 }),
      await order({ address: on.lab.mints.usdc.program, asset: SOL, amount: 0.01 }),
      // Less than what a new account must hold.
      await order({ address: fresh(), asset: SOL, amount: 0.0005 }),
    ];
    await settle();
    await settle();
    for (const id of ids) {
      expect((await payoutOf(id)).status).toBe('failed');
      expect(await signedOf(id)).toEqual([]);
    }
    expect((await on.balance()).available).toBe(before);
    await on.chainAndBooksAgree();
  });

  test('leaves beside many others at once, those that say the same too', async () => {
    await begin();
    const address = fresh();
    const ids = [];
    for (let count = 0; count < 12; count++) ids.push(await order({ address, asset: USDC, amount: 5 }));
    await settle();
    await mineToFinality();
    await mineToFinality();
    for (const id of ids) expect((await payoutOf(id)).status).toBe('success');
    expect(on.held(address, USDC)).toBe(60_000_000n);
    await on.chainAndBooksAgree();
  });
});

describe.skipIf(!available)('a sweep on solana', () => {
  const on = stageSolanaJourney();
  const { create, pay, mineToFinality } = on;

  async function paid(asset: string): Promise<{ address: string; units: bigint }> {
    const invoice = await create({ amount: 500, asset });
    pay(invoice);
    await mineToFinality();
    return { address: invoice.address_to, units: on.due(invoice) };
  }

  test('takes all of a coin, and leaves an address that needed no coin of its own', async () => {
    await on.fund();
    const before = on.held(on.hot, SOL);
    const { address, units } = await paid(SOL);
    await on.sweepToTheEnd();
    expect(on.held(address, SOL)).toBe(0n);
    const fee = before + units - on.held(on.hot, SOL);
    expect(fee).toBeGreaterThanOrEqual(10_000n);
    expect(fee).toBeLessThan(100_000n);
    await on.chainAndBooksAgree();
  });

  test('takes all of a token without a top-up, and the rent of the emptied account', async () => {
    await on.fund();
    const [coins, tokens] = [on.held(on.hot, SOL), on.held(on.hot, USDC)];
    const { address, units } = await paid(USDC);
    const account = associatedAccount(address, on.lab.mints.usdc);
    const rent = on.lab.lamportsOf(account);
    await on.sweepToTheEnd();
    expect(on.held(on.hot, USDC)).toBe(tokens + units);
    expect(on.lab.lamportsOf(account)).toBe(0n);
    const gained = on.held(on.hot, SOL) - coins;
    expect(gained).toBeLessThan(rent);
    expect(gained).toBeGreaterThan(rent - 100_000n);
    await on.chainAndBooksAgree();
  });

  test('brings a token that only the configuration lists, and it is paid out', async () => {
    await on.fund();
    const { units } = await paid(LAB);
    await on.sweepToTheEnd();
    expect(on.held(on.hot, LAB)).toBe(units);
    const address = on.lab.unusedAddress();
    const id = await on.order({ address, asset: LAB, amount: 5 });
    await on.settle();
    await on.mineToFinality();
    expect((await on.payoutOf(id)).status).toBe('success');
    expect(on.held(address, LAB)).toBe(5_000_000n);
    await on.chainAndBooksAgree();
  });

  test('makes the account of the hot wallet where it lacks one', async () => {
    on.transfer({ to: on.hot, asset: SOL, units: 1_000_000_000n });
    const { address, units } = await paid('usdt_solana');
    const account = associatedAccount(on.hot, on.lab.mints.usdt);
    expect(on.lab.lamportsOf(account)).toBe(0n);
    await on.sweepToTheEnd();
    expect(on.held(address, 'usdt_solana')).toBe(0n);
    expect(on.held(on.hot, 'usdt_solana')).toBe(units);
    expect(on.lab.lamportsOf(account)).toBeGreaterThan(0n);
    const { on: solana, deps } = on.treasury();
    expect(await bookCapital(deps, solana)({ asset: SOL, note: 'gas', dryRun: false })).toMatchObject({
      ok: true,
    });
    await on.chainAndBooksAgree();
  });

  test('leaves what is not decided where it is, and the account with it', async () => {
    await on.fund();
    const { address, units } = await paid(USDC);
    // Sent to an invoice that is paid: a stray.
    on.transfer({ to: address, asset: USDC, units: 1_000n });
    await mineToFinality();
    const before = on.held(on.hot, USDC);
    await on.sweepToTheEnd();
    expect(on.held(on.hot, USDC)).toBe(before + units);
    expect(on.held(address, USDC)).toBe(1_000n);
    await on.chainAndBooksAgree();
  });

  test('of a coin beside a few lamports of a stranger leaves what the address must keep', async () => {
    await on.fund();
    const { address } = await paid(SOL);
    on.transfer({ to: address, asset: SOL, units: 5n });
    await mineToFinality();
    await on.sweepToTheEnd();
    expect(on.held(address, SOL)).toBe(890_880n);
    await on.chainAndBooksAgree();
  });

  test('lost by the network is signed again, once, and moves the money once', async () => {
    await on.fund();
    const { address, units } = await paid(USDC);
    const before = on.held(on.hot, USDC);
    const { on: solana, deps } = on.treasury();
    await requestSweeps(deps, solana, { asset: USDC, address });
    on.lab.ledger.congest(true);
    await on.sweepToTheEnd(1);
    on.mine(LIFE + EXPIRY_MARGIN + 5);
    on.lab.ledger.congest(false);
    await on.sweepToTheEnd();
    expect(on.held(address, USDC)).toBe(0n);
    expect(on.held(on.hot, USDC)).toBe(before + units);
    await on.chainAndBooksAgree();
  });
});
