/**
 * What a merchant does and sees over HTTP: invoices created and read, money read, webhooks with
 * checked signatures.
 */
import { expect } from 'bun:test';
import { createHmac } from 'node:crypto';
import { DEPOSIT_STATUSES, type Deposit } from '../../src/domain/deposits/deposit.ts';
import type { Json, TestService } from './test-service.ts';
import type { ReceivedWebhook, WebhookReceiver } from './webhooks/webhook-receiver.ts';

export interface MerchantJourney {
  readonly merchant: { readonly id: string; readonly live: string; readonly sandbox: string };
  /** 25 USD in usdt_ethereum unless `body` says otherwise; must be accepted. */
  create(body?: Json): Promise<Json>;
  read(invoiceId: string): Promise<Json>;
  balance(): Promise<Json>;
  /** The newest ledger lines first. */
  ledger(): Promise<Json>;
  payout(usd: number): Promise<{ status: number; body: Json }>;
  /**
   * Statuses of the invoice's webhooks in order of arrival; every signature is checked on the way.
   */
  statusesSent(invoiceId: string): readonly string[];
  /** Every deposit to the address, whatever became of it. */
  depositsTo(address: string): Promise<readonly Deposit[]>;
  booksAreRight(): Promise<void>;
}

const EXTERNAL_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

/** A merchant of its own with a live key, told at the receiver. */
export async function merchantJourney(
  it: Pick<TestService, 'merchant' | 'call' | 'service'>,
  receiver: WebhookReceiver,
): Promise<MerchantJourney> {
  const merchant = await it.merchant({ callbackUrl: receiver.url });
  const get = async (path: string): Promise<Json> => {
    const answer = await it.call(merchant.live, 'GET', `/api/v2/${path}`);
    expect(answer.status).toBe(200);
    return answer.body.result;
  };
  return {
    merchant,
    async create(body = {}) {
      const answer = await it.call(merchant.live, 'POST', '/api/v2/invoices', {
        amount: 25,
        fiat_currency: 'USD',
        asset: 'usdt_ethereum',
        ...body,
      });
      expect(answer.body).toMatchObject({ ok: true });
      expect(answer.status).toBe(201);
      return answer.body.result;
    },
    read: (invoiceId) => get(`invoices/${invoiceId}`),
    balance: () => get('balance'),
    ledger: () => get('ledger'),
    payout: (usd) =>
      it.call(
        merchant.live,
        'POST',
        '/api/v2/payouts',
        { address: EXTERNAL_ADDRESS, amount: usd, asset: 'usdt_ethereum', fee_bearer: 'client' },
        { 'x-uniq-id': crypto.randomUUID() },
      ),
    statusesSent: (invoiceId) =>
      receiver.received.flatMap((webhook) => {
        const snapshot = JSON.parse(webhook.body);
        if (snapshot.order_id !== invoiceId) return [];
        expect(isSigned(webhook, merchant.live)).toBe(true);
        return [snapshot.status];
      }),
    async depositsTo(address) {
      const all = await it.service.dependencies.operatorQueries.deposits({
        statuses: DEPOSIT_STATUSES,
        sandbox: null,
        limit: 10_000,
      });
      // As stored: lower case in most families, and as it is in those whose addresses have a case.
      return all.filter((deposit) => [address, address.toLowerCase()].includes(deposit.address));
    },
    async booksAreRight() {
      expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
    },
  };
}

/** Specification, "Signature verification". */
export function isSigned(webhook: ReceivedWebhook, apiKey: string): boolean {
  const expected = createHmac('sha256', apiKey).update(webhook.body).digest('hex');
  return webhook.headers['x-service-signature'] === expected;
}
