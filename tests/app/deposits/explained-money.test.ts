/**
 * Money that one instance knows by its trace, and another one by balances only, in whatever order
 * they tell of it.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import { balanceKey, DEPOSIT_STATUSES, type Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { aHash } from '../../support/builders.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

/** What the block pays to the address, by two calls of one transaction. */
const PARTS = [4n * 10n ** 15n, 8_625n * 10n ** 12n];
const PAID = 12_625n * 10n ** 12n;

describe.skipIf(!needs('postgres', postgresAvailable()))('money that two instances tell', () => {
  const { stage, merchant } = stageCheckout();
  let height = 100;

  /** An invoice that a block pays, and what each instance tells of that block. */
  async function aPaidBlock() {
    const invoice = await merchant.create({ asset: 'eth_ethereum' });
    height += 1;
    const block = { height, hash: aHash() };
    const txid = aHash();
    const traced = async (on = block) => {
      for (const [at, units] of PARTS.entries())
        await stage.tell(invoice, { ...on, txid, output: `call:${at}`, units });
    };
    const key = balanceKey('ethereum', block.height, invoice.addressTo!.toLowerCase());
    const balance = async (on = block) => {
      await stage.tell(invoice, { ...on, ...key, units: PAID, kind: 'unexplained' });
    };
    return { ...{ invoice, block, traced, balance }, deposits: () => depositsOf(invoice) };
  }
  async function depositsOf({ addressTo }: Invoice): Promise<readonly Deposit[]> {
    const all = await stage.deps.operatorQueries.deposits({
      ...{ statuses: DEPOSIT_STATUSES, sandbox: null, limit: 10_000 },
    });
    return all.filter(({ address }) => address === addressTo!.toLowerCase());
  }
  async function becomesFinal(invoice: Invoice): Promise<void> {
    for (const deposit of await depositsOf(invoice))
      if (deposit.status === 'confirming') await stage.finish(deposit);
  }
  async function operatorCredits(invoice: Invoice): Promise<void> {
    for (const { id, status } of await depositsOf(invoice))
      if (status === 'stray') expect((await creditStray(stage.deps)(id)).ok).toBe(true);
  }
  const unitsThere = (deposits: readonly Deposit[]): bigint =>
    deposits
      .filter(({ status }) => status !== 'dropped' && status !== 'reversed')
      .reduce((sum, { units }) => sum + units, 0n);

  test('E6: by its payments first is parked by nobody', async () => {
    const { invoice, traced, balance, deposits } = await aPaidBlock();
    await traced();
    await balance();
    await becomesFinal(invoice);
    await balance();
    expect(await deposits()).toMatchObject([{ status: 'credited' }, { status: 'credited' }]);
    expect((await stage.read(invoice.id)).status).toBe('success');
  });

  test.each([
    ['before it is final', 'dropped', false],
    ['once it is final', 'reversed', true],
  ])('E6: by balances first is the payments’ %s, and parked no more', async (_, gone, isFinal) => {
    const { invoice, traced, balance, deposits } = await aPaidBlock();
    await balance();
    if (isFinal) await becomesFinal(invoice);
    await traced();
    await balance();
    await becomesFinal(invoice);
    const found = await deposits();
    expect(found.find(({ unexplained }) => unexplained)).toMatchObject({ status: gone, units: PAID });
    expect(found.filter(({ status }) => status === 'credited')).toHaveLength(2);
    expect((await stage.read(invoice.id)).status).toBe('success');
  });

  test('E6: by balances first stays what an operator made of it', async () => {
    const { invoice, traced, balance, deposits } = await aPaidBlock();
    await balance();
    await becomesFinal(invoice);
    await operatorCredits(invoice);
    await traced();
    expect(await deposits()).toMatchObject([{ status: 'credited', unexplained: true, units: PAID }]);
  });

  test('E6: by balances on a branch that was left is the payments’, though an operator had credited it', async () => {
    const { invoice, block, traced, balance, deposits } = await aPaidBlock();
    await balance();
    await becomesFinal(invoice);
    await operatorCredits(invoice);
    await traced({ ...block, hash: aHash() });
    await becomesFinal(invoice);
    const statuses = (await deposits()).map(({ status }): string => status);
    expect(statuses.toSorted()).toEqual(['credited', 'credited', 'reversed']);
  });

  test('E6: by payments that another branch does not have is parked there', async () => {
    const { invoice, block, traced, balance, deposits } = await aPaidBlock();
    await traced({ ...block, hash: aHash() });
    await stage.lose((await deposits())[0]!);
    await stage.lose((await deposits())[1]!);
    await balance();
    await becomesFinal(invoice);
    const there = (await deposits()).filter(({ status }) => status !== 'dropped');
    expect(there).toMatchObject([{ status: 'stray', unexplained: true }]);
  });

  test('E6: in any order counts once, and the books are right at each step', async () => {
    const steps = ['traced', 'balance', 'final', 'credit'] as const;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 3, maxLength: 7 }), async (order) => {
        const { invoice, traced, balance, deposits } = await aPaidBlock();
        for (const step of order) {
          if (step === 'traced') await traced();
          if (step === 'balance') await balance();
          if (step === 'final') await becomesFinal(invoice);
          if (step === 'credit') await operatorCredits(invoice);
          expect([0n, PAID]).toContain(unitsThere(await deposits()));
        }
        await stage.booksAreRight();
      }),
      { numRuns: 15 },
    );
  });
});
