/**
 * The contract of CheckoutQueries: a state changes with everything that an invoice's page shows,
 * and with nothing else.
 */
import { describe, expect, test } from 'bun:test';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { ChainCursor } from '../../../src/ports/chains/chain-repository.ts';
import { CONFIRMATIONS_TOLD, PAYMENTS_SHOWN } from '../../../src/ports/checkout/checkout-queries.ts';
import {
  aDeposit,
  aHash,
  anId,
  anInvoice,
  anIssuedAddress,
  aPermanentAddress,
  aPrice,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import type { OpenedQueries } from '../lists/queries.ts';
import { openedFor } from '../opened.ts';

export function describeCheckoutQueries(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: what the checkout asks`, () => {
    const storage = openedFor(open);
    const queries = () => storage.ports().queries;

    /** An invoice on a chain of its own, and its live state. */
    async function opened(given: Partial<Invoice> = {}) {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, ...given });
      await storage.run((r) => r.invoices.insert(invoice));
      const chain = `chain ${anId()}`;
      let cursor: ChainCursor | null = null;
      return {
        invoice,
        chain,
        deposit: (more: Partial<Deposit> = {}) =>
          aDeposit({ merchantId, invoiceId: invoice.id, chain, units: 5n, ...more }),
        store: (deposit: Deposit) => storage.run((r) => r.deposits.insertAll([deposit])),
        save: (deposit: Deposit) => storage.run((r) => r.deposits.save(deposit)),
        async read(height: number) {
          const next = { height, hash: aHash(), coveredUntil: NOW, finalizedHeight: height };
          await storage.run((r) => r.chains.moveCursor(chain, cursor, next));
          cursor = next;
        },
        state: async (seenLate: readonly string[] = []) =>
          (await queries().liveStates([invoice.externalId], seenLate)).get(invoice.externalId) ?? '',
        payments: () => queries().checkoutPayments(invoice.id),
      };
    }

    test('every invoice that exists has its state, in one answer', async () => {
      const [first, second] = [await opened(), await opened({ sandbox: true })];
      const unknown = '00000000-0000-4000-8000-eeeeeeeeeeee';
      const asked = [first.invoice.externalId, unknown, 'not an id', second.invoice.externalId];
      const states = await queries().liveStates(asked, []);
      expect([...states.keys()].toSorted()).toEqual(
        [first.invoice.externalId, second.invoice.externalId].toSorted(),
      );
      for (const state of states.values()) expect(state).toMatch(/^[0-9a-f]{32}$/);
      // Also for equal invoices, so that nobody can derive the meaning of a state.
      expect(new Set(states.values()).size).toBe(2);
      expect(await queries().liveStates([], [])).toEqual(new Map());
      expect(await queries().liveStates(['nothing'], [])).toEqual(new Map());
    });

    test('thousands are asked for at once', async () => {
      const { invoice, state } = await opened();
      const strangers = Array.from({ length: 5_000 }, () => crypto.randomUUID());
      const states = await queries().liveStates([...strangers, invoice.externalId], []);
      expect([...states]).toEqual([[invoice.externalId, await state()]]);
    });

    test('the state changes with status, asset, price and money, and stays the same otherwise', async () => {
      const { invoice, state } = await opened();
      const changes: Partial<Invoice>[] = [
        { version: 1 },
        { status: 'expired', processedAt: NOW },
        { price: aPrice({ asset: 'usdt_tron' }) },
        { price: aPrice({ dueUnits: 10_200_000n }) },
        { funds: { ...invoice.funds, pendingUnits: 1n } },
      ];
      const seen = new Set([await state()]);
      for (const change of changes) {
        await storage.run((r) => r.invoices.save({ ...invoice, ...change }));
        const changed = await state();
        expect(await state()).toBe(changed);
        seen.add(changed);
      }
      expect(seen.size).toBe(changes.length + 1);
    });

    test('an open invoice has another one while its asset is seen late, or what there is to choose from', async () => {
      const LATE = ['usdt_tron', 'trx_tron'];
      const chosen = aPrice({ asset: 'usdt_tron' });
      for (const status of ['created', 'confirming', 'partially_paid', 'high_risk', 'failed'] as const) {
        const { state } = await opened({ price: chosen, ...inStatus(status) });
        expect(await state(LATE)).not.toBe(await state());
        expect(await state(LATE.toReversed())).toBe(await state(LATE));
        expect(await state(['trx_tron'])).toBe(await state());
      }
      const open = await opened({ price: null });
      expect(new Set([await open.state(), await open.state(LATE), await open.state(['trx_tron'])]).size).toBe(
        3,
      );
      for (const ended of [{ sandbox: true }, inStatus('success'), inStatus('expired')]) {
        const { state } = await opened({ price: chosen, ...ended });
        expect(await state(LATE)).toBe(await state());
      }
    });

    test('a payment changes it when it is seen, mined, counted, final, and gone', async () => {
      const { state, deposit, store, save, read } = await opened();
      const seen: string[] = [await state()];
      const differs = async () => {
        const now = await state();
        expect(seen).not.toContain(now);
        seen.push(now);
      };
      const waiting = deposit({ block: null });
      await read(99);
      await store(waiting);
      await differs();
      const mined = { ...waiting, block: { height: 100, hash: aHash() } };
      await read(100);
      await save(mined);
      await differs();
      await read(101);
      await differs();
      await save({ ...mined, status: 'arrived' });
      await differs();
      await read(102);
      expect(await state()).toBe(seen.at(-1)!);
      await save({ ...mined, status: 'credited' });
      expect(await state()).toBe(seen.at(-1)!);
      await save({ ...mined, status: 'reversed', block: null });
      expect(await state()).toBe(seen[0]!);
    });

    test('confirmations beyond what a page tells change nothing', async () => {
      const { state, deposit, store, read } = await opened();
      await store(deposit({ block: { height: 1, hash: aHash() } }));
      await read(CONFIRMATIONS_TOLD - 1);
      const before = await state();
      await read(CONFIRMATIONS_TOLD);
      const most = await state();
      await read(CONFIRMATIONS_TOLD + 1);
      expect([before === most, (await state()) === most]).toEqual([false, true]);
    });

    test('the payments come oldest first, with their block and the height that was read', async () => {
      const { deposit, store, read, payments, chain } = await opened();
      const young = deposit({ firstSeenAt: secondsAfter(60), block: null });
      const old = deposit({ status: 'credited', units: 2n ** 200n });
      const gone = deposit({ status: 'dropped', block: null });
      for (const each of [young, old, gone]) await store(each);
      const shown = { chain, asset: 'usdt_ethereum' };
      const oldest = { ...shown, txid: old.txid, units: old.units, final: true, height: 100, head: null };
      expect((await payments())[0]).toEqual(oldest);
      await read(120);
      expect(await payments()).toEqual([
        { ...oldest, head: 120 },
        { ...shown, txid: young.txid, units: 5n, final: false, height: null, head: 120 },
      ]);
    });

    test('an arrival counts until it disappeared; a stray at an address of its own as well', async () => {
      const { invoice, deposit, store, save } = await opened();
      const { merchantId } = invoice;
      const issued = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      await storage.run((r) => r.addresses.insert(issued));
      const arrivals = async () => (await queries().checkoutStanding(invoice.id)).arrivals;
      await store(aDeposit({ merchantId, invoiceId: null, status: 'stray' }));
      expect(await arrivals()).toBe(false);
      const seen = [
        deposit(),
        deposit({ invoiceId: null, status: 'stray', chain: 'base', address: issued.address }),
      ];
      for (const each of seen) {
        await store(each);
        expect(await arrivals()).toBe(true);
        await save({ ...each, status: 'reversed', block: null });
        expect(await arrivals()).toBe(false);
      }
    });

    test('a late payment waits at an address of the invoice, and nobody decided about it', async () => {
      const { invoice, deposit, store, save } = await opened();
      const { merchantId } = invoice;
      const issued = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      await storage.run((r) => r.addresses.insert(issued));
      const late = { invoiceId: null, status: 'stray', strayReason: 'invoice_closed' } as const;
      const at = { chain: 'base', address: issued.address };
      const there = deposit({ ...late, ...at });
      await store(deposit({ ...late, chain: 'base' }));
      await store(deposit({ ...late, ...at, strayReason: 'other_asset' }));
      expect(await queries().hasLatePayment(invoice.id)).toBe(false);
      await store(there);
      expect(await queries().hasLatePayment(invoice.id)).toBe(true);
      for (const status of ['credited', 'reversed'] as const) {
        await save({ ...there, status, block: status === 'credited' ? there.block : null });
        expect(await queries().hasLatePayment(invoice.id)).toBe(false);
      }
    });

    test('an address is gone when its owner changed, until another took its place', async () => {
      const { invoice, state } = await opened({ price: aPrice({ asset: 'usdt_tron' }) });
      const { merchantId, id: invoiceId } = invoice;
      const [first, second, other] = ['tron', 'tron', 'evm'].map((family) =>
        anIssuedAddress({ merchantId, invoiceId, family }),
      );
      const gone = async () => (await queries().checkoutStanding(invoiceId)).addressGone;
      const freeze = (address: string, chain = 'tron') =>
        storage.run((r) => r.frozen.freeze({ chain, address, reason: 'sold', at: NOW }));
      for (const issued of [first!, other!]) await storage.run((r) => r.addresses.insert(issued));
      const before = await state();
      await freeze(first!.address, 'base');
      await freeze(other!.address, 'base');
      expect([await gone(), await state()]).toEqual([false, before]);
      await freeze(first!.address);
      expect([await gone(), (await state()) === before]).toEqual([true, false]);
      await storage.run((r) => r.addresses.retire({ invoiceId, family: 'tron' }));
      await storage.run((r) => r.addresses.insert(second!));
      expect([await gone(), await state()]).toEqual([false, before]);
    });

    test('a permanent address is gone when it was deactivated or is frozen', async () => {
      const { id: merchantId } = await storage.merchant();
      for (const family of ['evm', 'tron'] as const) {
        const address = aPermanentAddress({ merchantId, family });
        await storage.run((r) => r.permanentAddresses.insertIfAbsent(address));
        const issued = anIssuedAddress({ merchantId, family, permanentAddressId: address.id });
        await storage.run((r) => r.addresses.insert(issued));
        const price = aPrice({ asset: family === 'tron' ? 'usdt_tron' : 'usdt_ethereum' });
        const { invoice } = await opened({
          ...{ merchantId, price, billingType: 'VARY', userId: 'u', bindsPermanentAddress: true },
          permanentAddressId: address.id,
        });
        const gone = async () => (await queries().checkoutStanding(invoice.id)).addressGone;
        expect(await gone()).toBe(false);
        await storage.run<unknown>((r) =>
          family === 'tron'
            ? r.frozen.freeze({ chain: 'tron', address: issued.address, reason: 'sold', at: NOW })
            : r.permanentAddresses.save({ ...address, active: false, deactivatedAt: NOW }),
        );
        expect(await gone()).toBe(true);
      }
    });

    test('of more payments than a page holds the state tells those that it shows, and the sum', async () => {
      const { invoice, deposit, store, save, state } = await opened();
      const all = Array.from({ length: PAYMENTS_SHOWN + 1 }, (_, at) =>
        deposit({ firstSeenAt: secondsAfter(at) }),
      );
      for (const each of all) await store(each);
      const before = await state();
      await save({ ...all.at(-1)!, status: 'arrived' });
      expect(await state()).toBe(before);
      await save({ ...all.at(-2)!, status: 'arrived' });
      const shown = await state();
      expect(shown).not.toBe(before);
      await storage.run((r) =>
        r.invoices.save({ ...invoice, funds: { ...invoice.funds, pendingUnits: 505n } }),
      );
      expect(await state()).not.toBe(shown);
    });

    test('payments of others are not shown, nor more of them than a page holds', async () => {
      const { deposit, store, payments } = await opened();
      await store({ ...deposit(), invoiceId: null, status: 'stray', strayReason: 'no_invoice' });
      expect(await payments()).toEqual([]);
      for (let number = 0; number <= PAYMENTS_SHOWN; number += 1) await store(deposit());
      expect(await payments()).toHaveLength(PAYMENTS_SHOWN);
    });
  });
}
