/**
 * Journeys on the Solana test ledger: the composed service reading a node of it, a merchant, and
 * customers who pay by real transactions. The service's clock is the ledger's, too.
 */
import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import type { TreasuryChain } from '../../../src/app/sweeps/sweep-needs.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { recordingLogger } from '../evm/evm-lab.ts';
import { type MerchantJourney, merchantJourney } from '../merchant-journey.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, type MoreSettings, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { type LabToken, openSolanaLab, type SolanaLab } from './lab.ts';

/** Blocks that make one final, its own included. */
export const FINAL_AFTER = 4;
export const SOL = 'sol_solana';
export const USDC = 'usdc_solana';
/** Only the configuration lists it. */
export const LAB = 'lab_solana';
const DECIMALS: Readonly<Record<string, number>> = { [SOL]: 9, [USDC]: 6, usdt_solana: 6, [LAB]: 6 };

export interface SolanaJourney extends MerchantJourney {
  readonly it: TestService;
  readonly lab: SolanaLab;
  readonly clock: TestClock;
  readonly hot: string;
  treasury(): { readonly on: TreasuryChain; readonly deps: AppDependencies };
  token(asset: string): LabToken;
  /** What an invoice asks for, in base units. */
  due(invoice: Json): bigint;
  /** Pays `units` (default: what the invoice asks for) to the invoice's address. */
  pay(invoice: Json, units?: bigint): string;
  transfer(payment: { to: string; asset: string; units: bigint }): string;
  held(address: string, asset: string): bigint;
  /** Mines, a second per block. */
  mine(count?: number): void;
  settle(): Promise<void>;
  /** Mines until what waits is final, and lets the service see it. */
  mineToFinality(): Promise<void>;
  /** Ten SOL and a thousand USDC for the hot wallet, booked as the operator's. */
  fund(): Promise<void>;
  /** A payout of the merchant of this test; must be accepted. */
  order(payout: { address: string; asset: string; amount: number }): Promise<string>;
  payoutOf(id: string): Promise<Json>;
  /** One step of sweeping, carried out to its finality; repeated. */
  sweepToTheEnd(rounds?: number): Promise<void>;
  /** The chain and our records say the same of every wallet, and the ledger too. */
  chainAndBooksAgree(): Promise<void>;
}

/**
 * Registers the hooks around the tests of the describe block it is called in; each test has a
 * merchant of its own.
 */
export function stageSolanaJourney(more: MoreSettings = {}): SolanaJourney {
  let lab: SolanaLab;
  let receiver: WebhookReceiver;
  let it: TestService;
  let current: MerchantJourney;
  const clock = testClock();

  beforeAll(async () => {
    const now = () => Math.floor(clock.now().getTime() / 1000);
    lab = openSolanaLab({ finalizedLag: FINAL_AFTER - 1, now });
    // No reorganisation of a test may reach the mints.
    lab.ledger.mine(20);
    receiver = startWebhookReceiver();
    it = await startTestService({
      file: {
        chains: { solana: { rpc: [lab.node.url], network: 'test' } },
        assets: {
          usdc_solana: { contract: lab.mints.usdc.mint },
          usdt_solana: { contract: lab.mints.usdt.mint },
          [LAB]: {
            ...{ chain: 'solana', contract: lab.mints.foreign.mint, decimals: 6, symbol: 'LAB' },
            rate: { USD: '1' },
          },
        },
        ...more.file,
      },
      env: more.env ?? {},
      overrides: { clock, logger: recordingLogger() },
    });
    await it.settle();
  });
  beforeEach(async () => {
    current = await merchantJourney(it, receiver);
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    await lab.stop();
  });

  function treasury() {
    const { chains, dependencies } = it.service;
    const on = treasuryChains(chains, dependencies).get('solana');
    if (!on) throw new Error('solana has no sender');
    return { on, deps: dependencies };
  }

  const journey: Omit<SolanaJourney, Exclude<keyof MerchantJourney, 'create'> | 'it' | 'lab' | 'hot'> = {
    clock,
    treasury,
    token: (asset) => lab.mints[asset === USDC ? 'usdc' : asset === LAB ? 'foreign' : 'usdt'],
    create: (body) => current.create({ asset: USDC, ...body }),
    due: (invoice) => unitsOf(String(invoice.amount), DECIMALS[invoice.asset]!),
    pay: (invoice, units = journey.due(invoice)) =>
      journey.transfer({ to: invoice.address_to, asset: invoice.asset, units }),
    transfer: ({ to, asset, units }) =>
      asset === SOL ? lab.payCoins({ to, units }) : lab.payTokens({ to, units, token: journey.token(asset) }),
    held: (address, asset) =>
      asset === SOL ? lab.lamportsOf(address) : lab.tokensOf(address, journey.token(asset)),
    mine(count = 1) {
      for (let mined = 0; mined < count; mined++) {
        clock.advance(1);
        lab.ledger.mine();
      }
    },
    settle: () => it.settle(),
    async mineToFinality() {
      journey.mine(FINAL_AFTER);
      await it.settle();
    },
    async fund() {
      const { on, deps } = treasury();
      const to = on.deriver.hotWallet()!;
      journey.transfer({ to, asset: SOL, units: 10n ** 10n });
      journey.transfer({ to, asset: USDC, units: 10n ** 9n });
      await journey.mineToFinality();
      // Nothing waits for this money to be final: that is noticed once a minute.
      clock.advance(60);
      await it.settle();
      for (const asset of [SOL, USDC])
        expect(await bookCapital(deps, on)({ asset, note: 'test', dryRun: false })).toMatchObject({
          ok: true,
        });
    },
    async order(payout) {
      const headers = { 'x-uniq-id': crypto.randomUUID() };
      const answer = await it.call(current.merchant.live, 'POST', '/api/v2/payouts', payout, headers);
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result.order_id;
    },
    async payoutOf(id) {
      const answer = await it.call(current.merchant.live, 'GET', `/api/v2/payouts/${id}`);
      return answer.body.result;
    },
    async sweepToTheEnd(rounds = 3) {
      const { on, deps } = treasury();
      const settings = { sharePpm: 20_000n, limits: { floorUnits: new Map() } };
      const sweeping = sweeper(deps, on, settings);
      for (let round = 0; round < rounds; round++) {
        await sweeping.step();
        await it.settle();
        await journey.mineToFinality();
        await it.settle();
      }
      await sweeping.step();
    },
    async chainAndBooksAgree() {
      const { on, deps } = treasury();
      const found = await reconcileChain(deps, on, { height: null, everyAddress: true });
      expect(found).toMatchObject({ differences: [], unavailable: null });
      await current.booksAreRight();
    },
  };
  return {
    ...journey,
    get it() {
      return it;
    },
    get lab() {
      return lab;
    },
    get hot() {
      return treasury().on.deriver.hotWallet()!;
    },
    get merchant() {
      return current.merchant;
    },
    read: (id) => current.read(id),
    balance: () => current.balance(),
    ledger: () => current.ledger(),
    payout: (usd) => current.payout(usd),
    statusesSent: (id) => current.statusesSent(id),
    depositsTo: (address) => current.depositsTo(address),
    booksAreRight: () => current.booksAreRight(),
  };
}
