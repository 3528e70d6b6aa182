/**
 * The fee book quotes recipients as nodes tell them, remembers who costs nothing more, and lets
 * nobody keep the nodes busy.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { type FeeBook, feeBook } from '../../../src/app/rates/fee-book.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { RATE_SCALE, type Rates } from '../../../src/domain/rates/rate.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { RecipientQuote } from '../../../src/ports/rates/fee-quoter.ts';
import type { ChainSender } from '../../../src/ports/sending/chain-sender.ts';
import type { RecipientPrice } from '../../../src/ports/sending/recipient-pricing.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const GWEI = 10n ** 9n;
const ORDINARY = 21_000n * GWEI;
const PLAIN: RecipientPrice = { extraGas: 0n, extraUnits: 0n, ordinaryUnits: ORDINARY };
const costing = (gas: bigint): RecipientPrice => {
  return { extraGas: gas, extraUnits: gas * GWEI, ordinaryUnits: ORDINARY };
};
const catalog = new AssetCatalog({});
const ETH = catalog.require('eth_ethereum');
const USDT = catalog.require('usdt_ethereum');
/** An ether is 4,000 USD. */
const rates: Rates = {
  usdPerAssetE18: new Map([
    [ETH.key, 4_000n * RATE_SCALE],
    [USDT.key, RATE_SCALE],
  ]),
  fiatPerUsdE18: new Map([['USD', RATE_SCALE]]),
};
const LIVE = { merchantId: 'm', sandbox: false };

