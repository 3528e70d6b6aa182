/** Of the query port what pages of the checkout ask, over arrays. */
import { receivedUnits } from '../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  type Brand,
  type CheckoutPayment,
  CONFIRMATIONS_TOLD,
  type Logo,
} from '../../../src/ports/checkout/checkout-queries.ts';
import type { Queries, Scope } from '../../../src/ports/list-queries.ts';

export interface FakeTables {
  invoices: Invoice[];
  /** In order. */
  payments: (CheckoutPayment & { invoiceId: string })[];
  /** By merchant id. */
  brands: Map<string, Brand>;
  /** By digest. */
  logos: Map<string, Logo>;
}

export function emptyTables(): FakeTables {
  return {
    invoices: [],
    payments: [],
    brands: new Map(),
    logos: new Map(),
  };
}

export function isOf(scope: Scope, row: Scope): boolean {
  return row.merchantId === scope.merchantId && row.sandbox === scope.sandbox;
}

/** Tests of the API run on the real application (http-harness.ts). */
export async function notAsked(): Promise<never> {
  throw new Error('the application of the pages does not know this');
}

/** The same of whole lists. */
async function* notRead(): AsyncGenerator<never> {
  yield await notAsked();
}

/** `checkpoint` runs before every answer, for tests that make storage fail. */
export function fakeQueries(tables: FakeTables, checkpoint: () => void): Queries {
  const paymentsOf = (invoiceId: string): readonly CheckoutPayment[] =>
    tables.payments.filter((row) => row.invoiceId === invoiceId);
  return {
    async brand(merchantId) {
      checkpoint();
      return tables.brands.get(merchantId) ?? null;
    },
    merchantById: notAsked,
    lastNumbers: notAsked,
    async logo(digest) {
      checkpoint();
      return tables.logos.get(digest) ?? null;
    },
    async invoiceByExternalId(externalId) {
      checkpoint();
      return tables.invoices.find((row) => row.externalId === externalId) ?? null;
    },
    async liveStates(externalIds, seenLate) {
      checkpoint();
      const rows = tables.invoices.filter((row) => externalIds.includes(row.externalId));
      return new Map(rows.map((row) => [row.externalId, liveState(row, paymentsOf(row.id), seenLate)]));
    },
    async checkoutPayments(invoiceId) {
      checkpoint();
      return paymentsOf(invoiceId);
    },
    async checkoutStanding() {
      checkpoint();
      return { arrivals: false, addressGone: false };
    },
    hasLatePayment: notAsked,
    ...{
      invoice: notAsked,
      invoices: notAsked,
      payout: notAsked,
      payoutByUniqId: notAsked,
      usedUniqId: notAsked,
      payouts: notAsked,
      balance: notAsked,
    },
    ...{
      permanentAddress: notAsked,
      permanentAddresses: notAsked,
      ledger: notAsked,
      notifications: notAsked,
      events: notAsked,
      every: { invoices: notRead, payouts: notRead, ledger: notRead },
    },
    ...{
      paymentLink: notAsked,
      paymentLinks: notAsked,
      ...{ refundClaim: notAsked, refundClaims: notAsked, anyRefundClaim: notAsked },
      checkoutClaim: async () => null,
      paymentLinkBySlug: notAsked,
      linkPicture: notAsked,
      openOfLink: notAsked,
      takenOfLink: notAsked,
      oldestUnchosen: notAsked,
      lastOfLink: notAsked,
    },
    ...{ identity: notAsked, keyHashes: notAsked },
  };
}

function liveState(
  invoice: Invoice,
  payments: readonly CheckoutPayment[],
  seenLate: readonly string[],
): string {
  const paid = payments.map(({ txid, units, final, height, head }) => {
    const confirmations = height === null || head === null ? 0 : head - height + 1;
    return `${txid} ${units} ${final ? 'final' : Math.min(confirmations, CONFIRMATIONS_TOLD)}`;
  });
  const { id, version, status, price, funds } = invoice;
  const late = !invoice.sandbox && (price === null ? seenLate.join() : seenLate.includes(price.asset));
  const shown = [id, version, status, price?.asset, price?.dueUnits, receivedUnits(funds), ...paid, late];
  return new Bun.CryptoHasher('md5').update(shown.join(':')).digest('hex');
}
