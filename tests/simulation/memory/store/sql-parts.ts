/**
 * What the schema says in SQL, said again for tables in memory: the rows that partial unique
 * indexes are about, defaults and generated columns. A table that needs one that is not here cannot
 * be made.
 */
import { createHash } from 'node:crypto';
import { ACTIVE_SWEEP_STATUSES, OPEN_SWEEP_STATUSES } from '../../../../src/domain/sweeps/sweep.ts';

type Values = Readonly<Record<string, unknown>>;
export type Computed = (row: Values) => unknown;
type Test = (row: Values) => boolean;

const oneOf = (column: string, values: readonly string[]): Test => {
  const among = new Set<unknown>(values);
  return (row) => among.has(row[column]);
};
const isThere =
  (column: string): Test =>
  (row) =>
    row[column] !== null;
const isMissing =
  (column: string): Test =>
  (row) =>
    row[column] === null;
/** Entries of the ledger that no later entry took back. */
const standing =
  (...kinds: readonly string[]): Test =>
  (row) =>
    row.reversedBy === null && kinds.includes(row.kind as string);

/** By the name of the unique index. */
export const PARTIAL: Readonly<Record<string, Test>> = {
  addresses_of_invoice: isThere('invoiceId'),
  api_keys_one_active: isMissing('revokedAt'),
  api_keys_one_older: isThere('livesUntil'),
  capital_bookings_one_per_address: isThere('address'),
  capital_bookings_one_per_block: (row) => row.coin === null && row.address === null,
  credit_requests_one_open: oneOf('status', ['requested']),
  customer_mails_of_claim: isThere('refundClaimId'),
  customer_mails_once: isMissing('refundClaimId'),
  ledger_feed_by_seq: isThere('feedSeq'),
  ledger_one_arrival: standing('deposit_arrived'),
  ledger_one_credit_or_hold: standing('income', 'hold'),
  ledger_one_end_of_reserve: standing('payout_settled', 'refund_settled'),
  ledger_one_fee_charge: standing('payout_fee_charged', 'refund_fee_charged'),
  ledger_one_forward: standing('forward'),
  ledger_one_network_fee: standing('network_fee'),
  ledger_one_reserve: standing('payout_reserved', 'payout_retaken'),
  outgoing_transfers_one_per_reference: (row) => row.status !== 'failed' && row.voided === false,
  outgoing_transfers_one_per_sequence: (row) => row.takenOut === false,
  payouts_one_refund: (row) =>
    row.invoiceId !== null && row.status === 'pending' && (row.txHashes as unknown[]).length === 0,
  permanent_addresses_one_active: (row) => row.active === true,
  sweeps_one_active: oneOf('status', ACTIVE_SWEEP_STATUSES),
  sweeps_one_open: oneOf('status', OPEN_SWEEP_STATUSES),
  wallet_keys_one_wallet: isMissing('replacedAt'),
  webhook_deliveries_events: isThere('eventAt'),
  webhook_deliveries_one_per_transition: isThere('invoiceId'),
};

/** By `table.column`, where the schema's default is SQL. */
export const DEFAULTS: Readonly<Record<string, unknown>> = {
  'counters.removed': 0n,
  'merchant_brands.frame_ancestors': [],
  'outgoing_transfers.hot_fee_units': 0n,
  'payouts.extra_gas': 0n,
  'payouts.wasted_fee_micro_usd': 0n,
  'payouts.wasted_fee_units': 0n,
};

const digestOf =
  (column: string): Computed =>
  (row) => {
    const bytes = row[column] as Uint8Array | null;
    return bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
  };

/** By `table.column`. */
export const GENERATED: Readonly<Record<string, Computed>> = {
  'merchant_brands.logo_digest': digestOf('logo'),
  'payment_links.picture_digest': digestOf('picture'),
  'users.is_operator': (row) => row.operatorRole !== null,
};
