/** The contract of DepositRepository. */
import { describe, expect, test } from 'bun:test';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { InvoiceToScreen } from '../../../src/ports/deposits/deposit-repository.ts';
import { aDeposit, aHash, anAddress, anId, anInvoice, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeDepositRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: deposits`, () => {
    const storage = openedFor(open);
    const insert = (deposit: Deposit) => storage.run((r) => r.deposits.insertAll([deposit]));
    const ids = (deposits: readonly Deposit[]) => deposits.map((deposit) => deposit.id);

    test('a deposit is found as it was inserted, by id and by its credit key', async () => {
      const { id: merchantId } = await storage.merchant();
      const deposit = aDeposit({
        merchantId,
        units: 2n ** 256n - 1n,
        strayReason: 'no_rate',
        note: 'a note',
        addressFrom: null,
      });
      await insert({ ...deposit, id: anId(), output: 'call:0' });
      await insert(deposit);
      expect(await storage.run((r) => r.deposits.lock(deposit.id))).toEqual(deposit);
      const other = aDeposit({ merchantId, chain: deposit.chain });
      await insert(other);
      const found = (chain: string, ...keys: { txid: string; output: string }[]) =>
        storage.run((r) => r.deposits.findByKeys(chain, keys));
      expect(await found(deposit.chain, deposit, { ...deposit, output: 'log:1' }, deposit)).toEqual([
        deposit,
      ]);
      expect(await found(deposit.chain, deposit, other)).toHaveLength(2);
      expect(await found('another', deposit)).toEqual([]);
      expect(await found(deposit.chain)).toEqual([]);
      expect(await storage.run((r) => r.deposits.lock(anId()))).toBeNull();
    });

    test('many are inserted together, or none where a credit key is there already', async () => {
      const { id: merchantId } = await storage.merchant();
      const [first, second, third] = [1, 2, 3].map(() => aDeposit({ merchantId }));
      await storage.run((r) => r.deposits.insertAll([first!, second!]));
      const again = { ...second!, id: anId() };
      await expect(storage.run((r) => r.deposits.insertAll([third!, again]))).rejects.toThrow();
      const found = (deposit: Deposit) => storage.run((r) => r.deposits.find(deposit.id));
      expect([await found(first!), await found(second!)]).toEqual([first!, second!]);
      expect([await found(third!), await found(again)]).toEqual([null, null]);
      await storage.run((r) => r.deposits.insertAll([]));
    });

    test('several are locked in the order of their ids, those that are there', async () => {
      const { id: merchantId } = await storage.merchant();
      const deposits = [aDeposit({ merchantId }), aDeposit({ merchantId }), aDeposit({ merchantId })];
      for (const deposit of deposits) await insert(deposit);
      const [first, , third] = deposits.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const lock of ['lockFree', 'lockAll'] as const) {
        const found = await storage.run((r) => r.deposits[lock]([third!.id, anId(), first!.id]));
        expect(found).toEqual([first!, third!]);
        expect(await storage.run((r) => r.deposits[lock]([]))).toEqual([]);
      }
    });

    test('of many who insert one credit key at once, one does', async () => {
      const { id: merchantId } = await storage.merchant();
      const txid = aHash();
      const candidates = Array.from({ length: 20 }, () => aDeposit({ merchantId, txid }));
      const results = await Promise.allSettled(candidates.map(insert));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const key = { txid, output: candidates[0]!.output };
      expect(await storage.run((r) => r.deposits.findByKeys(candidates[0]!.chain, [key]))).toHaveLength(1);
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
        lockedUntil: 300,
        strayReason: 'other_asset',
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

    test('all deposits of an invoice in one status move to another', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      const of = { merchantId, invoiceId: invoice.id } as const;
      const [first, second, credited] = [
        aDeposit({ ...of, status: 'arrived' }),
        aDeposit({ ...of, status: 'arrived' }),
        aDeposit({ ...of, status: 'credited' }),
      ];
      for (const deposit of [first, second, credited]) await insert(deposit);
      await storage.run((r) =>
        r.deposits.moveOfInvoices([invoice.id], {
          from: 'arrived',
          to: 'stray',
          strayReason: 'invoice_ended',
        }),
      );
      const moved = [first, second].map((deposit) => ({
        ...deposit,
        status: 'stray',
        strayReason: 'invoice_ended',
      }));
      const found = await storage.run((r) => r.deposits.lockOfInvoice(invoice.id, ['stray', 'credited']));
      expect(found as readonly unknown[]).toEqual([...moved, credited]);
    });

    test('payments of a trace are found by their address, asset and block', async () => {
      const { id: merchantId } = await storage.merchant();
      const traced = aDeposit({ merchantId, output: 'call:0.1' });
      const logged = aDeposit({ merchantId });
      for (const deposit of [traced, logged]) await insert(deposit);
      const { chain, address, asset } = traced;
      const block = traced.block!;
      const has = (change = {}) =>
        storage.run((r) => r.deposits.hasTraced({ chain, address, asset, block, ...change }));
      expect(await has()).toBe(true);
      const others = [{ chain: 'bsc' }, { address: anAddress() }, { asset: 'eth_ethereum' }];
      for (const other of [...others, { block: { ...block, hash: aHash() } }])
        expect(await has(other)).toBe(false);
      expect(await has({ address: logged.address, block: logged.block })).toBe(false);
    });

    test('a chain is asked for what is not final and what has no block, and takes back what sits above a height', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      const chain = `chain ${anId()}`;
      const at = (height: number) => ({ height, hash: aHash() });
      const low = aDeposit({ merchantId, chain, block: at(10) });
      const locked = aDeposit({ merchantId, chain, block: at(10), lockedUntil: 110 });
      const high = aDeposit({ merchantId, chain, block: at(12) });
      const credited = aDeposit({ merchantId, chain, block: at(11), status: 'credited' });
      const waiting = aDeposit({ merchantId, chain, block: null });
      const orphaned = aDeposit({ merchantId, chain, block: null, status: 'arrived', invoiceId: invoice.id });
      const gone = aDeposit({ merchantId, chain, block: null, status: 'reversed' });
      const rejected = aDeposit({ merchantId, chain, block: null, status: 'rejected' });
      for (const deposit of [low, locked, high, credited, waiting, orphaned, gone, rejected])
        await insert(deposit);
      await insert(aDeposit({ merchantId, block: at(12) }));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 11)))).toEqual(ids([low]));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 12)))).toEqual(ids([low, high]));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 109)))).toEqual(ids([low, high]));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 110)))).toEqual(ids([low, locked, high]));
      const withoutBlock = () => storage.run((r) => r.deposits.withoutBlock(chain));
      expect(ids(await withoutBlock())).toEqual(ids([waiting, orphaned, rejected]));
      const orphan = (limit: number) => storage.run((r) => r.deposits.orphanAbove(chain, 10, limit));
      expect([await orphan(1), (await withoutBlock()).length, await orphan(5)]).toEqual([1, 4, 1]);
      expect(ids(await withoutBlock())).toEqual(ids([high, credited, waiting, orphaned, rejected]));
      expect(ids(await storage.run((r) => r.deposits.unfinal(chain, 12)))).toEqual(ids([low]));
    });

    test('what is parked for a choice is summed and claimed by place, asset and reason, and never what is an invoice’s', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      const small = {
        ...{ chain: 'ethereum', address: anAddress(), asset: 'usdt_ethereum' },
        strayReason: 'below_minimum_for_earlier_choice',
      } as const;
      const parked = { merchantId, ...small };
      const [waits, final, ...others] = [
        aDeposit({ ...parked, units: 1n }),
        aDeposit({ ...parked, units: 10n, status: 'stray' }),
        aDeposit({ ...parked, units: 100n, status: 'stray', strayReason: 'no_invoice' }),
        aDeposit({ ...parked, units: 100n, status: 'stray', asset: 'usdc_ethereum' }),
        aDeposit({ ...parked, units: 100n, status: 'dropped', block: null }),
        aDeposit({ ...parked, units: 100n, status: 'stray', invoiceId: invoice.id }),
      ];
      for (const deposit of [waits!, final!, ...others]) await insert(deposit);
      expect(await storage.run((r) => r.deposits.parkedUnits(small))).toBe(11n);
      expect(await storage.run((r) => r.deposits.claimParked(small, invoice.id))).toBe(11n);
      expect(await storage.run((r) => r.deposits.parkedUnits(small))).toBe(0n);
      const claimed = { invoiceId: invoice.id, strayReason: null };
      expect(await storage.run((r) => r.deposits.lock(waits!.id))).toMatchObject({
        ...{ status: 'confirming', ...claimed },
      });
      expect(await storage.run((r) => r.deposits.lock(final!.id))).toMatchObject({
        ...{ status: 'arrived', ...claimed },
      });
    });

    test('undecided is what is final and not credited: on its way, arrived, held or stray, in real money of the asset', async () => {
      const { id: merchantId } = await storage.merchant();
      const [chain, asset] = [`chain ${anId()}`, `asset ${anId()}`];
      const invoice = anInvoice({ merchantId });
      await storage.run((r) => r.invoices.insert(invoice));
      const of = { merchantId, chain, asset, block: { height: 10, hash: aHash() }, invoiceId: invoice.id };
      for (const deposit of [
        aDeposit({ ...of, units: 1n }),
        aDeposit({ ...of, units: 10n, status: 'arrived' }),
        aDeposit({ ...of, units: 100n, status: 'held' }),
        aDeposit({ ...of, units: 1_000n, status: 'stray', invoiceId: null, strayReason: 'no_invoice' }),
        aDeposit({ ...of, units: 10_000n, status: 'rejected' }),
        aDeposit({ ...of, units: 7n, status: 'credited' }),
        aDeposit({ ...of, units: 7n, status: 'reversed', block: null }),
        aDeposit({ ...of, units: 7n, status: 'arrived', sandbox: true }),
        aDeposit({ ...of, units: 7n, status: 'arrived', asset: 'another' }),
        aDeposit({ ...of, units: 7n, block: { height: 11, hash: aHash() } }),
      ])
        await insert(deposit);
      const undecided = (height: number) =>
        storage.run((r) => r.deposits.undecidedUnits({ chain, asset, height }));
      expect(await undecided(10)).toBe(11_111n);
      expect(await undecided(11)).toBe(11_118n);
      expect(await undecided(9)).toBe(0n);
    });

    test('invoices are screened oldest deposit first, unless all they have is deferred and they are open', async () => {
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
      const ended = anInvoice({ ...funded(1_000n), status: 'expired', processedAt: NOW });
      const risky = anInvoice({
        ...{ merchantId, status: 'high_risk', processedAt: NOW },
        funds: { pendingUnits: 5_000_000n, creditedUnits: 0n, heldUnits: 1n },
      });
      const smallBesideHeld = anInvoice({
        ...{ merchantId, status: 'high_risk', processedAt: NOW },
        funds: { pendingUnits: 1_000n, creditedUnits: 0n, heldUnits: 2n },
      });
      const smallBesideRejected = { ...smallBesideHeld, id: anId(), externalId: anInvoice().externalId };
      const invoices = [
        young,
        old,
        dust,
        dustThatCovers,
        unfinal,
        ended,
        risky,
        smallBesideHeld,
        smallBesideRejected,
      ];
      for (const invoice of invoices) await storage.run((r) => r.invoices.insert(invoice));
      const arrive = (invoiceId: string, seconds: number) =>
        insert(aDeposit({ merchantId, invoiceId, status: 'arrived', firstSeenAt: secondsAfter(seconds) }));
      await arrive(young.id, 30);
      await arrive(old.id, 20);
      await arrive(old.id, 40);
      await arrive(dust.id, 1);
      await arrive(dustThatCovers.id, 10);
      await insert(aDeposit({ merchantId, invoiceId: unfinal.id }));
      await arrive(ended.id, 5);
      await arrive(risky.id, 50);
      for (const { id: invoiceId } of [smallBesideHeld, smallBesideRejected]) {
        await arrive(invoiceId, 2);
        await insert(aDeposit({ merchantId, invoiceId, status: 'rejected' }));
      }
      await insert(aDeposit({ merchantId, invoiceId: smallBesideHeld.id, status: 'held' }));
      const priced = [aDeposit().asset];
      const page = (limit: number, after: InvoiceToScreen | null = null) =>
        storage.run((r) => r.deposits.invoicesToScreen({ limit, after, priced }));
      const all = await page(1_000);
      const mine = new Set(invoices.map(({ id }) => id));
      const expected = [smallBesideRejected.id, ended.id, dustThatCovers.id, old.id, young.id, risky.id];
      expect(all.map(({ invoiceId }) => invoiceId).filter((id) => mine.has(id))).toEqual(expected);
      const first = await page(1);
      expect(first).toEqual(all.slice(0, 1));
      expect(await page(1_000, first[0])).toEqual(all.slice(1));
      // Without a price only invoices are returned that take their deposits no more.
      const unpriced = { limit: 1_000, after: null, priced: [] };
      const found = await storage.run((r) => r.deposits.invoicesToScreen(unpriced));
      expect(found.map(({ invoiceId }) => invoiceId).filter((id) => mine.has(id))).toEqual(
        expected.slice(0, 2),
      );
    });
  });
}
