/**
 * Shops of the other providers on a composed service: each asks for 25 USD in USDT on Ethereum and
 * pays 5 USDT out, as its provider's clients do, and knows what it is then told.
 */
import { expect } from 'bun:test';
import type { WebhookFormat } from '../../../src/domain/webhooks/webhook-format.ts';
import type { FakeJourney } from '../fake/fake-journey.ts';
import type { Json } from '../test-service.ts';
import { signatureHeaders, signedForm } from './coinpayments-client.ts';
import { signedRequest } from './cryptomus-client.ts';
import { NOWPAYMENTS_BASE } from './nowpayments-client.ts';

type Provider = Exclude<WebhookFormat, 'native_v2'>;
/** A payment that came to what was asked for, to less and to more: 25.25, 10 and 30 USDT. */
type Outcomes<Told> = Readonly<Record<'whole' | 'less' | 'more', Told>>;

export interface Shop {
  /** Where it pays in, and the word for that it waits. */
  create(order: string, hook: string): Promise<{ id: string; address: string; word: string }>;
  read(id: string): Promise<Json>;
  readonly waits: string;
  /** The words of its webhooks once a payment was seen, and in the end. */
  readonly seen: string;
  readonly ends: Outcomes<string>;
  /** The word of the last webhook when less stays less. */
  readonly givenUp: string;
  /** What it reads in the end. */
  readonly reads: Outcomes<object>;
  readonly payout?: {
    order(id: string, to: string): Promise<string>;
    read(id: string): Promise<Json>;
    /** What it reads at first, and in the end. */
    readonly made: object;
    readonly paid: object;
  };
}

export function providerShops(journey: FakeJourney): Readonly<Record<Provider, Shop>> {
  return {
    cryptomus: cryptomus(journey, 'cryptomus', { network: 'eth', less: 'wrong_amount' }),
    heleket: cryptomus(journey, 'heleket', { network: 'ethereum', less: 'wrong_amount_waiting' }),
    nowpayments: nowpayments(journey),
    coinpayments: coinpayments(journey),
    coinpayments_v2: presentCoinpayments(journey),
  };
}

/** The answer's body; it must not be a refusal. */
async function send(
  { it }: FakeJourney,
  method: string,
  path: string,
  request: { body?: unknown; headers?: Record<string, string> },
): Promise<Json> {
  const { status, body } = await it.call(null, method, path, request.body, request.headers);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

const SOME = expect.any(String);

function cryptomus(
  journey: FakeJourney,
  provider: 'cryptomus' | 'heleket',
  { network, less }: { network: string; less: string },
): Shop {
  const post = async (path: string, given: object) => {
    const { id: merchant, live: key } = journey.merchant;
    const { text: body, headers } = signedRequest(given, { merchant, key });
    return (await send(journey, 'POST', `/compat/${provider}/v1${path}`, { body, headers })).result;
  };
  const price = { amount: '25', currency: 'USD', to_currency: 'USDT', network };
  const read = (payment_amount: string, status: string, is_final: boolean) => ({
    ...{ amount: '25.00', currency: 'USD', payer_amount: '25.25000000', payer_currency: 'USDT' },
    ...{ network, payment_amount, status, payment_status: status, is_final, txid: SOME },
  });
  return {
    async create(order_id, url_callback) {
      const {
        uuid: id,
        address,
        status: word,
      } = await post('/payment', { ...price, order_id, url_callback });
      return { id, address, word };
    },
    read: (uuid) => post('/payment/info', { uuid }),
    ...{ waits: 'check', seen: 'confirm_check', givenUp: 'wrong_amount' },
    ends: { whole: 'paid', less, more: 'paid_over' },
    reads: {
      whole: {
        ...read('25.25000000', 'paid', true),
        merchant_amount: '25.00000000',
        commission: '0.25000000',
      },
      less: read('10.00000000', less, false),
      more: read('30.00000000', 'paid_over', true),
    },
    payout: {
      async order(order_id, address) {
        const asked = { amount: '5', currency: 'USDT', network, order_id, address, is_subtract: '1' };
        return (await post('/payout', asked)).uuid;
      },
      read: (uuid) => post('/payout/info', { uuid }),
      made: { status: 'process', is_final: false, amount: '5.00000000', txid: null },
      paid: { status: 'paid', is_final: true, payer_amount: '5.00000000', txid: SOME },
    },
  };
}

function nowpayments(journey: FakeJourney): Shop {
  const ask = (method: string, path: string, body?: object, token?: string) => {
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'x-api-key': journey.merchant.live, ...bearer };
    return send(journey, method, NOWPAYMENTS_BASE + path, { body, headers });
  };
  const price = { price_amount: 25, price_currency: 'usd', pay_currency: 'usdterc20' };
  const read = (actually_paid: number, payment_status: string) => ({
    ...{ ...price, pay_amount: 25.25, actually_paid, payment_status },
  });
  return {
    async create(order_id, ipn_callback_url) {
      const made = await ask('POST', '/payment', { ...price, order_id, ipn_callback_url });
      return { id: made.payment_id, address: made.pay_address, word: made.payment_status };
    },
    read: (id) => ask('GET', `/payment/${id}`),
    ...{ waits: 'waiting', seen: 'confirming', givenUp: 'partially_paid' },
    ends: { whole: 'finished', less: 'partially_paid', more: 'finished' },
    reads: {
      whole: { ...read(25.25, 'finished'), outcome_amount: 25, actually_paid_at_fiat: 25 },
      less: read(10, 'partially_paid'),
      more: read(30, 'finished'),
    },
    payout: {
      async order(unique_external_id, address) {
        const credentials = { email: 'a@shop.example', password: journey.merchant.live };
        const { token } = await ask('POST', '/auth', credentials);
        const withdrawals = [{ address, currency: 'usdterc20', amount: 5, unique_external_id }];
        const { id } = await ask('POST', '/payout', { withdrawals }, token);
        await ask('POST', `/payout/${id}/verify`, { verification_code: '123456' }, token);
        return id;
      },
      read: async (id) => (await ask('GET', `/payout/${id}`))[0],
      made: { status: 'WAITING', amount: '5', hash: null },
      paid: { status: 'FINISHED', amount: '5', hash: SOME },
    },
  };
}

