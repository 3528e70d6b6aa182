/**
 * The contract of InvoiceRepository for expiry: it finds exactly the ended invoices, and ends them
 * in sets.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decide, type InvoiceStatus } from '../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { DueInvoice, ExpiryQuery } from '../../../src/ports/invoices/invoice-repository.ts';
import { anAddress, anInvoice, aPrice, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

const PARTLY = { pendingUnits: 0n, creditedUnits: 5n, heldUnits: 0n };
const PAST = secondsAfter(-60);

interface Case {
  readonly sandbox: boolean;
  readonly status: Extract<InvoiceStatus, 'created' | 'confirming' | 'partially_paid'>;
  readonly billingType: 'STATIC' | 'VARY';
  readonly expiredSeconds: number;
  readonly asset: string | null;
  readonly earlier: string | null;
}

const CASE: fc.Arbitrary<Case> = fc.record({
  sandbox: fc.constantFrom(false, false, true),
  status: fc.constantFrom('created', 'created', 'partially_paid', 'confirming'),
  billingType: fc.constantFrom('STATIC', 'STATIC', 'VARY'),
  expiredSeconds: fc.constantFrom(100, 60, 0, -1),
  asset: fc.constantFrom('usdt_ethereum', 'btc_bitcoin', 'eth_base', null),
  earlier: fc.constantFrom(null, null, 'usdt_tron', 'ltc_litecoin'),
});
/** Seconds before now until when a chain was read; null: never read, undefined: not watched. */
const READ = fc.record({
  ethereum: fc.constantFrom(undefined, null, 101, 60, 0),
  bitcoin: fc.constantFrom(undefined, null, 100, 60, -30),
  tron: fc.constantFrom(undefined, null, 61, 0),
});

/** Always tested: an invoice whose own chain was read, and whose earlier choice's was not. */
const EARLIER_UNREAD: [Case[], { ethereum: 0; bitcoin: undefined; tron: null }] = [
  [
    {
      ...{ sandbox: false, status: 'created', billingType: 'STATIC', expiredSeconds: 60 },
      ...{ asset: 'usdt_ethereum', earlier: 'usdt_tron' },
    },
  ],
  { ethereum: 0, bitcoin: undefined, tron: null },
];

/** ExpiryQuery of src/ports/invoices/invoice-repository.ts, in plain code. */
function isOver(of: Case, read: Readonly<Record<string, number | null | undefined>>): boolean {
  if (of.expiredSeconds < 0) return false;
  const waitsFor = (asset: string | null) => {
    const until = read[asset?.split('_')[1] ?? ''];
    return until === null || (until !== undefined && until > of.expiredSeconds);
  };
  const asset = of.asset === null ? null : of.asset;
  if (of.sandbox) return true;
  // Without an asset it waits for the chain that was read furthest (K7).
  const times = Object.values(read).flatMap((until) => until ?? []);
  if (asset === null && of.status === 'created' && Math.min(...times, Infinity) > of.expiredSeconds)
    return times.length === 0;
  return !waitsFor(asset) && !(asset !== null && of.status === 'created' && waitsFor(of.earlier));
}

function invoiceOf(merchantId: string, of: Case): Invoice {
  const { sandbox, status, asset, earlier } = of;
  const billingType = of.billingType;
  const priced = asset !== null || status !== 'created';
  const ended = status === 'partially_paid' && billingType === 'VARY';
  const funds = { created: {}, confirming: { pendingUnits: 5n }, partially_paid: PARTLY }[status];
  return anInvoice({
    ...{ merchantId, sandbox, status, billingType, customerChooses: true },
    price: priced ? aPrice({ asset: asset ?? 'usdt_ethereum' }) : null,
    funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n, ...funds },
    expiresAt: secondsAfter(-of.expiredSeconds),
    processedAt: ended ? NOW : null,
    earlierChoices:
      priced && earlier !== null
        ? [{ price: aPrice({ asset: earlier }), addressTo: anAddress(), permanentAddressId: null }]
        : [],
  });
}

