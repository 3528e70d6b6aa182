/**
 * R1: the composed service on chains of every other family, each behind its provider's plan, after
 * it was down for a while.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type MerchantJourney, merchantJourney } from '../../support/merchant-journey.ts';
import { startEsploraServer } from '../../support/nodes/esplora-server.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import {
  HELIUS_FREE,
  type Plan,
  PUBLIC_ESPLORA,
  PUBLIC_RIPPLED,
  TONCENTER_FREE,
  TRONGRID,
} from '../../support/providers/plans.ts';
import { type ProviderProxy, startProviderProxy } from '../../support/providers/provider.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until } from '../../support/runtime/poll.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { openSolanaLab } from '../../support/solana/lab.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';
import { openTonLab } from '../../support/ton/ton-lab.ts';
import { openTronLab } from '../../support/tron/lab.ts';
import { BITCOIN } from '../../support/utxo/utxo-nodes.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';
import { openXrpLab } from '../../support/xrp/lab.ts';

/**
 * Blocks that were missed, seconds apart: what is unread is older than the bound. What a day takes
 * is that of `bun run bench providers`.
 */
const MISSED = 60;
const PAY_EVERY = 20;
const BLOCK_SECONDS = 3;
const BEHIND_AFTER_SECONDS = 60;

/**
 * How fast the plan's clock goes: a block of Solana is a call, at ten a second; one of Esplora
 * three, at four.
 */
const CASES: readonly { readonly chain: string; readonly plan: Plan; readonly timesAsFast: number }[] = [
  { chain: 'tron', plan: TRONGRID, timesAsFast: 1 },
  { chain: 'solana', plan: HELIUS_FREE, timesAsFast: 6 },
  { chain: 'ton', plan: TONCENTER_FREE, timesAsFast: 1 },
  { chain: 'xrp', plan: PUBLIC_RIPPLED, timesAsFast: 1 },
  ...(BITCOIN.there() ? [{ chain: 'bitcoin', plan: PUBLIC_ESPLORA, timesAsFast: 20 }] : []),
];

interface Stage {
  readonly url: string;
  /** Of the configuration; its node under `rpc` unless it is another source. */
  readonly chain?: Json;
  readonly source?: string;
  readonly assets?: Json;
  /** Paid in turns. */
  readonly wanted: readonly { readonly asset: string; readonly decimals: number }[];
  pay(to: string, asset: string, units: bigint): unknown;
  mine(): unknown;
  /** What an address of ours needs before it can be paid. */
  open?(to: string): unknown;
  close(): Promise<void>;
}

const clock = testClock(new Date());
const seconds = (): number => Math.floor(clock.now().getTime() / 1_000);

