/** Searches: what people know of a payment finds it, in its scope or everywhere, newest first. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { type SearchTerms, searchTerms } from '../../../src/domain/console/search-terms.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../../src/domain/invoices/permanent-address.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import { FOUND_MAX, type PaymentSearch } from '../../../src/ports/console/payment-search.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import {
  aDeposit,
  anInvoice,
  anIssuedAddress,
  aPayout,
  aPermanentAddress,
  aPrice,
  inStatus,
  secondsAfter,
} from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedSearch extends Opened {
  readonly consoleQueries: PaymentSearch;
}

const catalog = new AssetCatalog();
const terms = (text: string): SearchTerms => {
  const made = searchTerms(text, { catalog, spellingsOf: (address) => [address, address.toLowerCase()] });
  if (made === null) throw new Error(`nothing can be searched by ${text}`);
  return made;
};
/** As a chain spells them. */
const SENDER = `0x${'AbCd'.repeat(10)}`;
const STRANGER = `0x${'EfAb'.repeat(10)}`;
const ASKED = [SENDER, STRANGER, '31.415926'];
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

export function describePaymentSearch(name: string, open: () => Promise<OpenedSearch>): void {
  describe(`${name}: search`, () => {
    const storage = openedFor(open);
    let mine: Scope;
    let others: Scope;
    let invoice: Invoice;
    let permanent: PermanentAddress;
    let opened: Invoice;
    let paid: Deposit;
    let stray: Deposit;
    let asked: Invoice;
    let payout: Payout;
    let refund: Payout;

    const find = (text: string, scope: Scope | null = mine) =>
      storage.ports().consoleQueries.findPayments(scope, terms(text));

    beforeAll(async () => {
      const [one, two] = [await storage.merchant({ name: 'Corner Shop 7' }), await storage.merchant()];
      mine = { merchantId: one.id, sandbox: false };
      others = { merchantId: two.id, sandbox: true };
      invoice = anInvoice({
        ...mine,
        ...inStatus('success'),
        extra: 'order 4711',
        initialFiatMicros: 25_250_000n,
        payerInfo: { email: 'Ann@Example.org', name: 'Ann' },
      });
      const txid = `0x${'ab'.repeat(32)}`;
      const sent = { txid, addressFrom: SENDER };
      paid = aDeposit({ ...mine, invoiceId: invoice.id, status: 'credited', ...sent, units: 25_250_001n });
      stray = aDeposit({ ...mine, status: 'stray', units: 777n, addressFrom: STRANGER });
      asked = anInvoice({
        ...mine,
        price: aPrice({ dueUnits: 31_415_926n }),
        initialFiatMicros: 31_000_000n,
      });
      permanent = aPermanentAddress({ ...mine, userId: 'customer-77' });
      opened = anInvoice({
        ...mine,
        billingType: 'VARY',
        userId: 'customer-77',
        permanentAddressId: permanent.id,
        bindsPermanentAddress: true,
      });
      const hash = `0x${'cd'.repeat(32)}`;
      payout = aPayout({ ...mine, ref: 'salary-5', status: 'processing', txid: hash, txHashes: [hash] });
      refund = aPayout({ ...mine, kind: 'refund', invoiceId: invoice.id, amountMicroUsd: 1_234_000n });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.permanentAddresses.insertIfAbsent(permanent);
        await r.invoices.insert(opened);
        await r.addresses.insert(
          anIssuedAddress({ ...mine, invoiceId: invoice.id, address: invoice.addressTo ?? '' }),
        );
        await r.addresses.insert(
          anIssuedAddress({ ...mine, permanentAddressId: permanent.id, address: permanent.address }),
        );
        await r.invoices.insert(asked);
        await r.deposits.insertAll([paid]);
        await r.deposits.insertAll([stray]);
        await r.payouts.insert(payout);
        await r.payouts.insert(refund);
        // The same facts at another merchant.
        await r.invoices.insert(
          anInvoice({ ...others, extra: 'order 4711', payerInfo: { email: 'ann@example.org' } }),
        );
      });
    });

    test('finds an invoice by its ids, reference, e-mail address, amount, payment and address', async () => {
      const known = [
        ...[invoice.id, invoice.id.toUpperCase(), ` ${invoice.externalId} `, 'order 4711'],
        ...['ann@example.org', 'ANN@example.ORG', '25.25', '25.25 USD', '$25.25', 'usd 25.250'],
        ...[paid.txid, paid.txid.toUpperCase(), invoice.addressTo ?? ''],
        ...[SENDER, SENDER.toLowerCase()],
        ...['25.250001 usdt', '25.250001', '25.250001 usdt_ethereum'],
      ];
      for (const text of known)
        expect([text, ids((await find(text)).invoices)]).toEqual([text, [invoice.id]]);
    });

    test('finds an invoice by the amount that it asks for while that is not paid', async () => {
      for (const scope of [mine, null])
        for (const text of ['31.415926', '31.415926 usdt', 'usdt_ethereum 31.415926'])
          expect([text, ids((await find(text, scope)).invoices)]).toEqual([text, [asked.id]]);
      expect((await find('31.415926 usdc')).invoices).toEqual([]);
    });

    test('finds nothing by what is only nearly so', async () => {
      const unknown = [
        'order 471',
        'ann@example.or',
        '25.26',
        '25.25 EUR',
        '25.250001 USDC',
        '25.250002 usdt',
      ];
      for (const text of [...unknown, '0x', '%', "'", 'ann%'])
        expect([text, (await find(text)).invoices]).toEqual([text, []]);
    });

    test('finds permanent addresses, and the invoices at them', async () => {
      for (const text of [permanent.id, permanent.address, 'customer-77'])
        expect([text, ids((await find(text)).permanentAddresses)]).toEqual([text, [permanent.id]]);
      for (const text of [permanent.address, 'customer-77'])
        expect([text, ids((await find(text)).invoices)]).toEqual([text, [opened.id]]);
    });

    test('finds a payout by its id, reference, transaction, address and amount in USD, and no refund', async () => {
      for (const text of [payout.id, 'salary-5', payout.txid ?? '', payout.address, '5', '5 USD'])
        expect([text, ids((await find(text)).payouts)]).toEqual([text, [payout.id]]);
      expect((await find('5 EUR')).payouts).toEqual([]);
      expect((await find(refund.id)).payouts).toEqual([]);
      expect(ids((await find(refund.id, null)).payouts)).toEqual([refund.id]);
      expect(ids((await find('1.234', null)).payouts)).toEqual([refund.id]);
    });

    test('finds an unmatched deposit of the merchant, and for operators any', async () => {
      for (const text of [stray.id, stray.txid, stray.address, '0.000777', STRANGER, STRANGER.toLowerCase()])
        expect([text, ids((await find(text)).deposits)]).toEqual([text, [stray.id]]);
      expect((await find(paid.txid)).deposits).toEqual([]);
      expect(ids((await find(paid.txid, null)).deposits)).toEqual([paid.id]);
      for (const text of [paid.address, SENDER, SENDER.toLowerCase()])
        expect(ids((await find(text, null)).deposits)).toEqual([paid.id]);
      expect((await find(SENDER)).deposits).toEqual([]);
    });

    test("nobody finds what another merchant's or another environment's search would", async () => {
      const known = [invoice.id, invoice.externalId, paid.txid, invoice.addressTo ?? '', permanent.id];
      const elsewhere = [others, { ...mine, sandbox: true }, { ...others, sandbox: false }];
      for (const scope of elsewhere)
        for (const text of [
          ...known,
          'customer-77',
          payout.id,
          'salary-5',
          stray.txid,
          '25.25',
          '0.000777',
          ...ASKED,
        ])
          expect(await find(text, scope)).toEqual({
            ...{ invoices: [], payouts: [], deposits: [], permanentAddresses: [] },
          });
    });

    test('operators find across merchants, and merchants by name', async () => {
      const both = (await find('order 4711', null)).invoices.map(({ merchantId }) => merchantId);
      expect(both.toSorted()).toEqual([mine.merchantId, others.merchantId].toSorted());
      expect((await find('ann@example.org', null)).invoices).toHaveLength(2);
      const queries = storage.ports().consoleQueries;
      for (const text of ['corner shop 7', mine.merchantId])
        expect(ids(await queries.findMerchants(terms(text)))).toEqual([mine.merchantId]);
      expect(await queries.findMerchants(terms('no such shop'))).toEqual([]);
    });

    test('the newest fifty are found of a thing that many have', async () => {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: false };
      const many = Array.from({ length: FOUND_MAX + 5 }, (_, n) =>
        anInvoice({ ...scope, extra: 'same', initialFiatMicros: 9_990_000n, createdAt: secondsAfter(n) }),
      );
      await storage.run(async (r) => {
        for (const one of many) await r.invoices.insert(one);
      });
      const newest = ids(many.toReversed().slice(0, FOUND_MAX));
      expect(ids((await find('same', scope)).invoices)).toEqual(newest);
      expect(ids((await find('9.99', scope)).invoices)).toEqual(newest);
    });

    test('an e-mail address that is no text is none', async () => {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: false };
      const odd = anInvoice({ ...scope, payerInfo: JSON.parse('{"email":{"a":"b@c.de"}}') });
      await storage.run((r) => r.invoices.insert(odd));
      expect((await find('b@c.de', scope)).invoices).toEqual([]);
      expect(ids((await find(odd.id, scope)).invoices)).toEqual([odd.id]);
    });
  });
}
