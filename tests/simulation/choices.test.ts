/**
 * However a customer goes to and fro between currencies: the one payment that comes is credited at
 * the price of what it paid.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Invoice } from '../../src/domain/invoices/invoice-record.ts';
import { stageCheckout } from '../support/http/checkout-stage.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

const SEED = Number(process.env.CHOICES_SEED ?? 20_260_715);
const HISTORIES = Number(process.env.CHOICES_HISTORIES ?? 40);
const PATIENCE_MS = 30_000;
const COINS = [
  ...['eth_ethereum', 'usdt_ethereum', 'usdc_base', 'eth_base'],
  ...['usdt_tron', 'trx_tron', 'btc_bitcoin', 'xrp_xrp'],
];

const history = fc.record({
  named: fc.boolean(),
  choices: fc.array(
    fc.record({
      asset: fc.constantFrom(...COINS),
      /** In percent of the rates at the start, from this choice on. */
      rates: fc.bigInt({ min: 40n, max: 250n }),
      /** A payment for the present choice that disappears again before the next one. */
      lost: fc.nat(4).map((one) => one === 0),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  paid: fc.nat(1_000),
  permille: fc.constantFrom(1_000n, 1_000n, 400n, 1_500n),
});

describe.skipIf(!needs('postgres', postgresAvailable()))('any sequence of choices and one payment', () => {
  const { stage, merchant } = stageCheckout();

  test(
    `credit what was paid at the price it was first shown at (seed ${SEED})`,
    async () => {
      let changed = 0;
      await fc.assert(
        fc.asyncProperty(history, async ({ named, choices, paid, permille }) => {
          stage.setRates(100n);
          const open = await merchant.create({
            accepted_coins: COINS,
            ...(named ? { asset: 'usdt_tron' } : {}),
          });
          /** As each asset's page was first shown. */
          const pages = new Map<string, Invoice>(named ? [['usdt_tron', open]] : []);
          for (const { asset, rates, lost } of choices) {
            stage.setRates(rates);
            const page = await stage.choose(open, asset);
            if (!pages.has(asset)) pages.set(asset, page);
            expect([page.price, page.addressTo]).toEqual([
              pages.get(asset)!.price,
              pages.get(asset)!.addressTo,
            ]);
            if (lost) await stage.lose(await stage.sight(page));
          }
          const present = await stage.read(open.id);
          expect(present.initialAsset).toBe([...pages.keys()][0]!);
          expect(present.earlierChoices).toHaveLength(pages.size - 1);
          for (const count of Object.values(await stage.addressesOf(present))) expect(count).toBe(1);

          const page = [...pages.values()][paid % pages.size]!;
          const due = page.price!.dueUnits;
          if (page.price!.asset !== present.price!.asset) changed += 1;
          await stage.finish(await stage.sight(page, { units: (due * permille) / 1_000n }));
          const end = await stage.read(open.id);
          expect(end).toMatchObject({
            ...{ price: page.price, addressTo: page.addressTo, initialAsset: present.initialAsset },
            status: permille < 1_000n ? 'partially_paid' : permille > 1_000n ? 'paid_over' : 'success',
            funds: { pendingUnits: 0n, creditedUnits: (due * permille) / 1_000n, heldUnits: 0n },
          });
          await stage.booksAreRight();
        }),
        { seed: SEED, numRuns: HISTORIES, interruptAfterTimeLimit: PATIENCE_MS },
      );
      console.log(`seed ${SEED}: ${changed} payments for an earlier choice`);
      expect(changed).toBeGreaterThan(0);
    },
    PATIENCE_MS + 30_000,
  );
});
