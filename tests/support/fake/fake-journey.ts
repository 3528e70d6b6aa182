/**
 * A live merchant on a fake chain (Ethereum unless another is named) of a composed service, with
 * what journeys do again and again.
 */
import { expect } from 'bun:test';
import type { Overrides } from '../../../src/compose/overrides.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';

export interface FakeJourney {
  readonly it: TestService;
  readonly clock: TestClock;
  readonly receiver: WebhookReceiver;
  readonly merchant: { id: string; live: string; sandbox: string };
  /** What the risk check says from now on. It asks no service, as in production by default. */
  screen(verdict: RiskVerdict): void;
  chain(): ReturnType<typeof controlOf>;
  create(body?: Json): Promise<Json>;
  read(id: string): Promise<Json>;
  balance(): Promise<Json>;
  /** Statuses of the webhooks received for an invoice, in order. */
  statusesSent(id: string): string[];
  pay(invoice: Json, amount: string, asset?: string): string;
  mineToFinality(): Promise<void>;
  booksAreRight(): Promise<void>;
  close(): Promise<void>;
}

export type FakeChainName = 'ethereum' | 'tron' | 'solana' | 'ton';

/** Base units of a stablecoin amount. */
export const usdt = (amount: string): bigint => unitsOf(amount, 6);

export async function openFakeJourney(
  overrides: Overrides = {},
  chain: FakeChainName = 'ethereum',
  /** Other chains whose jobs do not rest. */
  others: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<FakeJourney> {
  const clock = testClock();
  const receiver = startWebhookReceiver();
  let verdict: RiskVerdict = { kind: 'pass' };
  const it = await startTestService({
    env: { CHAINS: 'fake', ...env },
    chains: [chain, ...others],
    overrides: { clock, riskScreener: { isLocal: true, screen: async () => verdict }, ...overrides },
  });
  const merchant = await it.merchant({ callbackUrl: receiver.url });
  await it.settle();
  const get = async (path: string): Promise<Json> => (await it.call(merchant.live, 'GET', path)).body.result;
  return {
    it,
    clock,
    receiver,
    merchant,
    screen(next) {
      verdict = next;
    },
    chain: () => controlOf(it, chain),
    async create(body = {}) {
      const answer = await it.call(merchant.live, 'POST', '/api/v2/invoices', {
        amount: 25,
        fiat_currency: 'USD',
        asset: `usdt_${chain}`,
        ...body,
      });
      expect(answer.body).toMatchObject({ ok: true });
      expect(answer.status).toBe(201);
      return answer.body.result;
    },
    read: (id) => get(`/api/v2/invoices/${id}`),
    balance: () => get('/api/v2/balance'),
    statusesSent: (id) =>
      receiver.received
        .map((sent) => JSON.parse(sent.body))
        .filter((sent) => sent.order_id === id)
        .map((sent) => sent.status),
    pay: (invoice, amount, asset = `usdt_${chain}`) =>
      controlOf(it, chain).pay({ to: invoice.address_to, asset, units: usdt(amount) }).txid,
    async mineToFinality() {
      controlOf(it, chain).mine(chainNamed(chain).confirmations);
      await it.settle();
    },
    async booksAreRight() {
      expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
    },
    async close() {
      await it.stop();
      await receiver.stop();
    },
  };
}

function controlOf(it: TestService, chain: FakeChainName) {
  const fake = it.service.chains.fakes?.get(chain);
  if (!fake) throw new Error('the fake chains are not there');
  return fake.control;
}
