/**
 * Journeys on TON: the composed service reading a chain in memory over its API, a merchant,
 * customers who pay by real transactions, and payouts that a real wallet contract sends. The
 * service's clock goes with the chain's.
 */
import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { type ChainDifference, reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type LogLine, recordingLogger } from '../evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, type MoreSettings, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { NATIVE, openTonLab, TON, type TonLab, USDT } from './ton-lab.ts';

/**
 * A block is final with this many, its own included: one is TON's own rule, two let a test see what
 * is between.
 */
export const CONFIRMATIONS = 2;
/** Only the configuration lists it. */
export const LAB = 'lab_ton';
const ROUNDS_MAX = 20;
/** Longer than any request is valid, and the margin after it. */
const EXPIRED_SECONDS = 600;
const RATES = { source: 'static', usd: { [NATIVE]: '3', [USDT]: '1' }, fiat: {} };

export interface TonJourney extends MerchantJourney {
  readonly it: TestService;
  readonly lab: TonLab;
  readonly clock: TestClock;
  readonly lines: readonly LogLine[];
  /** Of the service, normalized. */
  readonly hot: string;
  /** Another merchant of the same service. */
  another(): Promise<MerchantJourney>;
  /** What an invoice asks for, in base units. */
  due(invoice: Json): bigint;
  /** Sweeps, and lets it come to its end, until nothing is open. */
  sweepToTheEnd(): Promise<void>;
  /**
   * What waits for a block is lost, and time passes until no request that was signed is valid any
   * more.
   */
  loseAndExpire(): Promise<void>;
  /**
   * Pays `units` (default: what the invoice asks for) to the invoice's address; it arrives in the
   * next block.
   */
  pay(invoice: Json, units?: bigint): void;
  /** Runs the jobs, the clock being no earlier than the chain's last block. */
  settle(): Promise<void>;
  mine(count?: number): Promise<void>;
  /** Mines until what is on its way is final, and lets the service see it. */
  mineToFinality(): Promise<void>;
  /** Coins and jettons for the hot wallet, booked as capital. */
  fund(): Promise<void>;
  /** What the hot wallet has beyond the books becomes capital. */
  book(asset: string, address?: string): ReturnType<ReturnType<typeof bookCapital>>;
  /** A live payout; answers its id. */
  order(payout: { to: string; amount: string | number; asset: string }): Promise<string>;
  readPayout(id: string): Promise<Json>;
  /** What differs at a block, of every address of ours. */
  differencesAt(height: number | null): Promise<readonly ChainDifference[]>;
  /** The chain is held against the books, every address of ours. */
  chainAndBooksAgree(): Promise<void>;
}

/**
 * Registers the hooks around the tests of the describe block it is called in; each test has a
 * merchant of its own.
 */
