/** What needs a merchant's attention, in memory: all cases are made, and then counted or cut. */
import { lastChange } from '../../../../src/domain/chains/last-change.ts';
import {
  ATTENTION_CODES,
  ATTENTION_OF_STRAY,
  type AttentionCode,
} from '../../../../src/domain/console/attention.ts';
import {
  ATTENTION_REACH,
  type AttentionCase,
  type AttentionCounts,
  type AttentionQueries,
} from '../../../../src/ports/console/attention-queries.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

/** With the id of what it is about, for the order. */
type Found = readonly [id: string, of: AttentionCase];

export function attentionQueries(store: MemoryStore): AttentionQueries {
  return {
    attentionCounts: async (scope, from) => countsOf(casesOf(store, scope, from)),
    async attention(scope, { from, code, counts }, { page, perPage }) {
      const cases = casesOf(store, scope, from);
      const byCode = counts ?? countsOf(cases);
      const total =
        code === null ? Object.values(byCode).reduce((sum, count) => sum + count, 0) : byCode[code];
      const offset = (page - 1) * perPage;
      if (offset >= Math.min(total, ATTENTION_REACH)) return { rows: [], total };
      const rows = cases
        .filter(([, one]) => code === null || one.code === code)
        .sort(([a, one], [b, other]) => other.since.getTime() - one.since.getTime() || byText(b, a))
        .slice(offset, offset + perPage)
        .map(([, one]) => one);
      return { rows, total };
    },
  };
}

function countsOf(cases: readonly Found[]): AttentionCounts {
  const counts = Object.fromEntries(ATTENTION_CODES.map((code) => [code, 0])) as Record<
    AttentionCode,
    number
  >;
  for (const [, { code }] of cases) counts[code] += 1;
  return counts;
}

function casesOf(store: MemoryStore, scope: Scope, from: Date): Found[] {
  return [
    ...givenUp(store, scope, from),
    ...ofInvoices(store, scope, from),
    ...ofDeposits(store, scope),
    ...ofClaims(store, scope),
    ...ofPayouts(store, scope, from),
  ];
}

function aCase(
  { code, since }: Pick<AttentionCase, 'code' | 'since'>,
  about: Partial<AttentionCase>,
): AttentionCase {
  return {
    ...{ code, since, invoiceId: null, depositId: null, payoutId: null, claimId: null, deliveryId: null },
    ...{ strayReason: null, asset: null, units: null },
    ...about,
  };
}

const within = (row: Scope, { merchantId, sandbox }: Scope): boolean =>
  row.merchantId === merchantId && row.sandbox === sandbox;

function givenUp({ tables }: MemoryStore, scope: Scope, from: Date): Found[] {
  return tables.webhookQueue.by('merchantId', scope.merchantId).flatMap((row): Found[] => {
    if (row.sandbox !== scope.sandbox || row.deadAt === null || row.deadAt < from) return [];
    const { invoiceId, payoutId } = tables.webhookDeliveries.find(row.deliveryId)!;
    const about = { deliveryId: row.deliveryId, invoiceId, payoutId };
    return [[row.deliveryId, aCase({ code: 'webhook_given_up', since: row.deadAt }, about)]];
  });
}

function ofInvoices(store: MemoryStore, scope: Scope, from: Date): Found[] {
  const { invoices, refundClaims } = store.tables;
  const found: Found[] = [];
  for (const row of invoices.by('merchantId', scope.merchantId)) {
    const isOver = row.status === 'paid_over';
    if (row.sandbox !== scope.sandbox) continue;
    if (!isOver && row.status !== 'partially_paid' && row.status !== 'cancelled') continue;
    const since = lastChange(row);
    const claims = refundClaims.by('invoiceId', row.id).filter(({ depositId }) => depositId === null);
    if (since < from || claims.some(isStanding)) continue;
    const missing = row.dueUnits === null ? null : row.dueUnits - row.creditedUnits;
    const units = isOver && missing !== null ? -missing : missing;
    const code = isOver ? 'over' : 'partial';
    found.push([row.id, aCase({ code, since }, { invoiceId: row.id, asset: row.asset, units })]);
  }
  return found;
}

function ofDeposits(store: MemoryStore, scope: Scope): Found[] {
  const { deposits, refundClaims } = store.tables;
  const found: Found[] = [];
  for (const row of deposits.by('merchantId', scope.merchantId)) {
    const { id, status, invoiceId, strayReason, asset, units, firstSeenAt: since } = row;
    if (row.sandbox !== scope.sandbox) continue;
    const about = { invoiceId, depositId: id, asset, units };
    if (status === 'held') found.push([id, aCase({ code: 'high_risk', since }, about)]);
    if (status !== 'stray' || refundClaims.by('depositId', id).some(isStanding)) continue;
    const code = ATTENTION_OF_STRAY[strayReason!];
    found.push([id, aCase({ code, since }, { ...about, strayReason })]);
  }
  return found;
}

/** A claim that settles what it is about, or will. */
function isStanding({ status }: { readonly status: string }): boolean {
  return status === 'open' || status === 'confirmed' || status === 'sent' || status === 'paid';
}

function ofClaims({ tables }: MemoryStore, scope: Scope): Found[] {
  return tables.refundClaims
    .by('merchantId', scope.merchantId)
    .filter((row) => within(row, scope) && row.status === 'open')
    .map(({ id, createdAt: since, invoiceId, depositId, asset, units }) => [
      id,
      aCase({ code: 'refund_open', since }, { claimId: id, invoiceId, depositId, asset, units }),
    ]);
}

function ofPayouts({ tables }: MemoryStore, scope: Scope, from: Date): Found[] {
  const found: Found[] = [];
  for (const row of tables.payouts.by('merchantId', scope.merchantId)) {
    // Refunds have no number: they are the operator's.
    if (row.sandbox !== scope.sandbox || row.seq === null) continue;
    const about = { payoutId: row.id, asset: row.asset, units: row.amountUnits };
    if (row.held !== null) found.push([row.id, aCase({ code: 'held_payout', since: row.createdAt }, about)]);
    if (row.status === 'failed' && row.processedAt !== null && row.processedAt >= from)
      found.push([row.id, aCase({ code: 'failed_payout', since: row.processedAt }, about)]);
  }
  return found;
}
