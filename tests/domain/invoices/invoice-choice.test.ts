import { describe, expect, test } from 'bun:test';
import { INVOICE_STATUSES } from '../../../src/domain/invoices/invoice.ts';
import {
  atAddress,
  choicesOf,
  chosenBefore,
  mayChoose,
  withChoice,
} from '../../../src/domain/invoices/invoice-choice.ts';
import type { InvoiceChoice } from '../../../src/domain/invoices/invoice-record.ts';
import { anInvoice, aPrice, NOW, secondsAfter } from '../../support/builders.ts';

const choice = (asset: string): InvoiceChoice => ({
  ...{ price: aPrice({ asset }), addressTo: `address of ${asset}`, permanentAddressId: null },
});

describe('whether the customer may choose', () => {
  const open = anInvoice({ customerChooses: true });

  test('is a matter of status, money, time, and of what the merchant named', () => {
    for (const status of INVOICE_STATUSES)
      expect(mayChoose({ ...open, status }, NOW), status).toBe(status === 'created');
    for (const fund of ['pendingUnits', 'creditedUnits', 'heldUnits'])
      expect(mayChoose({ ...open, funds: { ...open.funds, [fund]: 1n } }, NOW)).toBe(false);
    expect(mayChoose(open, secondsAfter(-1, open.expiresAt))).toBe(true);
    expect(mayChoose(open, open.expiresAt)).toBe(false);
    expect(mayChoose({ ...open, customerChooses: false }, NOW)).toBe(false);
  });

  test('is never in doubt while there is no asset', () => {
    expect(mayChoose(anInvoice({ price: null, customerChooses: false }), NOW)).toBe(true);
  });
});

describe('a choice', () => {
  test('is remembered when another is made, once per asset, and the first stays initial_asset', () => {
    let invoice = anInvoice({ price: null });
    expect(choicesOf(invoice)).toEqual([]);
    for (const asset of ['eth_base', 'usdt_tron', 'eth_base', 'btc_bitcoin', 'usdt_tron'])
      invoice = withChoice(invoice, chosenBefore(invoice, asset) ?? choice(asset));
    expect(choicesOf(invoice)).toEqual(['usdt_tron', 'btc_bitcoin', 'eth_base'].map(choice));
    expect(invoice.initialAsset).toBe('eth_base');
    expect(chosenBefore(invoice, 'usdt_tron')).toBeNull();
    expect(chosenBefore(invoice, 'xrp_xrp')).toBeNull();
  });

  test('of one family moves to another address with all earlier ones of it, and no other', () => {
    let invoice = anInvoice({ price: null });
    for (const asset of ['eth_base', 'btc_bitcoin', 'usdt_ethereum', 'eth_ethereum'])
      invoice = withChoice(invoice, choice(asset));
    const moved = atAddress(invoice, 'new', (asset) => asset !== 'btc_bitcoin');
    expect(choicesOf(moved).map(({ price, addressTo }) => [price.asset, addressTo])).toEqual([
      ['eth_ethereum', 'new'],
      ['usdt_ethereum', 'new'],
      ['btc_bitcoin', 'address of btc_bitcoin'],
      ['eth_base', 'new'],
    ]);
  });

  test('leaves nothing of a payment in another asset that disappeared', () => {
    const gone = anInvoice({ txid: 'gone', addressFrom: 'somebody' });
    expect(withChoice(gone, choice('eth_base'))).toMatchObject({ txid: null, addressFrom: null });
  });
});
