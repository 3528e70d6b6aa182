import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  batchJson,
  batchOf,
  offerJson,
  offerOf,
  refundJson,
  refundOf,
} from '../../../src/app/console/approvals/order-payloads.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';

const catalog = new AssetCatalog();
const amounts = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 18 }))
  .map(([digits, scale]) => parseDecimal(`${digits}e-${scale}`) ?? { digits: 1n, scale: 0 });
const feeBearer = fc.constantFrom('merchant' as const, 'client' as const);
/** As the database keeps it. */
const stored = <Made>(order: Made): Made => JSON.parse(JSON.stringify(order));

test('an order of payouts is read back as it was', () => {
  const inputs = fc.record({
    ...{ address: fc.string(), amount: amounts, asset: fc.constantFrom(...catalog.all) },
    ...{
      fiatCurrency: fc.constantFrom('USD' as const, 'native' as const, null),
      ref: fc.option(fc.string()),
    },
    feeBearer: fc.option(feeBearer),
  });
  fc.assert(
    fc.property(fc.array(inputs, { maxLength: 5 }), (all) => {
      expect(batchOf(stored(batchJson(all)), catalog)).toEqual(all);
    }),
  );
});

test('an order of a refund is read back as it was', () => {
  const of = fc.oneof(
    fc.record({ subject: fc.constantFrom('invoice' as const, 'surplus' as const), invoiceId: fc.string() }),
    fc.record({ subject: fc.constant('deposit' as const), depositId: fc.string() }),
  );
  const offers = fc.record({
    ...{ of, amount: fc.option(amounts), feeBearer, onCheckout: fc.boolean(), mails: fc.boolean() },
    days: fc.integer({ min: 1, max: 90 }),
  });
  fc.assert(fc.property(offers, (offer) => expect(offerOf(stored(offerJson(offer)))).toEqual(offer)));
  const orders = fc.record({ to: fc.option(fc.string()), amount: fc.option(amounts), force: fc.boolean() });
  fc.assert(
    fc.property(orders, (order) => expect(refundOf(stored(refundJson('an invoice', order)))).toEqual(order)),
  );
});

test('an order in an asset that is not listed any more cannot be carried out', () => {
  const gone = { items: [{ address: 'x', amount: '1', asset: 'gone_ethereum', fiat_currency: null }] };
  expect(batchOf(gone, catalog)).toBeNull();
});
