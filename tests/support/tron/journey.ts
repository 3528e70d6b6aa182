/**
 * Journeys on the Tron test server: the composed service reading it, a merchant, and customers who
 * pay by real transactions. The service's clock goes with the chain's.
 */
import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type LogLine, recordingLogger } from '../evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, type MoreSettings, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { openTronLab, type TronLab } from './lab.ts';
import { TRX } from './parameters.ts';

/** Blocks after which one is solidified. */
export const SOLID_BEHIND = 3;
const DECIMALS = 6;

export interface TronJourney extends MerchantJourney {
  readonly it: TestService;
  readonly lab: TronLab;
  readonly clock: TestClock;
  readonly lines: readonly LogLine[];
  readonly on: SendingChain;
  /**
   * Pays `amount` whole ones (default: what the invoice asks for) to the invoice's address, into
   * the pool.
   */
  pay(invoice: Json, amount?: string): Promise<string>;
  /** Runs the jobs, the clock being no earlier than the chain's last block. */
  settle(): Promise<void>;
  /** Blocks with what waits, seen by the service. */
  mine(count?: number): Promise<void>;
  /** Mines until what waits is solidified, and lets the service see it. */
  mineToFinality(): Promise<void>;
  /**
   * The merchant earns this much in USDT, and the hot wallet has 1,000 TRX and 10,000 USDT, booked
   * as capital.
   */
  endow(usd: number): Promise<void>;
  /** A payout of 5 USDT (or what `body` says) to a fresh address. */
  order(body?: Json): Promise<{ id: string; to: string }>;
  payoutOf(id: string): Promise<Json>;
  /** What was signed for a payout. */
  signedOf(id: string): Promise<readonly { txid: string; validUntil: bigint | null }[]>;
  sweep(): Promise<void>;
  /** Books and chain agree in everything. */
  chainIsRight(): Promise<void>;
}

/**
 * Registers the hooks around the tests of the describe block it is called in; each test has a
 * merchant of its own.
 */
export function stageTronJourney(more: MoreSettings = {}): TronJourney {
  let lab: TronLab;
  let receiver: WebhookReceiver;
  let it: TestService;
  let current: MerchantJourney;
  let endowed = false;
  const clock = testClock();
  const logger = recordingLogger();
  const on = (): SendingChain => {
    const chain = it.service.sending.chains.get('tron');
    if (!chain) throw new Error('tron has no sender');
    return chain;
  };

  async function settle(): Promise<void> {
    const behind = lab.server.chain.tip().timeMs - clock.now().getTime();
    clock.advance(Math.max(0, behind / 1_000));
    await it.settle();
  }

  beforeAll(async () => {
    lab = await openTronLab({ solidBehind: SOLID_BEHIND, startMs: clock.now().getTime() });
    receiver = startWebhookReceiver();
    it = await startTestService({
      file: {
        chains: { tron: { rpc: [lab.server.node.url], confirmations: 1 } },
        assets: {
          usdt_tron: { contract: lab.contracts.usdt },
          lab_tron: {
            ...{ chain: 'tron', contract: lab.contracts.named, decimals: DECIMALS, symbol: 'LAB' },
            rate: { USD: '1' },
          },
        },
        rates: { source: 'static', usd: { usdt_tron: '1', trx_tron: '0.25' } },
        ...more.file,
      },
      env: more.env ?? {},
      overrides: { clock, logger },
    });
    await settle();
  });
  beforeEach(async () => {
    current = await merchantJourney(it, receiver);
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.server.stop();
  });

  const own: Omit<TronJourney, keyof MerchantJourney | 'it' | 'lab' | 'clock' | 'lines' | 'on'> = {
    pay: (invoice, amount = String(invoice.amount)) => {
      const units = unitsOf(amount, DECIMALS);
      return invoice.type === 'native'
        ? lab.payTrx(invoice.address_to, units)
        : lab.payToken(invoice.asset === 'lab_tron' ? 'named' : 'usdt', invoice.address_to, units);
    },
    settle,
    async mine(count = 1) {
      await lab.mine(count);
      await settle();
    },
    mineToFinality: () => own.mine(SOLID_BEHIND + 1),
    async endow(usd) {
      await own.pay(await current.create({ asset: 'usdt_tron', amount: usd }));
      if (!endowed) {
        const hot = on().deriver.hotWallet() ?? '';
        await lab.payTrx(hot, 1_000n * TRX);
        await lab.payToken('usdt', hot, unitsOf('10000', DECIMALS));
        await own.mineToFinality();
        // Nothing waits for this money to be final: that is noticed once a minute.
        await own.mine(20);
        for (const asset of ['trx_tron', 'usdt_tron']) {
          const booked = await bookCapital(
            it.service.dependencies,
            on(),
          )({ asset, note: 'test', dryRun: false });
          expect(booked.ok).toBe(true);
        }
        endowed = true;
      }
      await own.mineToFinality();
    },
    async order(body = {}) {
      const to = lab.freshAddress();
      const answer = await it.call(
        current.merchant.live,
        'POST',
        '/api/v2/payouts',
        { address: to, amount: 5, asset: 'usdt_tron', ...body },
        { 'x-uniq-id': randomUUID() },
      );
      expect(answer.body).toMatchObject({ ok: true });
      return { id: answer.body.result.order_id, to };
    },
    async payoutOf(id) {
      const answer = await it.call(current.merchant.live, 'GET', `/api/v2/payouts/${id}`);
      return answer.body.result;
    },
    signedOf: (id) =>
      it.service.dependencies.unitOfWork.run(async (r) => {
        const transfer = await r.outgoing.activeOf('payout', id);
        return transfer === null ? [] : r.outgoing.signedOf([transfer.id]);
      }),
    async sweep() {
      const settings = { sharePpm: 20_000n, limits: { floorUnits: new Map() } };
      await sweeper(it.service.dependencies, on(), settings).step();
    },
    async chainIsRight() {
      const found = await reconcileChain(it.service.dependencies, on(), { height: null, everyAddress: true });
      expect(found).toMatchObject({ differences: [], unavailable: null });
      await current.booksAreRight();
    },
  };
  return {
    ...own,
    clock,
    lines: logger.lines,
    get it() {
      return it;
    },
    get lab() {
      return lab;
    },
    get on() {
      return on();
    },
    get merchant() {
      return current.merchant;
    },
    create: (body) => current.create({ asset: 'usdt_tron', ...body }),
    read: (id) => current.read(id),
    balance: () => current.balance(),
    ledger: () => current.ledger(),
    payout: (usd) => current.payout(usd),
    statusesSent: (id) => current.statusesSent(id),
    depositsTo: (address) => current.depositsTo(address),
    booksAreRight: () => current.booksAreRight(),
  };
}