export function describeInvoiceExpiry(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: invoices whose time has passed`, () => {
    const storage = openedFor(open);
    const insert = (...invoices: Invoice[]) =>
      storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert(invoice);
      });
    const find = (id: string) => storage.run((r) => r.invoices.find(id));
    const query = (coveredUntil: [string, Date | null][] = [], limit = 10_000): ExpiryQuery => ({
      now: NOW,
      coveredUntil: new Map(coveredUntil),
      limit,
      among: null,
    });
    const expire = (...given: Parameters<typeof query>) =>
      storage.run((r) => r.invoices.expireUnpaid(query(...given)));
    const overduePartlyPaid = async (...given: Parameters<typeof query>) =>
      (await storage.run((r) => r.invoices.lockOverduePartlyPaid(query(...given)))).map(({ id }) => id);

    test('W3: unpaid ones are ended as the domain decides it, oldest first, and nothing else is', async () => {
      const { id: merchantId } = await storage.merchant();
      const [younger, older] = [
        anInvoice({ merchantId, expiresAt: NOW, version: 3 }),
        anInvoice({ merchantId, expiresAt: PAST, price: aPrice({ asset: 'usdt_tron' }) }),
      ];
      const later = anInvoice({ merchantId, expiresAt: secondsAfter(1) });
      await insert(younger, older, later);
      expect(await expire([], 1)).toEqual([older.id]);
      expect(await expire()).toEqual([younger.id]);
      expect(await expire()).toEqual([]);
      for (const invoice of [younger, older]) {
        const { next } = decide(invoice, { type: 'ttl_passed', at: NOW });
        expect(await find(invoice.id)).toEqual({ ...invoice, ...next, updatedAt: NOW });
      }
      expect(await find(later.id)).toEqual(later);
    });

    test('W3: those paid in part are found, STATIC ones only, oldest first', async () => {
      const { id: merchantId } = await storage.merchant();
      const partly = { merchantId, status: 'partially_paid', funds: PARTLY } as const;
      const younger = anInvoice({ ...partly, expiresAt: NOW });
      const older = anInvoice({ ...partly, expiresAt: PAST });
      const vary = anInvoice({ ...partly, billingType: 'VARY', expiresAt: PAST, processedAt: PAST });
      await insert(younger, older, vary);
      expect(await overduePartlyPaid()).toEqual([older.id, younger.id]);
      expect(await overduePartlyPaid([], 1)).toEqual([older.id]);
      expect(await expire()).toEqual([]);
    });

    test('W3: what is over is what the rule says, for any assets, choices, chains and times', async () => {
      const { id: merchantId } = await storage.merchant();
      await fc.assert(
        fc.asyncProperty(fc.array(CASE, { minLength: 1, maxLength: 8 }), READ, async (cases, read) => {
          const invoices = cases.map((of) => invoiceOf(merchantId, of));
          await insert(...invoices);
          const covered = Object.entries(read).flatMap(([chain, seconds]): [string, Date | null][] =>
            seconds === undefined ? [] : [[chain, seconds === null ? null : secondsAfter(-seconds)]],
          );
          const partly = new Set(await overduePartlyPaid(covered));
          const unpaid = new Set(await expire(covered));
          for (const [place, { id, price, status, billingType }] of invoices.entries()) {
            const of = cases[place] as Case;
            const over = isOver({ ...of, asset: price?.asset ?? null }, read);
            expect([id, unpaid.has(id), partly.has(id)]).toEqual([
              id,
              over && status === 'created',
              over && status === 'partially_paid' && billingType === 'STATIC',
            ]);
          }
        }),
        { numRuns: 40, examples: [EARLIER_UNREAD] },
      );
    });

    test('W3: some of them are listed in their order, page by page, and ended alone', async () => {
      const { id: merchantId } = await storage.merchant();
      const earliest = secondsAfter(-200_000);
      const sameTime = Array.from({ length: 3 }, () => anInvoice({ merchantId, expiresAt: earliest }));
      const last = anInvoice({ merchantId, expiresAt: secondsAfter(-199_999) });
      const partly = { status: 'partially_paid', funds: PARTLY, expiresAt: earliest } as const;
      const other = anInvoice({ ...partly, merchantId });
      const open = anInvoice({ merchantId, expiresAt: secondsAfter(1) });
      await insert(...sameTime, last, other, open);
      const due = (
        status: 'created' | 'partially_paid',
        limit: number,
        after: DueInvoice | null,
      ): Promise<readonly DueInvoice[]> =>
        storage.run(({ invoices }) => invoices.due(status, query([], limit), after));
      const [first = '', second = '', third = ''] = sameTime.map(({ id }) => id).toSorted();
      const page = await due('created', 2, null);
      expect(page).toEqual(
        [first, second].map((id) => ({ id, merchantId, status: 'created', expiresAt: earliest })),
      );
      const next = await due('created', 2, page[1] ?? null);
      expect(next.map(({ id }) => id)).toEqual([third, last.id]);
      expect((await due('partially_paid', 1, null)).map(({ id }) => id)).toEqual([other.id]);

      const only = (...among: string[]) => ({ ...query([], 1), among });
      expect(
        await storage.run(({ invoices }) =>
          invoices.expireUnpaid(only(last.id, third, other.id, open.id, 'unknown')),
        ),
      ).toEqual([third, last.id]);
      const cancelling = await storage.run(({ invoices }) =>
        invoices.lockOverduePartlyPaid(only(other.id, first)),
      );
      expect(cancelling.map(({ id }) => id)).toEqual([other.id]);
      expect((await due('created', 2, null)).map(({ id }) => id)).toEqual([first, second]);
      expect(await expire([], 2)).toEqual([first, second]);
    });

    test('are shared out between transactions that ask at once', async () => {
      const { id: merchantId } = await storage.merchant();
      const earliest = secondsAfter(-100_000);
      const invoices = Array.from({ length: 6 }, () => anInvoice({ merchantId, expiresAt: earliest }));
      await insert(...invoices);
      const taken = (await Promise.all([expire([], 3), expire([], 3), expire([], 3)])).flat();
      const rest = await expire();
      const ids = invoices.map(({ id }) => id);
      expect([...taken, ...rest].filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
    });
  });
}
