/**
 * Random payments to random invoices, some of which fail on their way, and what is stored of them
 * in the end.
 */
import type { SQL } from 'bun';
import fc from 'fast-check';
import type { RiskScreener } from '../../../src/ports/deposits/risk-screener.ts';
import type { NewEntry } from '../../../src/ports/ledger-repository.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { rowsOf } from '../ledger/rows-of.ts';
import { COINS, type Coin, type SetsStage } from '../ledger/sets-stage.ts';
import type { Json } from '../test-service.ts';
import { oneByOne } from '../webhooks/one-by-one.ts';

/** Base units are a multiple of this; the rest says which entry about them fails. */
const GRAIN = 1_000n;
const FAULTS = { none: 0n, arrival: 7n, credit: 13n } as const;

export const paymentWorld = fc.record({
  invoices: fc.array(
    fc.record({
      merchant: fc.nat(1),
      asset: fc.constantFrom<Coin>('usdt_ethereum', 'usdt_ethereum', 'btc_bitcoin'),
      hasUrl: fc.boolean(),
    }),
    { minLength: 2, maxLength: 8 },
  ),
  payments: fc.array(
    fc.record({
      invoice: fc.nat(7),
      percent: fc.constantFrom(2n, 40n, 60n, 101n, 101n, 101n, 150n),
      fault: fc.constantFrom('none', 'none', 'none', 'none', 'arrival', 'credit'),
      verdict: fc.constantFrom('pass', 'pass', 'pass', 'hit', 'unavailable', 'fails'),
      /** After the others were credited. */
      later: fc.nat(4).map((one) => one === 0),
    }),
    { minLength: 4, maxLength: 16 },
  ),
});
export type PaymentWorld = typeof paymentWorld extends fc.Arbitrary<infer World> ? World : never;
type Payment = PaymentWorld['payments'][number];

/**
 * Takes all of it as far as it goes, then without the faults to its end; in sets, or one invoice
 * and one row at a time.
 */
export async function rowsAfter(
  stage: SetsStage,
  sql: SQL,
  { invoices: wanted, payments, inSets }: PaymentWorld & { inSets: boolean },
): Promise<Json> {
  const { journey, control, tampered, mine, poll, screen } = stage;
  const merchants = [
    await journey.it.merchant({ callbackUrl: 'https://shop.example/hook' }),
    await journey.it.merchant(),
  ];
  const invoices: Json[] = [];
  for (const { merchant, asset, hasUrl } of wanted) {
    const url = hasUrl ? { notify_url: 'https://shop.example/own' } : {};
    invoices.push(await stage.order(merchants[merchant]?.live ?? '', asset, url));
  }
  const verdicts = new Map<string, Payment['verdict']>();
  const pay = ({ invoice, percent, fault, verdict }: Payment) => {
    const { address_to: to, asset }: { address_to: string; asset: Coin } =
      invoices[invoice % invoices.length];
    const whole = (25n * COINS[asset].unitsPerUsd * percent) / 100n;
    const { txid } = control(asset).pay({ to, asset, units: whole - (whole % GRAIN) + FAULTS[fault] });
    verdicts.set(txid, verdict);
  };
  const judge: RiskScreener = {
    async screen({ txid }) {
      const verdict = verdicts.get(txid) ?? 'pass';
      if (verdict === 'fails') throw new Error('this one fails');
      return verdict === 'pass' ? { kind: 'pass' } : { kind: verdict, reason: 'this one' };
    },
  };
  /** Until everything that waited had its turn. */
  async function takeOn(work: () => Promise<unknown>, storage: typeof faulty): Promise<void> {
    if (inSets) return tampered(storage, work);
    const each = oneByOne();
    do {
      each.begin();
      await tampered((repositories) => each.wrap(storage(repositories)), work);
    } while (!each.isThrough());
  }
  const rows = () => rowsOf(sql, { merchants, invoices, txids: [...verdicts.keys()] });

  for (const later of [false, true]) {
    for (const payment of payments) if (payment.later === later) pay(payment);
    mine(1);
    await poll();
    mine(11);
    await takeOn(poll, faulty);
    await takeOn(() => screen(judge), faulty);
  }
  const asFarAsItGoes = await rows();
  await takeOn(poll, (repositories) => repositories);
  await takeOn(screen, (repositories) => repositories);
  return { asFarAsItGoes, inTheEnd: await rows() };
}

/** Refuses the entries that are to fail. */
function faulty({ ledger, ...others }: Repositories): Repositories {
  return {
    ...others,
    ledger: {
      ...ledger,
      post: async (entry) => ledger.post(sound(entry)),
      postAll: async (entries) => ledger.postAll(entries.map(sound)),
    },
  };
}

function sound(entry: NewEntry): NewEntry {
  const rest = entry.kind === 'deposit_arrived' ? FAULTS.arrival : FAULTS.credit;
  for (const { account, amount } of entry.postings)
    if (account === 'suspense' && (amount < 0n ? -amount : amount) % GRAIN === rest)
      throw new Error('the books refuse this one');
  return entry;
}
