import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { chooseCoins, type SpendingCosts } from '../../../src/domain/sending/utxo-selection.ts';

const OVERHEAD = 42n;
const COIN = 68n;
const CHANGE = 31n;

/** Costs of P2WPKH at `rate` base units per virtual byte. */
function costsAt(rate: bigint, changes: Partial<SpendingCosts> = {}): SpendingCosts {
  return {
    fee: (coins, withChange) => rate * (OVERHEAD + BigInt(coins) * COIN + (withChange ? CHANGE : 0n)),
    coinFee: rate * COIN,
    leastChange: rate * COIN > 294n ? rate * COIN : 294n,
    headroom: () => 0n,
    coinsMax: 1_000,
    ...changes,
  };
}

interface Named {
  readonly name: number;
  readonly units: bigint;
}

const named = (...units: readonly bigint[]): readonly Named[] =>
  units.map((each, name) => ({ name, units: each }));
const sumOf = (coins: readonly Named[]): bigint => coins.reduce((sum, { units }) => sum + units, 0n);

const coinSet = fc
  .array(fc.oneof(fc.bigInt({ min: 1n, max: 20_000n }), fc.bigInt({ min: 1n, max: 10n ** 12n })), {
    maxLength: 40,
  })
  .map((units) => named(...units));
const purchase = fc.record({
  coins: coinSet,
  amount: fc.oneof(fc.bigInt({ min: 1n, max: 50_000n }), fc.bigInt({ min: 1n, max: 10n ** 12n })),
  rate: fc.bigInt({ min: 1n, max: 400n }),
  headroom: fc.bigInt({ min: 0n, max: 10_000n }),
  coinsMax: fc.integer({ min: 1, max: 50 }),
});

describe('coin selection', () => {
  test('no coin is chosen twice, and none that costs more to spend than it is', () => {
    fc.assert(
      fc.property(purchase, ({ coins, amount, rate, headroom, coinsMax }) => {
        const costs = costsAt(rate, { headroom: () => headroom, coinsMax });
        const chosen = chooseCoins(coins, amount, costs) ?? [];
        expect(new Set(chosen.map(({ name }) => name)).size).toBe(chosen.length);
        expect(chosen.length).toBeLessThanOrEqual(coinsMax);
        for (const coin of chosen) {
          expect(coins[coin.name]).toBe(coin);
          expect(coin.units).toBeGreaterThan(costs.coinFee);
        }
      }),
    );
  });

  test('what is chosen pays the amount and the exact fee, and what is left is change that may be, or little', () => {
    fc.assert(
      fc.property(purchase, ({ coins, amount, rate, headroom, coinsMax }) => {
        const costs = costsAt(rate, { headroom: () => headroom, coinsMax });
        const chosen = chooseCoins(coins, amount, costs);
        if (chosen === null) return;
        const left = sumOf(chosen) - amount - costs.fee(chosen.length, false);
        expect(left).toBeGreaterThanOrEqual(0n);
        const change = left - rate * CHANGE;
        // else it is fee: too little for change
        if (change >= costs.leastChange) expect(change).toBeGreaterThanOrEqual(294n);
        else expect(left).toBeLessThan(rate * CHANGE + costs.leastChange);
      }),
    );
  });

  test('null is answered only when even the most valuable coins do not pay', () => {
    fc.assert(
      fc.property(purchase, ({ coins, amount, rate, headroom, coinsMax }) => {
        const costs = costsAt(rate, { headroom: () => headroom, coinsMax });
        const chosen = chooseCoins(coins, amount, costs);
        const best = coins
          .filter(({ units }) => units > costs.coinFee)
          .toSorted((a, b) => Number(b.units - a.units))
          .slice(0, coinsMax);
        const pays = best.length > 0 && sumOf(best) >= amount + costs.fee(best.length, false);
        expect(chosen !== null).toBe(pays);
      }),
    );
  });

  test('change has its headroom whenever one coin more gives it that', () => {
    fc.assert(
      fc.property(purchase, ({ coins, amount, rate, headroom }) => {
        const costs = costsAt(rate, { headroom: () => headroom });
        const chosen = chooseCoins(coins, amount, costs);
        if (chosen === null) return;
        const change = sumOf(chosen) - amount - costs.fee(chosen.length, true);
        if (change < costs.leastChange || change >= costs.leastChange + headroom) return;
        const worth = coins.filter(({ units }) => units > costs.coinFee);
        expect(sumOf(worth)).toBeLessThan(
          amount + costs.fee(worth.length, true) + costs.leastChange + headroom,
        );
      }),
    );
  });

  test('coins that fit exactly are preferred to change', () => {
    const costs = costsAt(10n);
    const exact = 100_000n + costs.fee(2, false);
    const coins = named(5_000_000n, exact - 40_000n, 90_000n, 40_000n, 7_000n);
    expect(chooseCoins(coins, 100_000n, costs)?.map(({ units }) => units)).toEqual([
      exact - 40_000n,
      40_000n,
    ]);
  });

  test('a crowd of small coins that fits is not preferred to one coin with change', () => {
    const costs = costsAt(100n);
    const small = Array.from({ length: 30 }, () => 10_000n + costs.coinFee);
    const amount = 300_000n - costs.fee(0, false);
    const chosen = chooseCoins(named(9_000_000n, ...small), amount, costs);
    expect(chosen?.map(({ units }) => units)).toEqual([9_000_000n]);
  });

  test('of single coins that suffice the smallest is taken, and else the largest first', () => {
    const costs = costsAt(1n);
    const coins = named(10_000n, 80_000n, 60_000n, 3_000_000n, 2_000_000n);
    expect(chooseCoins(coins, 50_000n, costs)?.map(({ units }) => units)).toEqual([60_000n]);
    expect(chooseCoins(coins, 3_500_000n, costs)?.map(({ units }) => units)).toEqual([
      3_000_000n,
      2_000_000n,
    ]);
    expect(chooseCoins(coins, 3_040_000n, costs)?.map(({ units }) => units)).toEqual([3_000_000n, 60_000n]);
  });

  test('no more coins are chosen than a transaction can spend, with change or without', () => {
    const costs = costsAt(1n, { coinsMax: 2 });
    expect(chooseCoins(named(40_000n, 40_000n, 40_000n), 100_000n, costs)).toBeNull();
    const exact = 90_000n + costs.fee(3, false);
    expect(chooseCoins(named(30_000n, 30_000n, exact - 60_000n), 90_000n, costs)).toBeNull();
  });

  test('a coin that pays all to the last unit is enough', () => {
    const costs = costsAt(1n, { leastChange: 50_000n });
    const enough = 100_000n + costs.fee(1, true) + costs.leastChange;
    expect(chooseCoins(named(90_000n, enough), 100_000n, costs)?.map(({ units }) => units)).toEqual([enough]);
  });

  test('of the sets without change the one that leaves least is taken', () => {
    const costs = costsAt(10n);
    const exact = 100_000n + costs.fee(1, false);
    const coins = named(exact + 500n, exact + 100n, exact + 300n);
    expect(chooseCoins(coins, 100_000n, costs)?.map(({ units }) => units)).toEqual([exact + 100n]);
  });

  test('a search that finds nothing ends, and the fallback answers', () => {
    const coins = named(...Array.from({ length: 3_000 }, (_, index) => 1_000_000n + 2n * BigInt(index ** 2)));
    expect(chooseCoins(coins, 777_777_777n, costsAt(1n))).not.toBeNull();
  });
});
