/** The CHECKs of the table `payouts`: a row that breaks one is refused as PostgreSQL refuses it. */
import type { PayoutRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { payouts } from '../../../../src/adapters/postgres/schema/payouts.ts';
import { check } from '../store/checks.ts';

type Row = PayoutRow & Pick<typeof payouts.$inferSelect, 'seq'>;

/** By name, in the order of names, as PostgreSQL evaluates them. */
const CHECKS: readonly (readonly [name: string, holds: (row: Row) => boolean])[] = [
  ['payouts_amounts', hasAmounts],
  ['payouts_failure', ({ failure, status }) => (failure !== null) === (status === 'failed')],
  ['payouts_held', ({ held, heldCode }) => (held === null) === (heldCode === null)],
  ['payouts_held_while_pending', ({ held, status }) => held === null || status === 'pending'],
  ['payouts_id', ({ id }) => /^[0-9a-f]{24}$/.test(id)],
  [
    'payouts_kind',
    ({ kind, invoiceId, refundClaimId }) =>
      (kind === 'refund') === (invoiceId !== null || refundClaimId !== null),
  ],
  ['payouts_ordered_by', ({ orderedBy, kind }) => orderedBy === null || kind === 'refund'],
  [
    'payouts_processed_when_final',
    ({ processedAt, status }) => (processedAt === null) === (status === 'pending' || status === 'processing'),
  ],
  ['payouts_seq', ({ seq, kind }) => (seq !== null) === (kind === 'payout') && (seq === null || seq >= 1n)],
  ['payouts_txid', hasTransaction],
  [
    'payouts_waiting',
    ({ waiting, waitingCode, triedAt }) =>
      (waiting === null) === (waitingCode === null) && (waiting === null) === (triedAt === null),
  ],
];

function hasAmounts(row: Row): boolean {
  if (row.amountUnits <= 0n || row.sentUnits <= 0n || row.sentUnits > row.amountUnits) return false;
  return [
    ...[row.feeUnits, row.feeMicroUsd, row.energyFeeMicroUsd, row.amountMicroUsd, row.reservedMicroUsd],
    ...[row.extraGas, row.wastedFeeUnits, row.wastedFeeMicroUsd],
  ].every((amount) => amount === null || amount >= 0n);
}

function hasTransaction({ status, txid, txHashes }: Row): boolean {
  if (txid === null) return status !== 'processing' && status !== 'success';
  return txHashes.includes(txid);
}

export function checkPayout(row: Row): void {
  for (const [constraint, holds] of CHECKS) check(constraint, holds(row));
}
