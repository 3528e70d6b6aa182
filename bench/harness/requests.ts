/**
 * POST /invoices as a shop would send it: priced in dollars, payable in a token, with everything
 * that shops tend to give.
 */

import type { BenchMerchant } from './composed.ts';
import type { LoadRequest } from './http-load.ts';

export function createInvoiceRequest(merchant: BenchMerchant): LoadRequest {
  return {
    method: 'POST',
    path: '/api/v2/invoices',
    headers: { 'x-api-key': merchant.sandboxKey },
    body: JSON.stringify({
      amount: 12.5,
      fiat_currency: 'USD',
      asset: 'usdt_ethereum',
      extra: 'order-1001',
      title: 'Order 1001',
      description: 'Two tickets and a cup of tea',
      metadata: { order: '1001', seats: [7, 8] },
      underpay_tolerance: 0.5,
      accepted_coins: ['usdt_ethereum', 'btc_bitcoin'],
      on_paid_url: 'https://shop.example/paid',
      on_cancel_url: 'https://shop.example/cancelled',
      notify_url: 'https://shop.example/webhooks',
      payer_info: { email: 'payer@example.com' },
    }),
  };
}

/** POST /payouts as a shop would send it; the reference tells its rows from pgbench's. */
export function createPayoutRequest(merchant: BenchMerchant): LoadRequest {
  return {
    method: 'POST',
    path: '/api/v2/payouts',
    headers: { 'x-api-key': merchant.sandboxKey },
    body: JSON.stringify({
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      amount: 1.5,
      asset: 'usdt_ethereum',
      ref: 'withdrawal-1001',
    }),
    fresh: 'x-uniq-id',
  };
}

/** Sends one request and answers the `result` of its success. */
export async function send(port: number, request: LoadRequest): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${request.path}`, {
    method: request.method,
    headers: {
      ...request.headers,
      ...(request.fresh === undefined ? {} : { [request.fresh]: crypto.randomUUID() }),
      'content-type': 'application/json',
    },
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const answer = (await response.json()) as { ok: boolean; result: Record<string, unknown> };
  if (!answer.ok) throw new Error(`${request.method} ${request.path}: ${JSON.stringify(answer)}`);
  return answer.result;
}
