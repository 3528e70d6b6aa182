/**
 * Payments that become final while no price is fresh: they wait, and are credited by themselves
 * when there is one (safety.md P1).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { creditStray, releaseHeld } from '../../../src/app/deposits/unmatched-deposits.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type PriceBoard, priceBoard } from '../../support/rates/price-board.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const ETH = 'eth_ethereum';
const ETHER = 10n ** 18n;
/** Not the age that is built in. */
const OLDEST_SECONDS = 540;

describe.skipIf(!needs('postgres', postgresAvailable()))('payments without a fresh price', () => {
  let clock: TestClock;
  let board: PriceBoard;
  let it: TestService;
  let receiver: WebhookReceiver;
  let merchant: { live: string };
  let screened = 0;
  let verdict: 'pass' | 'hit' = 'pass';

  beforeAll(async () => {
    clock = testClock();
    board = priceBoard(clock, {});
    receiver = startWebhookReceiver();
    it = await startTestService({
      env: { CHAINS: 'fake' },
      file: { rates: { source: 'http', credit_max_age_seconds: OLDEST_SECONDS } },
      chains: ['ethereum'],
      overrides: {
        clock,
        rateSources: board.sources,
        riskScreener: {
          screen: async () => {
            screened += 1;
            return verdict === 'pass' ? { kind: 'pass' } : { kind: 'hit', reason: 'drawn' };
          },
        },
      },
    });
    merchant = await it.merchant({ callbackUrl: receiver.url });
  });
  beforeEach(async () => {
    verdict = 'pass';
    await priced({ ETH: '4000', USDT: '1' });
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
  });

  const deps = () => it.service.dependencies;
  const chain = () => it.service.chains.fakes!.get('ethereum')!.control;
  const get = async (path: string): Promise<Json> =>
    (await it.call(merchant.live, 'GET', `/api/v2/${path}`)).body.result;
  const available = async (): Promise<number> => (await get('balance')).available;
  const statusOf = async (invoice: Json): Promise<string> =>
    (await get(`invoices/${invoice.order_id}`)).status;
  const statusesSent = (invoice: Json): string[] =>
    receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter((sent) => sent.order_id === invoice.order_id)
      .map((sent) => sent.status);

  async function priced(prices: Readonly<Record<string, string>>): Promise<void> {
    board.set(prices);
    board.away(false);
    await it.service.refreshRates();
  }
  /** No price is told for so long. */
  async function silence(seconds: number): Promise<void> {
    board.away(true);
    clock.advance(seconds);
    await it.service.refreshRates();
  }
  async function create(body: Json = {}): Promise<Json> {
    const answer = await it.call(merchant.live, 'POST', '/api/v2/invoices', {
      asset: ETH,
      amount: 1,
      fee_bearer: 'merchant',
      ttl: 86_400,
      ...body,
    });
    expect(answer.status).toBe(201);
    return answer.body.result;
  }
  async function pay(to: string, units: bigint): Promise<void> {
    chain().pay({ to, asset: ETH, units });
    chain().mine(13);
    await it.settle();
  }

  test('P1: a payment that is final while prices are a day old waits as confirming, and is credited at the next one', async () => {
    const before = await available();
    const invoice = await create();
    await silence(86_400 - 60);
    await pay(invoice.address_to, ETHER);
    expect([await statusOf(invoice), await available()]).toEqual(['confirming', before]);
    expect(statusesSent(invoice)).toEqual(['confirming']);
    // The coin fell by half meanwhile.
    await priced({ ETH: '2000', USDT: '1' });
    await it.settle();
    expect(await statusOf(invoice)).toBe('success');
    expect((await available()) - before).toBeCloseTo(1_980, 6);
    expect(statusesSent(invoice)).toEqual(['confirming', 'success']);
    expect(await deps().operatorQueries.reconciliationFaults()).toEqual([]);
  });

  test('P1: a price as old as is configured is fresh, one of a second more is not', async () => {
    const invoice = await create();
    await silence(OLDEST_SECONDS + 1);
    await pay(invoice.address_to, ETHER);
    expect(await statusOf(invoice)).toBe('confirming');
    await priced({ ETH: '2000', USDT: '1' });
    await silence(OLDEST_SECONDS);
    await it.settle();
    expect(await statusOf(invoice)).toBe('success');
  });

  test('P1: while one coin has no price, the payments in others are credited', async () => {
    const [ether, dollars] = [await create(), await create({ asset: 'usdt_ethereum', amount: 50 })];
    await silence(3_000);
    await priced({ USDT: '1' });
    chain().pay({ to: dollars.address_to, asset: 'usdt_ethereum', units: 50_000_000n });
    await pay(ether.address_to, ETHER);
    expect([await statusOf(ether), await statusOf(dollars)]).toEqual(['confirming', 'success']);
    await priced({ ETH: '2000', USDT: '1' });
    await it.settle();
    expect(await statusOf(ether)).toBe('success');
  });

  test('P1: it is said once when payments begin to wait, and an alarm after an hour; the risk check is not asked meanwhile', async () => {
    const { logger } = deps();
    using warned = spyOn(logger, 'warn');
    using alarmed = spyOn(logger, 'error');
    const told = (spy: typeof warned | typeof alarmed, event: string) =>
      spy.mock.calls.filter(([name]) => name === event).map(([, fields]) => fields);
    const invoice = await create();
    await silence(700);
    const before = screened;
    await pay(invoice.address_to, ETHER);
    for (let minute = 0; minute < 59; minute += 1) {
      clock.advance(60);
      await it.settle(1);
    }
    expect(told(warned, 'deposit.no_rate')).toMatchObject([{ asset: ETH }]);
    expect(told(alarmed, 'deposit.price_overdue')).toEqual([]);
    expect(await deps().unitOfWork.run((r) => r.deposits.waitingForPrice([ETH]))).toEqual([]);
    clock.advance(60);
    await it.settle(3);
    expect(told(alarmed, 'deposit.price_overdue')).toMatchObject([{ asset: ETH }]);
    expect(screened).toBe(before);
    await priced({ ETH: '2000', USDT: '1' });
    await it.settle();
    expect(await statusOf(invoice)).toBe('success');
    expect(screened).toBe(before + 1);
  });

  test('P1: an operator cannot credit a stray or release a held payment at an old price', async () => {
    const invoice = await create();
    verdict = 'hit';
    await pay(invoice.address_to, ETHER);
    expect(await statusOf(invoice)).toBe('high_risk');
    verdict = 'pass';
    const late = await create({ ttl: 300 });
    clock.advance(600);
    await it.settle();
    await pay(late.address_to, ETHER);
    const [held] = await depositsIn('held', invoice);
    const [stray] = await depositsIn('stray', late);
    await silence(3_600);
    for (const refused of [await creditStray(deps())(stray!), await releaseHeld(deps())(held!)])
      expect(refused).toMatchObject({ error: { code: 'RATES_UNAVAILABLE' } });
    const before = await available();
    await priced({ ETH: '2000', USDT: '1' });
    expect((await creditStray(deps())(stray!)).ok).toBe(true);
    expect((await releaseHeld(deps())(held!)).ok).toBe(true);
    expect((await available()) - before).toBeCloseTo(2 * 1_980, 6);
  });

  test('P1: a payment to a permanent address is read at any price, opens its invoice, and is credited at a fresh one', async () => {
    const made = await it.call(merchant.live, 'POST', '/api/v2/permanent', { user_id: 'u1', family: 'evm' });
    await silence(7_200);
    const before = await available();
    await pay(made.body.result.address, ETHER);
    const [opened] = (await it.call(merchant.live, 'GET', '/api/v2/invoices?per_page=1')).body.result;
    expect(opened).toMatchObject({ status: 'confirming', initial_fiat_amount: 4_000 });
    await priced({ ETH: '2000', USDT: '1' });
    await it.settle();
    expect(await statusOf(opened)).toBe('success');
    expect((await available()) - before).toBeCloseTo(1_980, 6);
  });

  async function depositsIn(status: 'held' | 'stray', invoice: Json): Promise<readonly string[]> {
    const query = { statuses: [status], sandbox: false, limit: 100 } as const;
    const found = await deps().operatorQueries.deposits(query);
    const to = invoice.address_to.toLowerCase();
    return found.filter(({ address }) => address === to).map(({ id }) => id);
  }
});
