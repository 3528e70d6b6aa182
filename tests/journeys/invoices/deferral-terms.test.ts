/**
 * Payments under 2 USD against real terms: commission, who bears it, price modifier and tolerance
 * (decision 0006). What is due is read from the API's answers; whether a payment waits is worked
 * out here from the specification's words.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

const ASSET = 'usdt_ethereum';
/** Of the asset, which is worth a dollar. */
const TWO_USD = 2_000_000n;

interface Terms {
  readonly bearer: 'client' | 'merchant';
  readonly modifier: number | null;
  readonly tolerance: number;
  readonly rich: boolean;
}

const TERMS: readonly Terms[] = (['client', 'merchant'] as const).flatMap((bearer) =>
  [null, -85, -20, 30].flatMap((modifier) =>
    [0, 10].flatMap((tolerance) => [true, false].map((rich) => ({ bearer, modifier, tolerance, rich }))),
  ),
);

describe.skipIf(!needs('postgres', postgresAvailable()))('payments under 2 USD', () => {
  const clock = testClock();
  let it: TestService;
  let screened = 0;
  /** With 5 % commission, and with 1 %. */
  let merchants: Readonly<Record<'rich' | 'poor', string>>;

  beforeAll(async () => {
    it = await startTestService({
      env: { CHAINS: 'fake' },
      file: { assets: { [ASSET]: { min_amount_usd: '0.1' } } },
      chains: ['ethereum'],
      overrides: {
        clock,
        riskScreener: {
          screen: async () => {
            screened += 1;
            return { kind: 'pass' };
          },
        },
      },
    });
    const [rich, poor] = [await it.merchant({ commissionPpm: 50_000n }), await it.merchant()];
    merchants = { rich: rich.live, poor: poor.live };
    await it.settle();
  });
  afterAll(() => it.stop());

  const chain = () => it.service.chains.fakes!.get('ethereum')!.control;
  const unitsOf = (amount: number): bigint => BigInt(Math.round(amount * 1e6));
  const keyOf = ({ rich }: Terms): string => (rich ? merchants.rich : merchants.poor);

  async function create(terms: Terms, body: Json = {}): Promise<Json> {
    const answer = await it.call(keyOf(terms), 'POST', '/api/v2/invoices', {
      ...{ amount: 2.5, fiat_currency: 'USD', asset: ASSET, ttl: 3_600 },
      ...{ fee_bearer: terms.bearer, underpay_tolerance: terms.tolerance },
      ...(terms.modifier === null ? {} : { price_modifier: terms.modifier }),
      ...body,
    });
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result;
  }
  const pay = (invoice: Json, units: bigint) => chain().pay({ to: invoice.address_to, asset: ASSET, units });
  async function settled(): Promise<void> {
    chain().mine(13);
    await it.settle();
  }
  async function standing(invoice: Json) {
    const found = await it.service.dependencies.unitOfWork.run((r) => r.invoices.find(invoice.order_id));
    if (!found) throw new Error('the invoice is gone');
    const { pendingUnits, creditedUnits } = found.funds;
    return { status: found.status, pendingUnits, creditedUnits };
  }
  /** The least that covers it: amount x (1 - tolerance / 100), rounded up. */
  const covering = (dueUnits: bigint, { tolerance }: Terms): bigint =>
    (dueUnits * BigInt(100 - tolerance) + 99n) / 100n;

  test('wait unless they cover what is due with its modifier and commission, less the tolerance', async () => {
    const cases = [];
    for (const terms of TERMS) {
      const due = unitsOf((await create(terms)).amount);
      const least = covering(due, terms);
      for (const units of new Set([TWO_USD - 1n, TWO_USD, least - 1n, least, due])) {
        const invoice = await create(terms);
        expect(unitsOf(invoice.amount)).toBe(due);
        pay(invoice, units);
        const covers = units * 100n >= due * BigInt(100 - terms.tolerance);
        cases.push({ terms, invoice, units, due, covers, waits: units < TWO_USD && !covers });
      }
    }
    // The table is worth its while: both answers occur under 2 USD, and above.
    expect(cases.filter(({ waits }) => waits).length).toBeGreaterThan(20);
    expect(cases.filter(({ units, covers }) => units < TWO_USD && covers).length).toBeGreaterThan(20);
    expect(cases.filter(({ units, covers }) => units >= TWO_USD && !covers).length).toBeGreaterThan(10);
    const before = screened;
    await settled();
    for (const { terms, invoice, units, due, covers, waits } of cases) {
      const status = covers ? (units > due ? 'paid_over' : 'success') : 'partially_paid';
      expect([terms, units, await standing(invoice)]).toEqual([
        terms,
        units,
        waits
          ? { status: 'created', pendingUnits: units, creditedUnits: 0n }
          : { status, pendingUnits: 0n, creditedUnits: units },
      ]);
    }
    // The risk check is not asked about what waits.
    expect(screened - before).toBe(cases.filter(({ waits }) => !waits).length);
    expect(await it.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
  });

  test('are carried along by a later one, and credit together what one payment of the sum would', async () => {
    const feed = async (terms: Terms, invoice: Json): Promise<readonly Json[]> =>
      (await it.call(keyOf(terms), 'GET', '/api/v2/ledger?type=income&per_page=100')).body.result.filter(
        (line: Json) => line.reference_id === invoice.order_id,
      );
    const pairs = [];
    for (const terms of TERMS.filter(({ modifier }) => modifier === null || modifier === 30)) {
      const [parts, whole] = [await create(terms), await create(terms)];
      const due = unitsOf(parts.amount);
      pay(parts, 1_234_567n);
      pairs.push({ terms, parts, whole, due });
    }
    await settled();
    for (const { parts, whole, due } of pairs) {
      expect(await standing(parts)).toMatchObject({ status: 'created', creditedUnits: 0n });
      pay(parts, due - 1_234_567n);
      pay(whole, due);
    }
    await settled();
    for (const { terms, parts, whole, due } of pairs) {
      for (const invoice of [parts, whole])
        expect(await standing(invoice)).toEqual({ status: 'success', pendingUnits: 0n, creditedUnits: due });
      const [ofParts, ofWhole] = [await feed(terms, parts), await feed(terms, whole)];
      const sum = (lines: readonly Json[], of: 'amount' | 'fee') =>
        lines.reduce((total, line) => total + unitsOf(line[of]), 0n);
      expect([ofParts.length, ofWhole.length]).toEqual([2, 1]);
      expect(sum(ofParts, 'amount')).toBe(sum(ofWhole, 'amount'));
      expect(sum(ofParts, 'amount') + sum(ofParts, 'fee')).toBe(due);
      // Commission on top gives the merchant what was asked for; else it is taken off that.
      const asked = terms.modifier === null ? 2_500_000n : 3_250_000n;
      const commission = (asked * (terms.rich ? 50_000n : 10_000n)) / 1_000_000n;
      expect(sum(ofWhole, 'amount')).toBe(terms.bearer === 'client' ? asked : asked - commission);
    }
  });

  test('after a credited part wait again, until they are two dollars together or cover the rest', async () => {
    const terms: Terms = { bearer: 'client', modifier: null, tolerance: 0, rich: false };
    const [many, rest] = [await create(terms, { amount: 10 }), await create(terms, { amount: 10 })];
    for (const invoice of [many, rest]) pay(invoice, 5_000_000n);
    await settled();
    pay(many, 1_500_000n);
    await settled();
    expect(await standing(many)).toEqual({
      status: 'partially_paid',
      pendingUnits: 1_500_000n,
      creditedUnits: 5_000_000n,
    });
    pay(many, 500_000n);
    // 10.1 are due: 3.2 and then the last 1.9.
    pay(rest, 3_200_000n);
    await settled();
    expect(await standing(many)).toEqual({
      status: 'partially_paid',
      pendingUnits: 0n,
      creditedUnits: 7_000_000n,
    });
    pay(rest, 1_900_000n);
    await settled();
    expect(await standing(rest)).toEqual({ status: 'success', pendingUnits: 0n, creditedUnits: 10_100_000n });
  });

  test('become strays when their invoice ends, whatever the terms, and nobody is told', async () => {
    const waiting = [];
    for (const terms of TERMS.filter(({ modifier, tolerance }) => modifier === 30 && tolerance === 10)) {
      const invoice = await create(terms);
      pay(invoice, TWO_USD - 1n);
      waiting.push(invoice);
    }
    await settled();
    clock.advance(3_700);
    chain().mine();
    await it.settle(3);
    const strays = await it.service.dependencies.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: false,
      limit: 1_000,
    });
    for (const invoice of waiting) {
      expect(await standing(invoice)).toMatchObject({ status: 'expired', creditedUnits: 0n });
      const own = strays.filter(({ address }) => address === invoice.address_to.toLowerCase());
      expect(own).toMatchObject([{ units: TWO_USD - 1n }]);
    }
  });
});