export function stageTonJourney(more: MoreSettings = {}): TonJourney {
  let lab: TonLab;
  let receiver: WebhookReceiver;
  let it: TestService;
  let current: MerchantJourney;
  let clock: TestClock;
  let hot = '';
  const logger = recordingLogger();

  const journey: Omit<
    TonJourney,
    Exclude<keyof MerchantJourney, 'create'> | 'it' | 'lab' | 'clock' | 'lines' | 'hot'
  > = {
    another: () => merchantJourney(it, receiver),
    create: (body: Json = {}) => current.create({ asset: USDT, ...body }),
    due: (invoice: Json) => unitsOf(String(invoice.amount), invoice.asset === NATIVE ? 9 : 6),
    pay(invoice: Json, units = journey.due(invoice)) {
      const to = invoice.address_to;
      if (invoice.asset === NATIVE) lab.pay({ to, units });
      else lab.payJetton({ to, units, jetton: invoice.asset === LAB ? lab.stranger : lab.jetton });
    },
    async settle() {
      clock.advance(Math.max(0, lab.chain.tip.time - clock.now().getTime() / 1000));
      await it.settle();
    },
    async mine(count = 1) {
      await lab.mine(count);
      await journey.settle();
    },
    async mineToFinality() {
      await lab.chain.settle();
      await journey.mine(CONFIRMATIONS);
    },
    async fund() {
      lab.pay({ to: hot, units: 1_000n * TON });
      lab.payJetton({ to: hot, units: 10n ** 12n, forwardUnits: 0n });
      await journey.mineToFinality();
      for (const asset of [NATIVE, USDT]) expect(await journey.book(asset)).toMatchObject({ ok: true });
    },
    book(asset: string, address: string | null = null) {
      const { on, deps } = treasury();
      return bookCapital(deps, on)({ asset, address, note: 'test', dryRun: false });
    },
    async sweepToTheEnd() {
      const { unitOfWork } = it.service.dependencies;
      const open = () => unitOfWork.run(({ sweeps }) => sweeps.open('ton', { after: '', limit: 100 }));
      await it.run('sweep:ton');
      // The hot wallet sends the gas of one address after the other.
      for (let round = 0; round < ROUNDS_MAX && (await open()).length > 0; round += 1) {
        await journey.settle();
        await journey.mineToFinality();
        await journey.settle();
        await it.run('sweep:ton');
      }
    },
    async loseAndExpire() {
      lab.chain.dropExternals();
      lab.chain.wait(EXPIRED_SECONDS);
      await journey.mine(CONFIRMATIONS);
    },
    async order({ to, amount, asset }: { to: string; amount: string | number; asset: string }) {
      const body = { address: to, amount, asset };
      const headers = { 'x-uniq-id': randomUUID() };
      const answer = await it.call(current.merchant.live, 'POST', '/api/v2/payouts', body, headers);
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.order_id as string;
    },
    async readPayout(id: string) {
      return (await it.call(current.merchant.live, 'GET', `/api/v2/payouts/${id}`)).body.result as Json;
    },
    async differencesAt(height: number | null) {
      const { on, deps } = treasury();
      const { differences, unavailable } = await reconcileChain(deps, on, { height, everyAddress: true });
      expect(unavailable).toBeNull();
      return differences;
    },
    async chainAndBooksAgree() {
      expect(await journey.differencesAt(null)).toEqual([]);
      await current.booksAreRight();
    },
  };

  function treasury() {
    const { chains, dependencies: deps } = it.service;
    const on = treasuryChains(chains, deps).get('ton');
    if (!on) throw new Error('ton has no sender');
    return { on, deps };
  }

  beforeAll(async () => {
    lab = await openTonLab();
    receiver = startWebhookReceiver();
    clock = testClock(new Date(lab.chain.tip.time * 1000));
    it = await startTestService({
      file: {
        chains: { ton: { rpc: [lab.server.url], confirmations: CONFIRMATIONS } },
        assets: {
          [USDT]: { contract: lab.jetton.minter.toString() },
          [LAB]: {
            ...{ chain: 'ton', contract: lab.stranger.minter.toString(), decimals: 6, symbol: 'LAB' },
            rate: { USD: '1' },
          },
        },
        rates: RATES,
        ...more.file,
      },
      env: more.env ?? {},
      overrides: { clock, logger },
    });
    const deriver = it.service.chains.liveDerivers.get('ton');
    hot = deriver?.normalize(deriver.hotWallet() ?? '') ?? '';
    await journey.settle();
  });
  beforeEach(async () => {
    current = await merchantJourney(it, receiver);
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.close();
  });

  return {
    ...journey,
    lines: logger.lines,
    get it() {
      return it;
    },
    get lab() {
      return lab;
    },
    get clock() {
      return clock;
    },
    get hot() {
      return hot;
    },
    get merchant() {
      return current.merchant;
    },
    read: (id) => current.read(id),
    balance: () => current.balance(),
    ledger: () => current.ledger(),
    payout: (usd) => current.payout(usd),
    statusesSent: (id) => current.statusesSent(id),
    depositsTo: (address) =>
      current.depositsTo(it.service.chains.liveDerivers.get('ton')?.normalize(address) ?? address),
    booksAreRight: () => current.booksAreRight(),
  };
}
