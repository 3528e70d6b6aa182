/** Claims to refunds in memory, with the payouts that pay them. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { RefundClaim } from '../../../../src/domain/payouts/refund-claim.ts';
import type {
  ClaimWithPayout,
  RefundClaimQueries,
  RefundClaimRepository,
} from '../../../../src/ports/payouts/refund-claim-repository.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';

export function refundClaimRepository({ tables }: MemoryStore): RefundClaimRepository {
  const { refundClaims: c, payouts: p, deposits: d } = tables;
  const find = async (id: string): Promise<RefundClaim | null> => c.find(id) ?? null;
  return {
    async insert(claim) {
      checkClaim(claim);
      c.insert(claim);
    },
    async isStanding({ invoiceId, depositId }) {
      const rows =
        depositId === null
          ? c.by('invoiceId', invoiceId).filter((row) => invoiceId !== null && row.depositId === null)
          : c.by('depositId', depositId);
      return rows.some(({ status }) => status === 'open' || status === 'confirmed' || status === 'sent');
    },
    find,
    lock: find,
    async save({ id, status, address, payoutId, expiresAt, updatedAt }) {
      const there = c.find(id);
      const row = theOnly(there ? [there] : [], `save of refund claim ${id}`);
      const changes = { status, address, payoutId, expiresAt, updatedAt };
      checkClaim({ ...row, ...changes });
      c.update(row, changes);
    },
    payouts: async (id) => p.by('refundClaimId', id).length,
    async creditedUnits(id) {
      const depositId = c.find(id)?.depositId ?? null;
      const deposit = depositId === null ? undefined : d.find(depositId);
      return deposit?.status === 'credited' ? deposit.units : 0n;
    },
    lockOverdue: async (now, limit) =>
      c
        .by('status', 'open')
        .filter(({ expiresAt }) => expiresAt.getTime() <= now.getTime())
        .sort((a, b) => byTime(a.expiresAt, b.expiresAt) || byText(a.id, b.id))
        .slice(0, limit),
    async countOpen(assets) {
      const among = new Set(assets);
      return c.by('status', 'open').filter(({ sandbox, asset }) => !sandbox && among.has(asset)).length;
    },
    async endOpen({ assets, at }) {
      const among = assets === null ? null : new Set(assets);
      const open = c
        .by('status', 'open')
        .filter(
          ({ expiresAt, asset }) =>
            expiresAt.getTime() > at.getTime() && (among === null || among.has(asset)),
        );
      for (const row of open) c.update(row, { expiresAt: at });
    },
  };
}

function checkClaim({
  id,
  subject,
  depositId,
  invoiceId,
  units,
  status,
  address,
  payoutId,
}: RefundClaim): void {
  const isTaken = status === 'confirmed' || status === 'sent' || status === 'paid';
  check(
    'refund_claims_confirmed',
    (address === null) === (payoutId === null) && (payoutId !== null) === isTaken,
  );
  check('refund_claims_id', /^[0-9a-f]{24}$/.test(id));
  check(
    'refund_claims_of',
    (subject === 'deposit') === (depositId !== null) && (subject === 'deposit' || invoiceId !== null),
  );
  check('refund_claims_units', units > 0n);
}

export function refundClaimQueries({ tables }: MemoryStore): RefundClaimQueries {
  const { refundClaims: c, payouts: p } = tables;
  const withPayout = (claim: RefundClaim): ClaimWithPayout => {
    const row = claim.payoutId === null ? undefined : p.find(claim.payoutId);
    return { claim, payout: row === undefined ? null : payoutFromRow(row) };
  };
  const first = (claim: RefundClaim | undefined): ClaimWithPayout | null =>
    claim === undefined ? null : withPayout(claim);
  const isOwned = (claim: RefundClaim, owner: Pick<RefundClaim, 'merchantId' | 'sandbox'>): boolean =>
    claim.merchantId === owner.merchantId && claim.sandbox === owner.sandbox;
  const newestFirst = (a: RefundClaim, b: RefundClaim) => byText(b.id, a.id);
  return {
    async refundClaim(owner, id) {
      const claim = c.find(id);
      return claim !== undefined && isOwned(claim, owner) ? withPayout(claim) : null;
    },
    refundClaims: async (owner, invoiceId) =>
      c
        .by('invoiceId', invoiceId)
        .filter((claim) => isOwned(claim, owner))
        .sort(newestFirst)
        .map(withPayout),
    anyRefundClaim: async (id) => first(c.find(id)),
    checkoutClaim: async (invoiceId) =>
      first(
        c
          .by('invoiceId', invoiceId)
          .filter(({ onCheckout }) => onCheckout)
          .sort(newestFirst)[0],
      ),
  };
}
