/** When what the API shows of an invoice or a payout was changed last: `updated_at`. */

export interface Dated {
  readonly createdAt: Date;
  readonly processedAt: Date | null;
  /** Null while nothing was changed, and of changes of before this was kept. */
  readonly updatedAt: Date | null;
}

export function lastChange({ createdAt, processedAt, updatedAt }: Dated): Date {
  return updatedAt ?? processedAt ?? createdAt;
}

/** The time of a change at `at`: a clock that was set back does not take it back. */
export function changedAt(record: Dated, at: Date): Date {
  const before = lastChange(record);
  return at > before ? at : before;
}
