/** The contract of DepositRepository about invoices: what they have, and what waits for a price. */
import { describe, expect, test } from 'bun:test';
import type { Deposit, DepositStatus } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  aDeposit,
  anAddress,
  anEntry,
  anId,
  anInvoice,
  anIssuedAddress,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeDepositsOfInvoices(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: deposits of invoices`, () => {
    const storage = openedFor(open);
    const insert = (...deposits: readonly Deposit[]) =>
      storage.run(async (r) => {
        for (const deposit of deposits) await r.deposits.insertAll([deposit]);
      });
    const stored = async (given: Partial<Invoice> = {}): Promise<Invoice> => {
      const invoice = anInvoice({ merchantId: (await storage.merchant()).id, ...given });
      await storage.run((r) => r.invoices.insert(invoice));
      return invoice;
    };
    const of = ({ id: invoiceId, merchantId }: Invoice) => ({ merchantId, invoiceId });

    test('one invoice after the other come the largest of each, as many as wanted, and equal ones by their ids', async () => {
      const [one, other] = [await stored(), await stored()];
      const arrived = (invoice: Invoice, units: bigint, status: DepositStatus = 'arrived') =>
        aDeposit({ ...of(invoice), units, status });
      const [small, even, equal, large] = [
        arrived(one, 1n),
        arrived(one, 5n),
        arrived(one, 5n),
        arrived(one, 10n),
      ];
      const [single, credited] = [arrived(other, 2n), arrived(other, 20n, 'credited')];
      await insert(small, equal, even, large, single, credited);
      const largest = async (most: number, ...invoices: readonly string[]) => {
        const found = await storage.run((r) =>
          r.deposits.ofInvoices(invoices, { statuses: ['arrived', 'held'], most }),
        );
        return found.map(({ id }) => id);
      };
      const three = [large.id, even.id, equal.id];
      expect(await largest(3, one.id, other.id, anId())).toEqual([...three, single.id]);
      expect(await largest(3, other.id, one.id)).toEqual([single.id, ...three]);
      expect(await largest(2, one.id)).toEqual([large.id, even.id]);
      expect(await largest(9)).toEqual([]);
    });

    test('those of several invoices are locked together, in the order of their ids', async () => {
      const [one, other, third] = [await stored(), await stored(), await stored()];
      const [first, second, held, elsewhere] = [
        aDeposit({ ...of(other), status: 'arrived' }),
        aDeposit({ ...of(one), status: 'arrived' }),
        aDeposit({ ...of(one), status: 'held' }),
        aDeposit({ ...of(third), status: 'arrived' }),
      ];
      await insert(elsewhere, held, second, first);
      const lock = (...ids: readonly string[]) =>
        storage.run((r) => r.deposits.lockOfInvoices(ids, ['arrived']));
      expect(await lock(one.id, other.id, one.id)).toEqual([first, second]);
      expect(await lock()).toEqual([]);
      await storage.run((r) =>
        r.deposits.moveOfInvoices([one.id, other.id], { from: 'arrived', to: 'credited', strayReason: null }),
      );
      expect(await lock(one.id, other.id, third.id)).toEqual([elsewhere]);
      expect(await storage.run((r) => r.deposits.lock(held.id))).toEqual(held);
    });

    test('many are saved together: all of them, or none', async () => {
      const invoice = await stored();
      const [one, other] = [aDeposit(of(invoice)), aDeposit(of(invoice))];
      await insert(one, other);
      const changed = [one, other].map(
        (deposit): Deposit => ({ ...deposit, status: 'arrived', note: `of ${deposit.id}`, block: null }),
      );
      await storage.run((r) => r.deposits.saveAll(changed));
      await storage.run((r) => r.deposits.saveAll([]));
      const found = () => storage.run((r) => r.deposits.lockOfInvoice(invoice.id, ['arrived', 'held']));
      expect(await found()).toEqual(changed);
      const held = changed.map((deposit): Deposit => ({ ...deposit, status: 'held' }));
      const withUnknown = [...held, aDeposit(of(invoice))];
      await expect(storage.run((r) => r.deposits.saveAll(withUnknown))).rejects.toThrow('saved 2');
      expect(await found()).toEqual(changed);
    });

    test('a payment counts until it is gone, and an arrival also where it is nobody’s', async () => {
      const invoice = await stored();
      const { merchantId } = invoice;
      const address = anAddress();
      await storage.run((r) =>
        r.addresses.insert(anIssuedAddress({ merchantId, invoiceId: invoice.id, address })),
      );
      const hasPayment = () => storage.run((r) => r.deposits.hasPayment(invoice.id));
      const hasArrivals = (...chains: readonly string[]) =>
        storage.run((r) => r.deposits.hasArrivals(invoice.id, chains));
      const gone = { status: 'dropped', block: null } as const;
      await insert(aDeposit({ merchantId, address, ...gone }), aDeposit({ ...of(invoice), ...gone }));
      expect([await hasPayment(), await hasArrivals('ethereum')]).toEqual([false, false]);
      await insert(aDeposit({ merchantId, address, status: 'stray' }));
      expect(await hasPayment()).toBe(false);
      const arrivals = [await hasArrivals('ethereum', 'bsc'), await hasArrivals('bsc'), await hasArrivals()];
      expect(arrivals).toEqual([true, false, false]);
      await insert(aDeposit({ ...of(invoice), status: 'rejected' }));
      expect(await hasPayment()).toBe(true);
    });

    test('an asset without a price waits since its oldest arrival that is not deferred, of an invoice that has not ended', async () => {
      const pending = { pendingUnits: 5_000_000n, creditedUnits: 0n, heldUnits: 0n };
      const waits = await stored({ status: 'confirming', funds: pending });
      const small = await stored({ funds: { ...pending, pendingUnits: 1n } });
      const ended = await stored({ status: 'expired', funds: pending, processedAt: NOW });
      const [asset, another] = [`asset ${anId()}`, `another ${anId()}`];
      const arrive = async (invoice: Invoice, seconds: number, of: string) => {
        const { id: invoiceId, merchantId } = invoice;
        const deposit = aDeposit({ merchantId, invoiceId, status: 'arrived', asset: of });
        await insert(deposit);
        const at = secondsAfter(seconds);
        await storage.run((r) =>
          r.ledger.post(anEntry({ merchantId, depositId: deposit.id, referenceId: invoiceId, at })),
        );
      };
      await arrive(waits, 30, asset);
      await arrive(waits, 20, asset);
      await arrive(waits, 25, another);
      await arrive(small, 10, asset);
      await arrive(ended, 5, asset);
      const waiting = async (...priced: readonly string[]) =>
        (await storage.run((r) => r.deposits.waitingForPrice(priced))).filter(
          (found) => found.asset === asset || found.asset === another,
        );
      expect(await waiting()).toEqual([
        { asset: another, since: secondsAfter(25) },
        { asset, since: secondsAfter(20) },
      ]);
      expect(await waiting(another)).toEqual([{ asset, since: secondsAfter(20) }]);
    });

    test('a chain with a deposit in a block that is not final has something to make final', async () => {
      const { merchantId } = await stored();
      const chain = `chain ${anId()}`;
      const any = () => storage.run((r) => r.deposits.anyUnfinal(chain));
      await insert(
        aDeposit({ merchantId, chain, block: null }),
        aDeposit({ merchantId, chain, status: 'credited' }),
      );
      expect(await any()).toBe(false);
      await insert(aDeposit({ merchantId, chain, lockedUntil: 1_000 }));
      expect(await any()).toBe(true);
    });
  });
}
