/**
 * The composed service with its console, on fake chains, for the browser tests: a merchant with a
 * receiver of webhooks, users of every role, and a hot wallet with money.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { FakeChainControl } from '../../../src/adapters/chains/fake/fake-control.ts';
import { freePort } from '../../../src/adapters/embedded-postgres/free-port.ts';
import type { Environment } from '../../../src/domain/environment.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { type Stage, stageBrowser } from '../browser/stage.ts';
import { type ReceivedMail, startMailServer } from '../mail/mail-server.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, type MoreSettings, startTestService, type TestService } from '../test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { COOKIE, type ConsoleUser, type ConsoleUsers, consoleUsers } from './console-users.ts';

export interface ConsoleShop extends ConsoleUsers {
  readonly it: TestService;
  readonly clock: TestClock;
  readonly merchant: { readonly id: string; readonly live: string; readonly sandbox: string };
  /** The merchant's. */
  readonly receiver: WebhookReceiver;
  /** E-mails that were sent, where people may register. */
  readonly mails: readonly ReceivedMail[];
  /** What the receiver answers from now on: 200 at first. */
  answerWebhooks(status: number): void;
  /** What the risk check says from now on. */
  screen(verdict: RiskVerdict): void;
  /** Ethereum. */
  chain(): FakeChainControl;
  /** An invoice of 25 USD over USDT on Ethereum; live unless `body.sandbox`. */
  invoice(body?: Json): Promise<Json>;
  /** Pays USDT on Ethereum, until it is final. */
  pay(to: string, amount: string): Promise<void>;
  /** Mines on Ethereum, and lets the service see it. Default: until everything is final. */
  mine(blocks?: number): Promise<void>;
  /** A live invoice, paid whole and final. */
  paid(body?: Json): Promise<Json>;
  /** Runs background jobs that `settle` leaves out. */
  run(...jobs: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface StagedConsole {
  readonly stage: Stage;
  readonly shop: ConsoleShop;
  /**
   * A page of a user who is signed in, at a path below `/console`: a desktop, unless told
   * otherwise. With `asked` the user says yes to what the page asks.
   */
  as(user: ConsoleUser, path: string, options?: BrowserContextOptions & { asked?: string[] }): Promise<Page>;
  /**
   * The same on the page that stays for all tests of the file, for what does not hang on who looks.
   * Null: nobody is signed in.
   */
  shown(user: ConsoleUser | null, path: string): Promise<Page>;
  /** The path of a page of the merchant's console: `at('/payments')`. */
  at(path: string, environment?: Environment): string;
}

/** A bug of the service shows in the page as little as it should, so it is told here. */
const TELLING: Logger = {
  ...silentLogger,
  error(event, fields) {
    if (event === 'http.request_failed') console.log(event, fields);
  },
};
const ETHER = 10n ** 18n;

type ShopSettings = MoreSettings & { readonly registration?: boolean };

/**
 * A shop, and a browser that may ask it, around the tests of the block it is called in. With
 * `registration` anybody may open an account.
 */
export function stageConsole(more: ShopSettings = {}): StagedConsole {
  const stage = stageBrowser();
  let shop: ConsoleShop;
  beforeAll(async () => {
    shop = await openConsoleShop(more);
    stage.allow(shop.it.url);
  });
  afterAll(() => shop?.close());
  async function enter(page: Page, user: ConsoleUser | null, path: string): Promise<void> {
    await page.context().clearCookies();
    if (user !== null)
      await page.context().addCookies([{ name: COOKIE, value: user.token, url: shop.it.url }]);
    await page.goto(path.startsWith('http') ? path : `${shop.it.url}/console${path}`);
  }
  return {
    stage,
    get shop() {
      return shop;
    },
    async as(user, path, { asked, ...options } = {}) {
      const page = await stage.visitor(
        { viewport: { width: 1280, height: 900 }, ...options },
        { ...(asked ? { asked } : {}) },
      );
      await enter(page, user, path);
      return page;
    },
    async shown(user, path) {
      const page = await stage.regular();
      await enter(page, user, path);
      return page;
    },
    at: (path, environment = 'live') => `/m/${shop.merchant.id}/${environment}${path}`,
  };
}

async function openConsoleShop({ env, file, registration = false }: ShopSettings): Promise<ConsoleShop> {
  const clock = testClock();
  let verdict: RiskVerdict = { kind: 'pass' };
  const mail = registration ? await startMailServer() : null;
  const registering: Record<string, string> =
    mail === null ? {} : { REGISTRATION: 'open', SMTP_URL: mail.url, MAIL_FROM: 'pay@gateway.example' };
  let webhookStatus = 200;
  const receiver = startWebhookReceiver({ respond: () => new Response('', { status: webhookStatus }) });
  const port = freePort();
  // Passkeys and links name the address, so that it must be known before the service listens.
  const url = `http://localhost:${port}`;
  const started = await startTestService({
    env: { CHAINS: 'fake', PORT: String(port), BASE_URL: url, ...registering, ...env },
    file,
    chains: ['ethereum'],
    overrides: { clock, logger: TELLING, riskScreener: { isLocal: true, screen: async () => verdict } },
  });
  const it = { ...started, url };
  const merchant = await it.merchant({ name: 'Corner shop', callbackUrl: receiver.url });
  const chain = (): FakeChainControl => {
    const fake = it.service.chains.fakes?.get('ethereum');
    if (!fake) throw new Error('the fake chains are not there');
    return fake.control;
  };
  await it.settle();
  const hotWallet = it.service.sending.chains.get('ethereum')?.deriver.hotWallet() ?? '';
  chain().fund(hotWallet, 'usdt_ethereum', unitsOf('10000', 6));
  chain().fund(hotWallet, 'eth_ethereum', 10n * ETHER);

  const shop: ConsoleShop = {
    ...consoleUsers(it, clock, merchant.id),
    ...{ it, clock, merchant, receiver, chain, mails: mail?.received ?? [] },
    answerWebhooks(status) {
      webhookStatus = status;
    },
    screen(next) {
      verdict = next;
    },
    async invoice({ sandbox = false, ...body } = {}) {
      const answer = await it.call(sandbox ? merchant.sandbox : merchant.live, 'POST', '/api/v2/invoices', {
        ...{ amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum' },
        ...body,
      });
      expect(answer.body).toMatchObject({ ok: true });
      return answer.body.result;
    },
    async pay(to, amount) {
      chain().pay({ to, asset: 'usdt_ethereum', units: unitsOf(amount, 6) });
      await it.settle(1);
      await shop.mine();
    },
    async mine(blocks = 13) {
      chain().mine(blocks);
      await it.settle();
    },
    async paid(body = {}) {
      const invoice = await shop.invoice(body);
      await shop.pay(invoice.address_to, String(invoice.amount));
      return invoice;
    },
    async run(...names) {
      for (const job of it.service.jobs.filter(({ name }) => names.includes(name))) await job.run();
    },
    async close() {
      await it.stop();
      await receiver.stop();
      await mail?.stop();
    },
  };
  return shop;
}
