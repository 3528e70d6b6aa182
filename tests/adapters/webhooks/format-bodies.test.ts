import { describe, expect, test } from 'bun:test';
import { INVOICE_STATUSES, type InvoiceStatus } from '../../../src/domain/invoices/invoice.ts';
import { anId, aPrice, inStatus, secondsAfter } from '../../support/builders.ts';
import { refusedBy } from '../../support/compat/receiver-recipes.ts';
import { FOREIGN, KEY, PAID, read, sent, told } from '../../support/fake/presented-invoices.ts';

describe('a paid invoice tells', () => {
  test.each([
    ['cryptomus', 'tron'],
    ['heleket', 'tron'],
  ] as const)('a receiver of %s everything in strings, and the signature last', (format, network) => {
    const body = read(format, PAID);
    expect(body).toEqual({
      type: 'payment',
      uuid: '3f1c0c5e-8d0f-4d6e-9b1a-2f0e7c5a9d10',
      order_id: 'order-1001',
      amount: '25.00',
      payment_amount: '25.25000000',
      payment_amount_usd: '25.00',
      merchant_amount: '25.00000000',
      commission: '0.25000000',
      is_final: true,
      status: 'paid',
      from: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
      wallet_address_uuid: null,
      network,
      currency: 'USD',
      payer_currency: 'USDT',
      payer_amount: '25.25000000',
      payer_amount_exchange_rate: '1.00000000',
      additional_data: null,
      transfer_id: null,
      txid: 'aa'.repeat(32),
      sign: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(Object.keys(body).at(-1)).toBe('sign');
  });

  test('a receiver of NOWPayments numbers, with its keys in order', () => {
    const { body, headers } = sent('nowpayments', PAID);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toBe(
      JSON.stringify({
        actually_paid: 25.25,
        actually_paid_at_fiat: 25,
        fee: { currency: 'usdttrc20', depositFee: 0.25, serviceFee: 0, withdrawalFee: 0 },
        invoice_id: null,
        order_description: 'Annual plan',
        order_id: 'order-1001',
        outcome_amount: 25,
        outcome_currency: 'usdttrc20',
        parent_payment_id: null,
        pay_address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        pay_amount: 25.25,
        pay_currency: 'usdttrc20',
        payin_extra_id: null,
        payment_extra_ids: null,
        payment_id: '0190f3a1b2c30a1b2c3d4e5f',
        payment_status: 'finished',
        price_amount: 25,
        price_currency: 'usd',
        purchase_id: '0190f3a1b2c30a1b2c3d4e5f',
      }),
    );
  });

  test('a receiver of CoinPayments a form', () => {
    expect(sent('coinpayments', PAID).headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(read('coinpayments', PAID)).toEqual({
      ipn_version: '1.0',
      ipn_type: 'api',
      ipn_mode: 'hmac',
      ipn_id: '0190f3a1b2c30a1b2c3d4e64',
      merchant: PAID.invoice.merchantId,
      status: '100',
      status_text: 'Complete',
      txn_id: '0190f3a1b2c30a1b2c3d4e5f',
      currency1: 'USD',
      currency2: 'USDT.TRC20',
      amount1: '25',
      amount2: '25.25',
      fee: '0.25',
      buyer_name: 'Ada',
      email: 'a@b.example',
      item_name: 'Annual plan',
      item_number: '',
      invoice: 'order-1001',
      custom: 'order-1001',
      received_amount: '25.25',
      received_confirms: '19',
    });
  });

  test('a receiver of CoinPayments v2 an invoice in minor units', () => {
    const body = read('coinpayments_v2', PAID);
    expect(body).toMatchObject({
      id: '0190f3a1b2c30a1b2c3d4e6400000000',
      type: 'InvoiceCompleted',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}\+00:00$/),
      invoice: {
        ...{ invoiceId: 'order-1001', id: PAID.invoice.externalId, state: 'Completed' },
        amount: { currency: { id: 5057, smartContract: null }, subtotal: 2500, total: 2500 },
        buyer: { email: 'a@b.example', firstName: 'Ada' },
        completedAt: secondsAfter(60).getTime() / 1000,
        payments: [
          {
            transactionId: 'aa'.repeat(32),
            hotWallet: {
              currency: { id: 9, smartContract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
              paymentReceiveAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
              paymentSubTotal: '25250000',
              confirmedAmount: '25250000',
            },
          },
        ],
      },
    });
    expect(body.invoice.amount.currency.id).toBe(5057);
  });
});

describe('every status is told in every format', () => {
  type Row = readonly [InvoiceStatus, string, string, string, string, string, boolean];
  const rows: readonly Row[] = [
    ['created', 'check', 'check', 'waiting', '0', 'Unpaid', false],
    ['confirming', 'confirm_check', 'confirm_check', 'confirming', '0', 'Pending', false],
    ['partially_paid', 'wrong_amount', 'wrong_amount_waiting', 'partially_paid', '0', 'Pending', false],
    ['paid_over', 'paid_over', 'paid_over', 'finished', '100', 'Completed', true],
    ['success', 'paid', 'paid', 'finished', '100', 'Completed', true],
    ['failed', 'fail', 'fail', 'failed', '-1', 'Cancelled', true],
    ['high_risk', 'locked', 'locked', 'confirming', '0', 'Pending', true],
    ['expired', 'cancel', 'cancel', 'expired', '-1', 'TimedOut', true],
    ['cancelled', 'wrong_amount', 'wrong_amount', 'partially_paid', '-1', 'Cancelled', true],
    ['refunded', 'refund_paid', 'refund_paid', 'refunded', '-2', 'Cancelled', true],
  ];

  test('and none is left out', () => {
    expect(rows.map(([status]) => status)).toEqual([...INVOICE_STATUSES]);
  });

  test.each(rows)('%s', (status, cryptomus, heleket, nowpayments, coinpayments, v2, isFinal) => {
    const of = told(inStatus(status));
    expect(read('cryptomus', of)).toMatchObject({ status: cryptomus, is_final: isFinal });
    expect(read('heleket', of)).toMatchObject({ status: heleket, is_final: isFinal });
    expect(read('nowpayments', of).payment_status).toBe(nowpayments);
    expect(read('coinpayments', of).status).toBe(coinpayments);
    expect(read('coinpayments_v2', of).invoice.state).toBe(v2);
    for (const format of FOREIGN) expect(refusedBy(format, sent(format, of), KEY)).toEqual([]);
  });
});

describe('what differs from a plain payment', () => {
  test('a payment to a permanent address is one of a wallet, and its order is its user', () => {
    const of = told({
      ...{ extra: null, permanentAddressId: anId(), userId: 'user-42', txid: 'bb'.repeat(32) },
      ...{
        price: aPrice({ asset: 'xrp_xrp', dueUnits: 1_500_000n, baseUnits: 1_500_000n }),
        addressTo: 'X7',
      },
      funds: { pendingUnits: 1_500_000n, creditedUnits: 0n, heldUnits: 0n },
    });
    const ofXrp = { ...of, addressParts: { account: 'rPEPP', tag: 7 } };
    for (const format of ['cryptomus', 'heleket'] as const) {
      const wallet = { type: 'wallet', wallet_address_uuid: of.invoice.permanentAddressId };
      expect(read(format, ofXrp)).toMatchObject({ ...wallet, order_id: 'user-42' });
    }
    expect(read('heleket', ofXrp).network).toBe('ripple');
    expect(read('nowpayments', ofXrp)).toMatchObject({ pay_address: 'rPEPP', payin_extra_id: '7' });
    expect(read('coinpayments', ofXrp)).toMatchObject({
      ...{ ipn_type: 'deposit', deposit_id: of.invoice.id, txn_id: 'bb'.repeat(32), label: 'user-42' },
      ...{ address: 'rPEPP', dest_tag: '7', currency: 'XRP', amount: '1.5', amounti: '150000000' },
      ...{ confirms: '0', fiat_coin: 'USD', fiat_amount: '10', fiat_amounti: '1000000000' },
    });
    expect(read('coinpayments_v2', ofXrp).invoice.payments[0].hotWallet).toMatchObject({
      currency: { id: 'xrp_xrp', smartContract: null },
      ...{ paymentReceiveAddress: 'rPEPP', destinationTag: 7, unconfirmedAmount: '1500000' },
    });
  });

  test('an invoice whose customer chooses is one of the hosted page to plugins of CoinPayments', () => {
    expect(read('coinpayments', told({ customerChooses: true })).ipn_type).toBe('simple');
  });

  test('one without an asset yet has its amounts as far as they are known', () => {
    const of = told({ price: null, fiatCurrency: 'JPY', initialFiatMicros: 1_500_000_000n });
    expect(read('cryptomus', of)).toMatchObject({ amount: '1500', network: null, payer_amount: null });
    expect(read('cryptomus', of)).not.toHaveProperty('txid');
    expect(read('nowpayments', of)).toMatchObject({
      price_amount: 1500,
      pay_amount: null,
      pay_currency: null,
    });
    expect(read('coinpayments', of)).toMatchObject({ amount1: '1500', amount2: '', currency2: '' });
    expect(read('coinpayments_v2', of).invoice).toMatchObject({
      amount: { currency: { id: 'JPY' }, total: 1500 },
      payments: [],
    });
  });

  test('a value in USD that nobody knows is null', () => {
    expect(read('cryptomus', told({}, { receivedMicroUsd: null })).payment_amount_usd).toBeNull();
  });

  test('NOWPayments’ texts that PHP would write another way are left out', () => {
    const plain = told({ title: 'Plan', description: 'Größe 5/7', extra: null, userId: 'a/b' });
    expect(read('nowpayments', plain)).toMatchObject({
      order_description: 'Plan',
      order_id: plain.invoice.id,
    });
  });
});

test('the page about formats shows bodies as they are sent', async () => {
  const page = await Bun.file('docs/webhook-formats.md').text();
  const shown = [...page.matchAll(/```(?:json|text)\n(.*?)\n```/gs)].map(([, body = '']) => body);
  const [cryptomus = '', nowpayments, coinpayments = '', v2 = ''] = shown;
  expect(JSON.parse(cryptomus)).toEqual({ ...read('cryptomus', PAID), txid: 'aa…aa', sign: '0c8b…' });
  expect(nowpayments).toBe(sent('nowpayments', PAID).body);
  const form = Object.fromEntries(new URLSearchParams(coinpayments));
  expect({ ...form, merchant: PAID.invoice.merchantId }).toEqual(read('coinpayments', PAID));
  const { payments, ...invoice } = JSON.parse(v2).invoice;
  expect(read('coinpayments_v2', PAID)).toMatchObject({ type: 'InvoiceCompleted', invoice });
  expect(payments).toMatchObject([{ transactionId: 'aa…aa', hotWallet: { paymentSubTotal: '25250000' } }]);
});
