import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type SpendingCosts, selectUtxos } from '../../../src/domain/sending/utxo-selection.ts';

const OVERHEAD = 42n;
const COIN = 68n;
const CHANGE = 31n;

/** Costs of P2WPKH at `rate` base units per virtual byte. */
function costsAt(rate: bigint, changes: Partial<SpendingCosts> = {}): SpendingCosts {
  return {
    fee: (utxos, withChange) => rate * (OVERHEAD + BigInt(utxos) * COIN + (withChange ? CHANGE : 0n)),
    coinFee: rate * COIN,
    leastChange: rate * COIN > 294n ? rate * COIN : 294n,
    headroom: () => 0n,
    utxosMax: 1_000,
    ...changes,
  };
}

interface Named {
  readonly name: number;
  readonly units: bigint;
}

const named = (...units: readonly bigint[]): readonly Named[] =>
  units.map((each, name) => ({ name, units: each }));
const sumOf = (utxos: readonly Named[]): bigint => utxos.reduce((sum, { units }) => sum + units, 0n);

const coinSet = fc
  .array(fc.oneof(fc.bigInt({ min: 1n, max: 20_000n }), fc.bigInt({ min: 1n, max: 10n ** 12n })), {
    maxLength: 40,
  })
  .map((units) => named(...units));
const purchase = fc.record({
  utxos: coinSet,
  amount: fc.oneof(fc.bigInt({ min: 1n, max: 50_000n }), fc.bigInt({ min: 1n, max: 10n ** 12n })),
  rate: fc.bigInt({ min: 1n, max: 400n }),
  headroom: fc.bigInt({ min: 0n, max: 10_000n }),
  utxosMax: fc.integer({ min: 1, max: 50 }),
});

describe('UTXO selection', () => {
  test('no UTXO is chosen twice, and none that costs more to spend than it is', () => {
    fc.assert(
      fc.property(purchase, ({ utxos, amount, rate, headroom, utxosMax }) => {
        const costs = costsAt(rate, { headroom: () => headroom, utxosMax });
        const chosen = selectUtxos(utxos, amount, costs) ?? [];
        expect(new Set(chosen.map(({ name }) => name)).size).toBe(chosen.length);
        expect(chosen.length).toBeLessThanOrEqual(utxosMax);
        for (const utxo of chosen) {
          expect(utxos[utxo.name]).toBe(utxo);
          expect(utxo.units).toBeGreaterThan(costs.coinFee);
        }
      }),
    );
  });

  test('what is chosen pays the amount and the exact fee, and what is left is change that may be, or little', () => {
    fc.assert(
      fc.property(purchase, ({ utxos, amount, rate, headroom, utxosMax }) => {
        const costs = costsAt(rate, { headroom: () => headroom, utxosMax });
        const chosen = selectUtxos(utxos, amount, costs);
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

  test('null is answered only when even the most valuable UTXOs do not pay', () => {
    fc.assert(
      fc.property(purchase, ({ utxos, amount, rate, headroom, utxosMax }) => {
        const costs = costsAt(rate, { headroom: () => headroom, utxosMax });
        const chosen = selectUtxos(utxos, amount, costs);
        const best = utxos
          .filter(({ units }) => units > costs.coinFee)
          .toSorted((a, b) => Number(b.units - a.units))
          .slice(0, utxosMax);
        const pays = best.length > 0 && sumOf(best) >= amount + costs.fee(best.length, false);
        expect(chosen !== null).toBe(pays);
      }),
    );
  });

  test('change has its headroom whenever one UTXO more gives it that', () => {
    fc.assert(
      fc.property(purchase, ({ utxos, amount, rate, headroom }) => {
        const costs = costsAt(rate, { headroom: () => headroom });
        const chosen = selectUtxos(utxos, amount, costs);
        if (chosen === null) return;
        const change = sumOf(chosen) - amount - costs.fee(chosen.length, true);
        if (change < costs.leastChange || change >= costs.leastChange + headroom) return;
        const worth = utxos.filter(({ units }) => units > costs.coinFee);
        expect(sumOf(worth)).toBeLessThan(
          amount + costs.fee(worth.length, true) + costs.leastChange + headroom,
        );
      }),
    );
  });

  test('UTXOs that fit exactly are preferred to change', () => {
    const costs = costsAt(10n);
    const exact = 100_000n + costs.fee(2, false);
    const utxos = named(5_000_000n, exact - 40_000n, 90_000n, 40_000n, 7_000n);
    expect(selectUtxos(utxos, 100_000n, costs)?.map(({ units }) => units)).toEqual([
      exact - 40_000n,
      40_000n,
    ]);
  });

  test('a crowd of small UTXOs that fits is not preferred to one UTXO with change', () => {
    const costs = costsAt(100n);
    const small = Array.from({ length: 30 }, () => 10_000n + costs.coinFee);
    const amount = 300_000n - costs.fee(0, false);
    const chosen = selectUtxos(named(9_000_000n, ...small), amount, costs);
    expect(chosen?.map(({ units }) => units)).toEqual([9_000_000n]);
  });

  test('of single UTXOs that suffice the smallest is taken, and else the largest first', () => {
    const costs = costsAt(1n);
    const utxos = named(10_000n, 80_000n, 60_000n, 3_000_000n, 2_000_000n);
    expect(selectUtxos(utxos, 50_000n, costs)?.map(({ units }) => units)).toEqual([60_000n]);
    expect(selectUtxos(utxos, 3_500_000n, costs)?.map(({ units }) => units)).toEqual([
      3_000_000n,
      2_000_000n,
    ]);
    expect(selectUtxos(utxos, 3_040_000n, costs)?.map(({ units }) => units)).toEqual([3_000_000n, 60_000n]);
  });

  test('no more UTXOs are chosen than a transaction can spend, with change or without', () => {
    const costs = costsAt(1n, { utxosMax: 2 });
    expect(selectUtxos(named(40_000n, 40_000n, 40_000n), 100_000n, costs)).toBeNull();
    const exact = 90_000n + costs.fee(3, false);
    expect(selectUtxos(named(30_000n, 30_000n, exact - 60_000n), 90_000n, costs)).toBeNull();
  });

  test('a UTXO that pays all to the last unit is enough', () => {
    const costs = costsAt(1n, { leastChange: 50_000n });
    const enough = 100_000n + costs.fee(1, true) + costs.leastChange;
    expect(selectUtxos(named(90_000n, enough), 100_000n, costs)?.map(({ units }) => units)).toEqual([enough]);
  });

  test('of the sets without change the one that leaves least is taken', () => {
    const costs = costsAt(10n);
    const exact = 100_000n + costs.fee(1, false);
    const utxos = named(exact + 500n, exact + 100n, exact + 300n);
    expect(selectUtxos(utxos, 100_000n, costs)?.map(({ units }) => units)).toEqual([exact + 100n]);
  });

  test('a search that finds nothing ends, and the fallback answers', () => {
    const utxos = named(...Array.from({ length: 3_000 }, (_, index) => 1_000_000n + 2n * BigInt(index ** 2)));
    expect(selectUtxos(utxos, 777_777_777n, costsAt(1n))).not.toBeNull();
  });
});
