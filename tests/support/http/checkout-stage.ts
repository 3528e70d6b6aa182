/**
 * A merchant whose customers choose on the checkout, at rates that the test moves, and payments
 * recorded as a scanner tells them: each step is one transaction, so that a test can put them in
 * any order. No chain runs.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Application } from '../../../src/app/application.ts';
import { buildApplication } from '../../../src/app/compose-application.ts';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { lockWithInvoice, markFinal, markGone } from '../../../src/app/deposits/deposit-lifecycle.ts';
import { recordTransfers } from '../../../src/app/deposits/record-transfer.ts';
import { timeOfPayment } from '../../../src/domain/chains/payment-time.ts';
import { DEPOSIT_STATUSES, type Deposit } from '../../../src/domain/deposits/deposit.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { Rates } from '../../../src/domain/rates/rate.ts';
import type { Transfer } from '../../../src/ports/chains/chain-scanner.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import { aHash } from '../builders.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';

export interface CheckoutStage {
  readonly it: TestService;
  readonly clock: TestClock;
  readonly deps: AppDependencies;
  readonly application: Application;
  /**
   * Prices of coins from now on, in percent of those at the start; null: none was read yet.
   * Stablecoins keep theirs.
   */
  setRates(percent: bigint | null): void;
  /** What the risk check says from now on, by the units of a payment. */
  screen(verdictOn: VerdictOn): void;
  merchant(): Promise<StagedMerchant>;
  /** Must be taken; answers the invoice as it is now. */
  choose(invoice: Invoice, asset: string): Promise<Invoice>;
  /** The message of a refusal. */
  refusedChoice(invoice: Invoice, asset: string): Promise<string>;
  read(id: string): Promise<Invoice>;
  /** What a scanner tells of `choice`'s page: its asset, to its address. */
  tell(choice: Pick<Invoice, 'price' | 'addressTo'>, given?: Sight): Promise<Transfer>;
  /** The same, and what is recorded of it. */
  sight(choice: Pick<Invoice, 'price' | 'addressTo'>, given?: Sight): Promise<Deposit>;
  /** The transaction is no longer on the chain. */
  lose(deposit: Deposit): Promise<void>;
  /** Its block is final. */
  arrive(deposit: Deposit): Promise<void>;
  /** Its block is final, and the risk check has said what it says. */
  finish(deposit: Deposit): Promise<void>;
  /** Own addresses of an invoice by family. */
  addressesOf(invoice: Invoice): Promise<Readonly<Record<string, number>>>;
  booksAreRight(): Promise<void>;
}

type VerdictOn = (units: bigint) => RiskVerdict | Promise<RiskVerdict>;

/**
 * How a transfer differs from a payment of what is due, in a new block of height 1 and of this
 * moment.
 */
type Sight = Partial<Omit<Transfer, 'to' | 'from'>> & {
  readonly secondsAgo?: number;
  readonly height?: number;
  /** Of the block. */
  readonly hash?: string;
};

export interface StagedMerchant {
  readonly id: string;
  readonly live: string;
  /** 25 USD, live, in whatever the customer chooses. */
  create(body?: Json, sandbox?: boolean): Promise<Invoice>;
}

/**
 * Registers the hooks around the tests of the describe block it is called in. Each test has a
 * merchant of its own, rates as at the start, and a risk check that passes; after each the books
 * are right. What it returns is filled in by the hooks: only tests can use it.
 */
export function stageCheckout(): { readonly stage: CheckoutStage; readonly merchant: StagedMerchant } {
  const stage = {} as CheckoutStage;
  const merchant = {} as StagedMerchant;
  beforeAll(async () => {
    Object.assign(stage, await openCheckoutStage());
  });
  beforeEach(async () => {
    stage.setRates(100n);
    stage.screen(() => ({ kind: 'pass' }));
    Object.assign(merchant, await stage.merchant());
  });
  afterEach(() => stage.booksAreRight());
  afterAll(() => stage.it?.stop());
  return { stage, merchant };
}

