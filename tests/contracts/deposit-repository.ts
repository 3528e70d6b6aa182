/** What every DepositRepository must do. */
import { describe, expect, test } from 'bun:test';
import type { Deposit } from '../../src/domain/deposit.ts';
import { aDeposit, aHash, anAddress, anId, anInvoice, secondsAfter } from '../support/builders.ts';
import { type Opened, openedFor } from './opened.ts';

export function describeDepositRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: deposits`, () => {
    const storage = openedFor(open);
    const insert = (deposit: Deposit) => storage.run((r) => r.deposits.insertOrLock(deposit));
    const ids = (deposits: readonly Deposit[]) => deposits.map((deposit) => deposit.id);

    test('a deposit is found as it was inserted, by id and by its credit key', async () => {
      const { id: merchantId } = await storage.merchant();
      const deposit = aDeposit({ merchantId, units: 2n ** 256n - 1n, note: 'a note', addressFrom: null });
      expect(await insert(deposit)).toEqual({ deposit, inserted: true });
      expect(await storage.run((r) => r.deposits.lock(deposit.id))).toEqual(deposit);
      expect(await storage.run((r) => r.deposits.findByKey(deposit))).toEqual(deposit);
      expect(await storage.run((r) => r.deposits.findByKey({ ...deposit, output: 'log:1' }))).toBeNull();
      expect(await storage.run((r) => r.deposits.lock(anId()))).toBeNull();
    });

    test('of many who insert one credit key at once, one does and all get its row', async () => {
      const { id: merchantId } = await storage.merchant();
      const txid = aHash();
      const candidates = Array.from({ length: 20 }, () => aDeposit({ merchantId, txid }));
      const results = await Promise.all(candidates.map(insert));
      const winners = results.filter((result) => result.inserted);
      expect(winners).toHaveLength(1);
      expect(new Set(results.map((result) => result.deposit.id)).size).toBe(1);
    });

    test('save writes all that may change, and never the key or the first-seen time', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const deposit = aDeposit({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      await insert(deposit);
      const changed: Deposit = {
        ...deposit,
        status: 'arrived',
        units: 7n,
        block: { height: 200, hash: aHash() },
        invoiceId: invoice.id,
        addressFrom: anAddress(),
        unexplained: true,
        note: 'moved',
      };
      await storage.run((r) => r.deposits.save({ ...changed, txid: aHash(), firstSeenAt: secondsAfter(99) }));
      expect(await storage.run((r) => r.deposits.lock(deposit.id))).toEqual(changed);
      await expect(storage.run((r) => r.deposits.save(aDeposit()))).rejects.toThrow();
    });

    test('the deposits of an invoice come by status, in the order of their ids', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      const arrived = aDeposit({ merchantId, invoiceId: invoice.id, status: 'arrived' });
      const credited = aDeposit({ merchantId, invoiceId: invoice.id, status: 'credited' });
      const dropped = aDeposit({ merchantId, invoiceId: invoice.id, status: 'dropped', block: null });
      for (const deposit of [dropped, credited, arrived]) await insert(deposit);
      const found = await storage.run((r) => r.deposits.lockOfInvoice(invoice.id, ['credited', 'arrived']));
      expect(found).toEqual([arrived, credited]);
      expect(await storage.run((r) => r.deposits.lockOfInvoice(invoice.id, []))).toEqual([]);
    });

    test('a chain is asked for what is not final and what has no block, and takes back what sits above a height', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      const chain = `chain ${anId()}`;
      const at = (height: number) => ({ height, hash: aHash() });
      const low = aDeposit({ merchantId, chain, block: at(10) });
      const high = aDeposit({ merchantId, chain, block: at(12) });
      const credited = aDeposit({ merchantId, chain, block: at(11), status: 'credited' });
      const waiting = aDeposit({ merchantId, chain, block: null });
      const orphaned = aDeposit({ merchantId, chain, block: null, status: 'arrived', invoiceId: invoice.id });
      const gone = aDeposit({ merchantId, chain, block: null, status: 'reversed' });
      const rejected = aDeposit({ merchantId, chain, block: null, status: 'rejected' });
      for (const deposit of [low, high, credited, waiting, orphaned, gone, rejected]) await insert(deposit);
      await insert(aDeposit({ merchantId, block: at(12) }));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 11)))).toEqual(ids([low]));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 12)))).toEqual(ids([low, high]));
      const withoutBlock = () => storage.run((r) => r.deposits.withoutBlock(chain));
      expect(ids(await withoutBlock())).toEqual(ids([waiting, orphaned, rejected]));
      await storage.run((r) => r.deposits.orphanAbove(chain, 10));
      expect(ids(await withoutBlock())).toEqual(ids([high, credited, waiting, orphaned, rejected]));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 12)))).toEqual(ids([low]));
    });

    test('invoices are screened oldest deposit first, unless all they have is deferred', async () => {
      const { id: merchantId } = await storage.merchant();
      const funded = (pendingUnits: bigint, creditedUnits = 0n) =>
        ({
          merchantId,
          funds: { pendingUnits, creditedUnits, heldUnits: 0n },
          status: 'confirming',
        }) as const;
      const young = anInvoice(funded(5_000_000n));
      const old = anInvoice(funded(2_000_000n));
      const dust = anInvoice({ ...funded(1_999_999n), status: 'created' });
      const dustThatCovers = anInvoice(funded(1_000_000n, 9_100_000n));
      const unfinal = anInvoice(funded(5_000_000n));
      for (const invoice of [young, old, dust, dustThatCovers, unfinal])
        await storage.run((r) => r.invoices.insert(invoice));
      const arrive = (invoiceId: string, seconds: number) =>
        insert(aDeposit({ merchantId, invoiceId, status: 'arrived', firstSeenAt: secondsAfter(seconds) }));
      await arrive(young.id, 30);
      await arrive(old.id, 20);
      await arrive(old.id, 40);
      await arrive(dust.id, 1);
      await arrive(dustThatCovers.id, 10);
      await insert(aDeposit({ merchantId, invoiceId: unfinal.id }));
      const screened = await storage.run((r) => r.deposits.invoicesToScreen(100));
      const mine = new Set([young, old, dust, dustThatCovers, unfinal].map((invoice) => invoice.id));
      expect(screened.filter((id) => mine.has(id))).toEqual([dustThatCovers.id, old.id, young.id]);
      expect(await storage.run((r) => r.deposits.invoicesToScreen(1))).toHaveLength(1);
    });
  });
}