function coinpayments(journey: FakeJourney): Shop {
  const ask = async (fields: object) => {
    const form = signedForm(fields, journey.merchant.live);
    return (await send(journey, 'POST', '/compat/coinpayments/v1/api.php', form)).result;
  };
  const price = { amount: '25', currency1: 'USD', currency2: 'USDT.ERC20', buyer_email: 'b@shop.example' };
  const read = (receivedf: string, status: number) => ({
    ...{ status, coin: 'USDT.ERC20', amountf: '25.25000000', receivedf },
    checkout: { currency: 'USD', amountf: '25.00000000' },
  });
  return {
    async create(invoice, ipn_url) {
      const made = await ask({ cmd: 'create_transaction', ...price, invoice, ipn_url });
      const { status } = await ask({ cmd: 'get_tx_info', txid: made.txn_id });
      return { id: made.txn_id, address: made.address, word: String(status) };
    },
    read: (txid) => ask({ cmd: 'get_tx_info', txid, full: '1' }),
    ...{ waits: '0', seen: '0', givenUp: '-1' },
    ends: { whole: '100', less: '0', more: '100' },
    reads: {
      whole: { ...read('25.25000000', 100), send_tx: SOME },
      less: read('10.00000000', 0),
      more: read('30.00000000', 100),
    },
    payout: {
      async order(note, address) {
        const asked = { amount: '5', currency: 'USDT.ERC20', address, note, add_tx_fee: '1' };
        return (await ask({ cmd: 'create_withdrawal', ...asked })).id;
      },
      read: (id) => ask({ cmd: 'get_withdrawal_info', id }),
      made: { status: 1, status_text: 'Pending', amountf: '5.00000000', send_txid: '' },
      paid: { status: 2, status_text: 'Complete', send_txid: expect.stringMatching(/./) },
    },
  };
}

const USDT_ETHEREUM = '4:0xdac17f958d2ee523a2206206994597c13d831ec7';

function presentCoinpayments(journey: FakeJourney): Shop {
  const invoices = '/compat/coinpayments/api/v2/merchant/invoices';
  const ask = (method: string, path: string, given?: object) => {
    const text = given === undefined ? '' : JSON.stringify(given);
    const { it, merchant, clock } = journey;
    const asked = { method, url: it.url + path, text, at: clock.now() };
    const headers = signatureHeaders(asked, { id: merchant.id, secret: merchant.live });
    return send(journey, method, path, { headers, ...(given === undefined ? {} : { body: text }) });
  };
  const read = (confirmedAmount: string, state: string) => ({
    ...{ state, status: state, amount: { total: 2500 } },
    payments: [{ state, hotWallet: { paymentSubTotal: '25250000', confirmedAmount } }],
  });
  return {
    async create(invoiceId, notificationsUrl) {
      const webhooks = [{ notificationsUrl }];
      const asked = { currency: '5057', invoiceId, amount: { total: '25.00' }, webhooks };
      const [{ id }] = (await ask('POST', invoices, asked)).invoices;
      // As a customer's browser asks for it.
      const path = `/compat/coinpayments/api/v1/invoices/${id}/payment-currencies/${USDT_ETHEREUM}`;
      const { addresses } = await send(journey, 'GET', path, {});
      const { state } = await ask('GET', `${invoices}/${id}`);
      return { id, address: addresses.address, word: state };
    },
    read: (id) => ask('GET', `${invoices}/${id}`),
    ...{ waits: 'Unpaid', seen: 'InvoicePending', givenUp: 'InvoiceCancelled' },
    ends: { whole: 'InvoiceCompleted', less: 'InvoicePending', more: 'InvoiceCompleted' },
    reads: {
      whole: read('25250000', 'Completed'),
      less: read('10000000', 'Pending'),
      more: read('30000000', 'Completed'),
    },
  };
}
