/**
 * A shop for the browser tests: the composed service on the fake chains, a merchant with a live and
 * a sandbox key, and a page of the merchant's own that customers are led back to. Live invoices are
 * brought into any state by payments.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';
import { type Stage, stageBrowser } from './stage.ts';

export interface Shop {
  readonly it: TestService;
  readonly clock: TestClock;
  readonly merchant: { readonly id: string; readonly live: string; readonly sandbox: string };
  /** The merchant's pages. */
  readonly site: string;
  /** What the risk check says from now on. */
  screen(verdict: RiskVerdict): void;
  /**
   * An invoice of 25 USD with links back; live unless `body.sandbox`. `payment_url` is its page.
   */
  invoice(body?: Json): Promise<Json>;
  /** Pays USDT on Ethereum into the mempool; the service has seen it when this returns. */
  pay(invoice: Json, amount: string): Promise<void>;
  /** Mines on Ethereum, and lets the service see it. Default: until everything is final. */
  mine(blocks?: number): Promise<void>;
  /** Lets the time of open invoices run out. */
  expire(): Promise<void>;
  simulate(invoice: Json, status: string): Promise<void>;
  close(): Promise<void>;
}

/** A bug of the service shows in the page as little as it should, so it is told here. */
const TELLING: Logger = {
  ...silentLogger,
  error(event, fields) {
    if (event === 'http.request_failed') console.log(event, fields);
  },
};
const EXPLORER = 'https://explorer.example/tx/{txid}';

/**
 * A shop, and a browser that may ask it, around the tests of the describe block it is called in.
 * `leadsBack`: the merchant's own page may be asked, too.
 */
export function stageShop({ leadsBack = false } = {}): { readonly stage: Stage; readonly shop: Shop } {
  const stage = stageBrowser();
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
    stage.allow(shop.it.url);
    if (leadsBack) stage.allow(shop.site);
  });
  afterAll(() => shop?.close());
  return {
    stage,
    get shop() {
      return shop;
    },
  };
}

async function openShop(): Promise<Shop> {
  const clock = testClock();
  let verdict: RiskVerdict = { kind: 'pass' };
  const site = openSite();
  const it = await startTestService({
    env: { CHAINS: 'fake' },
    file: { checkout: { explorers: { ethereum: EXPLORER } } },
    chains: ['ethereum'],
    overrides: { clock, logger: TELLING, riskScreener: { isLocal: true, screen: async () => verdict } },
  });
  const merchant = await it.merchant({ name: 'Corner shop' });
  await it.settle();
  const chain = () => {
    const fake = it.service.chains.fakes?.get('ethereum');
    if (!fake) throw new Error('the fake chains are not there');
    return fake.control;
  };

  return {
    it,
    clock,
    merchant,
    site: site.url,
    screen(next) {
      verdict = next;
    },
    async invoice({ sandbox = false, ...body } = {}) {
      const answer = await it.call(sandbox ? merchant.sandbox : merchant.live, 'POST', '/api/v2/invoices', {
        amount: 25,
        fiat_currency: 'USD',
        title: 'Annual plan',
        description: 'Twelve months, three seats',
        on_paid_url: `${site.url}/thanks`,
        on_cancel_url: `${site.url}/back`,
        ...body,
      });
      expect(answer.body).toMatchObject({ ok: true });
      return { ...answer.body.result, payment_url: onService(it, answer.body.result.payment_url) };
    },
    async pay(invoice, amount) {
      chain().pay({ to: invoice.address_to, asset: 'usdt_ethereum', units: unitsOf(amount, 6) });
      await it.settle();
    },
    async mine(blocks = 13) {
      chain().mine(blocks);
      await it.settle();
    },
    async expire() {
      clock.advance(3_601);
      chain().mine(1);
      await it.settle();
    },
    async simulate(invoice, status) {
      const answer = await it.call(
        merchant.sandbox,
        'POST',
        `/api/v2/invoices/${invoice.order_id}/simulate`,
        { status, send_webhook: false },
      );
      expect(answer.status).toBe(200);
    },
    async close() {
      await it.stop();
      await site.close();
    },
  };
}

/**
 * The port is known only once the service listens, so the configured address of the checkout is
 * another.
 */
export function onService(it: TestService, paymentUrl: string): string {
  return it.url + new URL(paymentUrl).pathname;
}

interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Pages of a merchant: `/thanks`, `/back`, and `/stay`, which has no content, so that browsers stay
 * where they are.
 */
function openSite(): Site {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/stay') return new Response(null, { status: 204 });
      const html = `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>${pathname}</h1>`;
      return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) };
}

/** The same for a journey without a shop: registers the hooks around it. */
export function merchantSite(): Pick<Site, 'url'> {
  let site: Site;
  beforeAll(() => {
    site = openSite();
  });
  afterAll(() => site?.close());
  return {
    get url() {
      return site.url;
    },
  };
}