async function openCheckoutStage(): Promise<CheckoutStage> {
  const clock = testClock();
  let verdictOn: VerdictOn = () => ({ kind: 'pass' });
  const it = await startTestService({
    env: { CHAINS: 'fake' },
    overrides: {
      clock,
      riskScreener: { isLocal: true, screen: async ({ units }) => verdictOn(units) },
      webhookTransport: { post: async () => ({ kind: 'answered', status: 200, body: '' }) },
    },
  });
  const { rates } = it.service.dependencies.rateBook.latest();
  const none: Rates = { usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() };
  let moved = rates;
  const rateBook = {
    latest: () => ({ rates: moved, ageSeconds: moved === none ? null : 1 }),
    usable: () => (moved === none ? null : moved),
    crediting: () => moved,
  };
  const deps: AppDependencies = { ...it.service.dependencies, rateBook };
  const application = buildApplication(deps, it.service.dispatcher);
  await it.settle(1);

  const read = async (id: string): Promise<Invoice> => {
    const invoice = await deps.unitOfWork.run((repositories) => repositories.invoices.find(id));
    if (!invoice) throw new Error('no such invoice');
    return invoice;
  };
  const arrive = (deposit: Deposit) =>
    deps.unitOfWork.run(async (repositories) => {
      const locked = await lockWithInvoice(repositories, deposit);
      if (locked) await markFinal(deps, repositories, locked.deposit, locked.invoice);
    });
  const chooseIn = (invoice: Invoice, asset: string) =>
    application.chooseCurrency(invoice.externalId, deps.catalog.require(asset));

  async function tell(
    choice: Pick<Invoice, 'price' | 'addressTo'>,
    { secondsAgo = 0, height = 1, hash = aHash(), ...given }: Sight = {},
  ): Promise<Transfer> {
    const { key, chain, family } = deps.catalog.require(given.asset ?? choice.price?.asset ?? '');
    const to = deps.liveDerivers.get(family)?.normalize(choice.addressTo ?? '');
    if (to === null || to === undefined) throw new Error('no such address');
    const transfer: Transfer = {
      ...{ txid: aHash(), output: 'log:0', asset: key, to, from: null, kind: 'payment' },
      ...{ units: choice.price?.dueUnits ?? 0n },
      ...given,
    };
    const [now, tipTime] = [clock.now(), clock.now().getTime() / 1000];
    const time = timeOfPayment(family, tipTime - secondsAgo, { tipTime, at: now });
    const at = { chain, family, hotWallet: null, block: { height, hash }, ...time };
    await deps.unitOfWork.run((repositories) => recordTransfers(deps, repositories, [{ transfer, at }]));
    return transfer;
  }

  return {
    it,
    clock,
    deps,
    application,
    read,
    tell,
    sight: async (choice, given) => depositOf((await tell(choice, given)).txid),
    screen(said) {
      verdictOn = said;
    },
    setRates(percent) {
      if (percent === null) {
        moved = none;
        return;
      }
      const usdPerAssetE18 = new Map(
        [...rates.usdPerAssetE18].map(([key, price]) => [
          key,
          key.startsWith('usd') ? price : (price * percent) / 100n,
        ]),
      );
      moved = { ...rates, usdPerAssetE18 };
    },
    async merchant() {
      const merchant = await it.merchant({ callbackUrl: 'https://merchant.example/webhook' });
      return {
        id: merchant.id,
        live: merchant.live,
        async create(body = {}, sandbox = false) {
          const key = sandbox ? merchant.sandbox : merchant.live;
          const answer = await it.call(key, 'POST', '/api/v2/invoices', {
            ...{ amount: 25, fiat_currency: 'USD' },
            ...body,
          });
          expect(answer.body).toMatchObject({ ok: true });
          return read(answer.body.result.order_id);
        },
      };
    },
    async choose(invoice, asset) {
      const chosen = await chooseIn(invoice, asset);
      expect(chosen).toMatchObject({ ok: true, value: { price: { asset } } });
      const stored = await read(invoice.id);
      if (chosen.ok) expect(chosen.value).toEqual(stored);
      return stored;
    },
    async refusedChoice(invoice, asset) {
      const chosen = await chooseIn(invoice, asset);
      if (chosen.ok) throw new Error(`${asset} could be chosen`);
      return chosen.error.message;
    },
    async lose(deposit) {
      await deps.unitOfWork.run(async (repositories) => {
        const locked = await lockWithInvoice(repositories, deposit);
        if (locked) await markGone(deps, repositories, locked.deposit, locked.invoice);
      });
    },
    arrive,
    async finish(deposit) {
      await arrive(deposit);
      await it.run('screen-deposits');
    },
    async addressesOf(invoice) {
      const choices = [invoice, ...invoice.earlierChoices].map(({ price, addressTo }) => ({
        family: deps.catalog.require(price?.asset ?? '').family,
        addressTo: addressTo ?? '',
      }));
      const byFamily = Map.groupBy(choices, ({ family }) => family);
      return Object.fromEntries(
        [...byFamily].map(([family, of]) => [family, new Set(of.map(({ addressTo }) => addressTo)).size]),
      );
    },
    async booksAreRight() {
      expect(await deps.operatorQueries.reconciliationFaults()).toEqual([]);
    },
  };

  async function depositOf(txid: string): Promise<Deposit> {
    const all = await deps.operatorQueries.deposits({
      ...{ statuses: DEPOSIT_STATUSES, sandbox: null, limit: 10_000 },
    });
    const found = all.find((deposit) => deposit.txid === txid);
    if (!found) throw new Error('the payment was not recorded');
    return found;
  }
}