describe('the fee book and recipients', () => {
  let clock: ReturnType<typeof testClock>;
  let told: Map<string, RecipientPrice | null>;
  let asked: string[];
  let away: boolean;
  let ordinary: bigint;
  let priced: string[];
  let book: FeeBook;
  beforeEach(async () => {
    clock = testClock();
    told = new Map();
    asked = [];
    away = false;
    ordinary = ORDINARY;
    priced = [];
    const sender = {
      chain: 'ethereum',
      nativeAsset: ETH.key,
      async price({ asset }: { asset: string }) {
        if (away) throw new ChainUnavailable('away');
        priced.push(asset);
        return { expectedUnits: ordinary, maxUnits: 2n * ordinary };
      },
      recipients: {
        concern: (asset: string) => asset === ETH.key,
        async price(_wallet: string, payments: readonly { to: string }[]) {
          asked.push(...payments.map(({ to }) => to));
          return payments.map(({ to }) => (told.has(to) ? (told.get(to) ?? null) : PLAIN));
        },
      },
    } as unknown as ChainSender;
    book = feeBook(
      { clock, catalog, logger: silentLogger, unscannedAssets: new Set(['usdc_ethereum']) },
      { senders: [sender], hotWalletOf: () => 'hot', maxFeeFactor: 5n },
    );
    await book.refresh();
  });

  const quoteAll = (to: readonly string[], asset = ETH, scope = LIVE): Promise<readonly RecipientQuote[]> =>
    book.quoteEach(
      to.map((each) => ({ asset, to: each, units: 1n })),
      rates,
      scope,
    );
  const quote = async (to: string, asset = ETH, scope = LIVE): Promise<RecipientQuote | undefined> =>
    (await quoteAll([to], asset, scope))[0];

  test("a token's price is asked for again after two minutes, or when the coin's has moved by a tenth", async () => {
    const again = async (): Promise<readonly string[]> => {
      priced.length = 0;
      await book.refresh();
      return priced;
    };
    const tokens = ['usdt_ethereum', 'eurc_ethereum', 'dai_ethereum', 'pyusd_ethereum'];
    expect(priced).toEqual(['eth_ethereum', ...tokens]);
    expect(await again()).toEqual(['eth_ethereum']);
    ordinary = (ORDINARY * 109n) / 100n;
    expect(await again()).toEqual(['eth_ethereum']);
    ordinary = (ORDINARY * 110n) / 100n;
    expect(await again()).toEqual(['eth_ethereum', ...tokens]);
    clock.advance(120);
    expect(await again()).toEqual(['eth_ethereum', ...tokens]);
  });

  test('E9: what sending a token costs whose contract does not fit is not asked for', () => {
    expect(priced).not.toContain('usdc_ethereum');
  });

  test('G1: what a contract may take is charged whole, up to the bound and not above it', async () => {
    told.set('contract', costing(30_000n)).set('most', costing(84_000n)).set('more', costing(84_001n));
    told.set('burner', { ...costing(1_000_000n), extraGas: null });
    expect(await quote('plain')).toMatchObject({ quote: { feeMicroUsd: 84_000n, extraGas: 0n } });
    expect(await quote('contract')).toMatchObject({
      quote: { feeUnits: 51_000n * GWEI, feeMicroUsd: 204_000n, extraGas: 30_000n },
    });
    expect(await quote('most')).toMatchObject({ kind: 'quoted', quote: { feeMicroUsd: 420_000n } });
    expect(await quote('more')).toEqual({
      ...{ kind: 'too_dear', feeMicroUsd: 420_004n, mostMicroUsd: 420_000n },
    });
    // However much the bound allows.
    told.set('untold', { ...costing(1n), extraGas: null });
    for (const without of ['burner', 'untold'])
      expect(await quote(without)).toEqual({ kind: 'too_dear', feeMicroUsd: null, mostMicroUsd: 420_000n });
  });

  test('G1: the items of a batch are asked for together, and each has its own quote', async () => {
    told.set('b', costing(30_000n));
    const quotes = await quoteAll(['a', 'b', 'c']);
    expect(quotes.map((each) => each.kind === 'quoted' && each.quote.extraGas)).toEqual([0n, 30_000n, 0n]);
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  test('who costs nothing more is remembered for five minutes, and a contract is asked for each time', async () => {
    told.set('contract', costing(30_000n));
    for (let time = 0; time < 3; time += 1) await quoteAll(['plain', 'contract']);
    expect(asked).toEqual(['plain', 'contract', 'contract', 'contract']);
    clock.advance(300);
    told.set('plain', costing(10_000n));
    expect(await quote('plain')).toMatchObject({ quote: { extraGas: 10_000n } });
  });

  test('tokens and the sandbox ask nobody', async () => {
    told.set('contract', costing(30_000n));
    expect(await quote('contract', USDT)).toMatchObject({ quote: { extraGas: 0n, feeMicroUsd: 84_000n } });
    expect(await quote('contract', ETH, { merchantId: 'm', sandbox: true })).toMatchObject({
      quote: { extraGas: 0n, feeMicroUsd: 2_000_000n },
    });
    expect(asked).toEqual([]);
  });

  test('G1: what no node told in time is quoted as an ordinary payment, and may take no more', async () => {
    told.set('contract', null);
    expect(await quote('contract')).toMatchObject({ quote: { feeMicroUsd: 84_000n, extraGas: 0n } });
    away = true;
    clock.advance(601);
    await book.refresh();
    expect(await quote('contract')).toMatchObject({ quote: { feeMicroUsd: 2_000_000n, extraGas: 0n } });
  });

  test('one merchant has so many recipients tried and no more, whatever others ask', async () => {
    const many = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${name}${index}`);
    for (const each of many('x', 600)) told.set(each, costing(30_000n));
    const quotes = [...(await quoteAll(many('x', 300))), ...(await quoteAll(many('x', 300)))];
    expect(quotes.filter((each) => each.kind === 'quoted' && each.quote.extraGas > 0n)).toHaveLength(400);
    expect(asked).toHaveLength(400);
    await quote('x1', ETH, { merchantId: 'other', sandbox: false });
    expect(asked).toHaveLength(401);
    clock.advance(2);
    await quoteAll(many('x', 600));
    expect(asked).toHaveLength(501);
  });

  test.each([
    ['burn gas', { ...costing(1_000_000n), extraGas: null }],
    ['take a node too long', null],
  ])(
    'G4: recipients that %s use up the trials of their merchant sooner, and nobody else’s',
    async (_, price) => {
      const dear = Array.from({ length: 2_000 }, (_each, index) => `dear${index}`);
      for (const each of dear) told.set(each, price);
      await quoteAll(dear.slice(0, 200));
      await quoteAll(dear.slice(200, 400));
      const begun = asked.length;
      for (let second = 0; second < 60; second += 1) {
        clock.advance(1);
        await quoteAll(dear.slice(400, 600));
      }
      expect(asked.length - begun).toBeLessThanOrEqual(300);
      await quote('plain', ETH, { merchantId: 'other', sandbox: false });
      expect(asked.at(-1)).toBe('plain');
      clock.advance(300);
      await quote('plain2');
      expect(asked.at(-1)).toBe('plain2');
    },
  );
});
