/**
 * What a transaction brought to our account: pure functions from checked answers. A payment counts
 * with the delivered amount of its metadata only. Any other increase of the balance is reported
 * apart, to be parked (safety.md X1 to X6).
 */
import { balanceChange, dropsOrNull, type LedgerTransaction } from '../codec/decode.ts';

export interface XrpArrival {
  /** `payment`: credited at finality. `unexplained`: parked (balance reconciliation). */
  readonly kind: 'payment' | 'unexplained';
  /** Drops, above zero. */
  readonly units: bigint;
  /** Destination tag; null when the sender gave none. */
  readonly tag: number | null;
  readonly from: string;
}

/**
 * A payment to `account` and, apart from it, other income: an escrow finished, a check cashed, an
 * account deleted (X6), a payment whose delivered amount is missing, `unavailable` or more than
 * what arrived (X2). Empty for a transaction that only cost its fee (X3), or that moved an issued
 * currency under any name (X4): neither changes the balance.
 */
export function arrivalsOf(transaction: LedgerTransaction, account: string): readonly XrpArrival[] {
  const { fields, meta, result } = transaction;
  if (result !== 'tesSUCCESS') return [];
  const change = balanceChange(meta, account);
  if (change === null || change <= 0n) return [];
  const place = { tag: tagOf(fields.DestinationTag), from: String(fields.Account) };
  const delivered = isPaymentTo(fields, account) ? dropsOrNull(meta.delivered_amount) : null;
  if (delivered === null || delivered === 0n || delivered > change)
    return [{ kind: 'unexplained', units: change, ...place }];
  const payment: XrpArrival = { kind: 'payment', units: delivered, ...place };
  if (delivered === change) return [payment];
  return [payment, { kind: 'unexplained', units: change - delivered, ...place }];
}

function isPaymentTo(fields: LedgerTransaction['fields'], account: string): boolean {
  return fields.TransactionType === 'Payment' && fields.Destination === account && fields.Account !== account;
}

/** Tag 0 counts as a tag. */
function tagOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