const LABS: Readonly<Record<string, () => Stage | Promise<Stage>>> = {
  async tron() {
    const lab = await openTronLab({ startMs: clock.now().getTime() });
    return {
      ...{ url: lab.server.node.url, chain: { confirmations: 1 } },
      assets: { usdt_tron: { contract: lab.contracts.usdt } },
      wanted: [
        { asset: 'trx_tron', decimals: 6 },
        { asset: 'usdt_tron', decimals: 6 },
      ],
      pay: (to, asset, units) =>
        asset === 'trx_tron' ? lab.payTrx(to, units) : lab.payToken('usdt', to, units),
      mine: () => lab.mine(),
      close: () => lab.server.stop(),
    };
  },
  solana() {
    const lab = openSolanaLab({ finalizedLag: 3, now: seconds });
    lab.ledger.mine(20);
    const token = lab.mints.usdc;
    return {
      ...{ url: lab.node.url, chain: { network: 'test' } },
      assets: { usdc_solana: { contract: token.mint }, usdt_solana: { contract: lab.mints.usdt.mint } },
      wanted: [
        { asset: 'sol_solana', decimals: 9 },
        { asset: 'usdc_solana', decimals: 6 },
      ],
      pay: (to, asset, units) =>
        asset === 'sol_solana' ? lab.payCoins({ to, units }) : lab.payTokens({ to, units, token }),
      mine: () => lab.ledger.mine(),
      close: () => lab.stop(),
    };
  },
  async ton() {
    const lab = await openTonLab({ time: seconds(), blockSeconds: BLOCK_SECONDS });
    return {
      url: new URL(lab.server.url).origin,
      assets: { usdt_ton: { contract: lab.jetton.minter.toString() } },
      wanted: [
        { asset: 'ton_ton', decimals: 9 },
        { asset: 'usdt_ton', decimals: 6 },
      ],
      pay: (to, asset, units) =>
        asset === 'ton_ton' ? lab.pay({ to, units }) : lab.payJetton({ to, units }),
      mine: () => lab.mine(),
      close: () => lab.close(),
    };
  },
  xrp() {
    const lab = openXrpLab({ now: () => clock.now().getTime() });
    lab.account('payer');
    lab.network.close(20);
    return {
      url: lab.urls[0]!,
      wanted: [
        { asset: 'xrp_xrp', decimals: 6 },
        { asset: 'xrp_xrp', decimals: 6 },
      ],
      pay: (to, _asset, units) => lab.pay(to, units),
      mine: () => lab.network.close(),
      open: (to) => lab.network.fund(lab.classicOf(to), 10_000_000n),
      close: () => lab.close(),
    };
  },
  async bitcoin() {
    const node = await BITCOIN.start();
    await node.mine(10);
    const server = await startEsploraServer(node);
    return {
      ...{ url: server.url, source: 'esplora', chain: { network: 'regtest', confirmations: 2 } },
      wanted: [
        { asset: 'btc_bitcoin', decimals: 8 },
        { asset: 'btc_bitcoin', decimals: 8 },
      ],
      pay: (to, _asset, units) => node.pay([{ to, units }]),
      mine: () => node.mine(1),
      async close() {
        await server.stop();
        await node.stop();
      },
    };
  },
};

const ready = needs('postgres', postgresAvailable());

