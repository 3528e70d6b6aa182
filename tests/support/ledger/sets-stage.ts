/**
 * A composed service on fake chains, whose payments are taken from step to step, and whose
 * transactions a test can tamper with.
 */
import { expect, spyOn } from 'bun:test';
import { screenDeposits } from '../../../src/app/deposits/screen-deposits.ts';
import type { Overrides } from '../../../src/compose/overrides.ts';
import type { RiskScreener } from '../../../src/ports/deposits/risk-screener.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { type FakeJourney, openFakeJourney } from '../fake/fake-journey.ts';
import type { Json } from '../test-service.ts';

export const COINS = {
  usdt_ethereum: { chain: 'ethereum', unitsPerUsd: 1_000_000n },
  btc_bitcoin: { chain: 'bitcoin', unitsPerUsd: 50_000n },
} as const;
export type Coin = keyof typeof COINS;
export type Wrap = (repositories: Repositories) => Repositories;

const AS_IT_IS: Wrap = (repositories) => repositories;
/** As of a service: payments are final first, and credited by a step of their own. */
const PASS: RiskScreener = { screen: async () => ({ kind: 'pass' }) };

export type SetsStage = Awaited<ReturnType<typeof openSetsStage>>;

export async function openSetsStage(overrides: Overrides = {}) {
  const journey: FakeJourney = await openFakeJourney({ riskScreener: PASS, ...overrides }, 'ethereum', [
    'bitcoin',
  ]);
  const { service } = journey.it;
  const run = service.dependencies.unitOfWork.run;
  let wrap = AS_IT_IS;
  let repeated = 0;
  const spy = spyOn(service.dependencies.unitOfWork, 'run').mockImplementation((work, limits) => {
    let times = 0;
    return run((repositories) => {
      if (times > 0) repeated += 1;
      times += 1;
      return work(wrap(repositories));
    }, limits);
  });
  const control = (coin: Coin) => {
    const fake = service.chains.fakes?.get(COINS[coin].chain);
    if (!fake) throw new Error(`the fake chain of ${coin} is not there`);
    return fake.control;
  };
  const coins = Object.keys(COINS) as Coin[];

  return {
    journey,
    control,
    /** Transactions that had to be run again, since they lost against others. */
    repeated: () => repeated,
    /** While `work` runs, every transaction works with these repositories. */
    async tampered(tampering: Wrap, work: () => Promise<unknown>): Promise<void> {
      wrap = tampering;
      try {
        await work();
      } finally {
        wrap = AS_IT_IS;
      }
    },
    mine(blocks: number): void {
      for (const coin of coins) control(coin).mine(blocks);
    },
    /** Reads to the tip, and makes final what is. */
    async poll(stopping?: AbortSignal): Promise<void> {
      for (const coin of coins) await service.watchers.get(COINS[coin].chain)?.poll(stopping);
    },
    screen: (riskScreener = PASS, stopping?: AbortSignal) =>
      screenDeposits({ ...service.dependencies, riskScreener })(stopping),
    async order(key: string, asset: Coin, more: Json = {}): Promise<Json> {
      const body = { amount: 25, fiat_currency: 'USD', asset, ...more };
      const answer = await journey.it.call(key, 'POST', '/api/v2/invoices', body);
      expect(answer.status).toBe(201);
      return { ...answer.body.result, asset };
    },
    async close(): Promise<void> {
      spy.mockRestore();
      await journey.close();
    },
  };
}
