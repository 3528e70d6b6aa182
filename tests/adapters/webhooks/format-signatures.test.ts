import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { webhookFormats } from '../../../src/adapters/webhooks/formats/webhook-formats.ts';
import { aPrice, secondsAfter } from '../../support/builders.ts';
import { refusedBy } from '../../support/compat/receiver-recipes.ts';
import {
  catalog,
  FOREIGN,
  HOOK_URL,
  KEY,
  OTHER_KEY,
  PAID,
  read,
  sent,
  told,
} from '../../support/fake/presented-invoices.ts';
import { anyText } from '../../support/http/any-text.ts';

describe('a delivery is signed', () => {
  test('with the key that signs at that time, and nothing of the signature is stored', () => {
    for (const format of FOREIGN) {
      expect(refusedBy(format, sent(format, PAID), KEY)).toEqual([]);
      expect(refusedBy(format, sent(format, PAID, HOOK_URL, OTHER_KEY), OTHER_KEY)).toEqual([]);
      expect(refusedBy(format, sent(format, PAID), OTHER_KEY).length).toBeGreaterThan(0);
      expect(webhookFormats.encode(format, PAID)).not.toContain('sign');
    }
  });

  test('CoinPayments v2 signs its time and the whole URL, and has the merchant as client id', () => {
    const { headers } = sent('coinpayments_v2', PAID);
    expect(headers['x-coinpayments-timestamp']).toBe(secondsAfter(90).toISOString().slice(0, 19));
    expect(headers['x-coinpayments-client']).toBe(PAID.invoice.merchantId);
    const open = sent('coinpayments_v2', PAID, 'http://127.0.0.1:9000/hook');
    expect(refusedBy('coinpayments_v2', open, KEY)).toEqual([]);
    expect(refusedBy('coinpayments_v2', { ...open, url: HOOK_URL }, KEY)).toEqual(['raw']);
  });

  test('W6: and no header or body of any format has the key in it', () => {
    for (const format of FOREIGN) {
      const { body, headers } = sent(format, PAID);
      for (const key of [KEY, OTHER_KEY]) expect(JSON.stringify([body, headers])).not.toContain(key);
    }
  });

  test('whatever amount and text is in it, and both arrive', () => {
    // The two separators apart, which their JavaScript does not escape and their PHP does.
    const text = anyText({ minLength: 1, maxLength: 12 }).map((any) => any.replace(/[\u2028\u2029]/g, '/'));
    const texts = fc.record({ title: text, description: text, userId: text, name: text, email: text });
    const units = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const asset = fc.constantFrom(...catalog.all.map(({ key }) => key));
    fc.assert(
      fc.property(texts, units, units, asset, ({ name, email, ...given }, dueUnits, paidUnits, key) => {
        const of = told(
          {
            ...{ ...given, extra: null, payerInfo: { name, email } },
            price: aPrice({ asset: key, dueUnits, baseUnits: dueUnits }),
            funds: { pendingUnits: 0n, creditedUnits: paidUnits, heldUnits: 0n },
          },
          { creditedUnits: paidUnits, receivedMicroUsd: paidUnits },
        );
        for (const format of FOREIGN) expect(refusedBy(format, sent(format, of), KEY)).toEqual([]);
        const { description, title, userId } = given;
        expect(read('cryptomus', of)).toMatchObject({ additional_data: description, order_id: userId });
        expect(read('coinpayments', of)).toMatchObject({ item_name: title, invoice: userId, email });
        expect(read('coinpayments_v2', of).invoice).toMatchObject({ description, invoiceId: userId });
      }),
      { numRuns: 30 },
    );
    const separated = sent('cryptomus', told({ description: 'a\u2028b' }));
    expect(refusedBy('cryptomus', separated, KEY)).toEqual(['javaScript']);
  });
});