describe.skipIf(!ready)('a service that was down while its chains went on', () => {
  const stages = new Map<string, Stage>();
  const proxies = new Map<string, ProviderProxy>();
  const invoices = new Map<string, readonly Json[]>();
  const running = new Map<string, Promise<void>>();
  /** Chains of what could be paid when the service was there again. */
  let offered: readonly string[] = [];
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-plan-'));
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  let it: TestService;
  let shop: MerchantJourney;

  /** The service that runs: the merchant stays when it is another one. */
  const now: Parameters<typeof merchantJourney>[0] = {
    merchant: (change) => it.merchant(change),
    call: (...asked) => it.call(...asked),
    get service() {
      return it.service;
    },
  };

  function start(urlOf: (chain: string) => string): Promise<TestService> {
    const chains = [...stages].map(([name, { chain = {}, source = 'rpc' }]) => {
      const nodes = { [source]: [urlOf(name)] };
      return [name, { ...nodes, behind_after_seconds: BEHIND_AFTER_SECONDS, ...chain }];
    });
    const assets = Object.assign({}, ...[...stages.values()].map((stage) => stage.assets));
    return startTestService({
      ...{ databaseUrl: database.url, dataDir, overrides: { clock } },
      file: { chains: Object.fromEntries(chains), assets },
    });
  }

  beforeAll(async () => {
    receiver = startWebhookReceiver();
    const opening = CASES.map(async ({ chain, plan, timesAsFast }) => {
      const stage = await LABS[chain]!();
      stages.set(chain, stage);
      proxies.set(chain, startProviderProxy({ target: stage.url, plan: faster(plan, timesAsFast) }));
    });
    database = await testDatabase();
    await Promise.all(opening);
    it = await start((chain) => stages.get(chain)!.url);
    await it.settle();
    shop = await merchantJourney(now, receiver);
    for (const [name, { wanted, open }] of stages) {
      const made: Json[] = [];
      for (const { asset } of wanted) made.push(await shop.create({ asset }));
      invoices.set(name, made);
      await open?.(made[0].address_to);
    }
    await it.stop();

    for (let block = 0; block < MISSED; block++) {
      clock.advance(BLOCK_SECONDS);
      for (const [name, { wanted, pay, mine }] of stages) {
        const invoice = block % PAY_EVERY === 0 ? invoices.get(name)![block / PAY_EVERY] : undefined;
        const decimals = wanted.find(({ asset }) => asset === invoice?.asset)?.decimals;
        if (invoice !== undefined && decimals !== undefined)
          await pay(invoice.address_to, invoice.asset, unitsOf(String(invoice.amount), decimals));
        await mine();
      }
    }
    it = await start((chain) => proxies.get(chain)!.url);
    await runJobs('watch-health');
    const { body } = await it.call(shop.merchant.live, 'GET', '/api/v2/assets');
    offered = body.result.flatMap((one: Json) => (one.enabled ? [one.asset.split('_')[1]] : []));
    for (const { chain } of CASES) running.set(chain, catchUp(chain));
  });
  afterAll(async () => {
    await it.stop();
    await receiver.stop();
    for (const proxy of proxies.values()) await proxy.stop();
    for (const stage of stages.values()) await stage.close();
    await database.drop();
    rmSync(dataDir, { recursive: true });
  });

  async function runJobs(...names: readonly string[]): Promise<void> {
    for (const { name, run } of it.service.jobs) if (names.includes(name)) await run();
  }
  const stateOf = async (chain: string) =>
    (await it.service.dependencies.unitOfWork.run(({ chainHealth }) => chainHealth.all())).get(chain)?.noted
      ?.state;
  const depositsOf = (chain: string) =>
    Promise.all(
      invoices.get(chain)!.map(({ address_to }) => {
        const deriver = it.service.chains.liveDerivers.get(chainNamed(chain).family);
        return shop.depositsTo(deriver?.normalize(address_to) ?? address_to);
      }),
    );

  /** Reads the chain until every payment is seen. */
  async function catchUp(chain: string): Promise<void> {
    await until(`every payment on ${chain} is seen`, 25_000, async () => {
      await runJobs(`chain:${chain}`);
      return (await depositsOf(chain)).every(({ length }) => length > 0);
    });
  }

  test.each(CASES)(
    'R1: $chain is read to its tip behind $plan.name ($timesAsFast times as fast), and every payment is credited once',
    async ({ chain }) => {
      const { wanted } = stages.get(chain)!;
      expect(offered).not.toContain(chain);
      await running.get(chain);
      // What is noted is noted every ten seconds.
      clock.advance(10);
      await runJobs(`chain:${chain}`, 'watch-health', 'screen-deposits', 'deliver-webhooks');
      expect(await stateOf(chain)).toBe('ok');
      for (const { order_id } of invoices.get(chain)!) {
        expect((await shop.read(order_id)).status).toBe('success');
        expect(shop.statusesSent(order_id).filter((status) => status === 'success')).toHaveLength(1);
      }
      for (const each of await depositsOf(chain)) expect(each).toMatchObject([{ status: 'credited' }]);
      await shop.create({ asset: wanted[0]!.asset });
      await shop.booksAreRight();
    },
  );

  test('R7: though the plans refused calls meanwhile', () => {
    const refused = [...proxies.values()].map(({ counts }) => counts.refused);
    expect(Math.max(...refused)).toBeGreaterThan(0);
  });
});

/**
 * The plan by a clock that goes so many times as fast; suspended for a second at most, as long as
 * the test waits.
 */
function faster(plan: Plan, times: number): Plan {
  const { perSecond, suspendsFor } = plan;
  return {
    ...plan,
    perSecond: perSecond === null ? null : perSecond * times,
    ...(suspendsFor === undefined ? {} : { suspendsFor: 1 }),
  };
}
