/** The last change of what the API shows of an invoice or a payout: `updated_at`. */

export interface DatedRecord {
  readonly createdAt: Date;
  readonly processedAt: Date | null;
  /** Null before the first change, and for changes from before this column. */
  readonly updatedAt: Date | null;
}

export function lastChange({ createdAt, processedAt, updatedAt }: DatedRecord): Date {
  return updatedAt ?? processedAt ?? createdAt;
}

/**
 * The time of a change at `at`, never earlier than the one before, even if a clock was set back.
 */
export function changedAt(record: DatedRecord, at: Date): Date {
  const before = lastChange(record);
  return at > before ? at : before;
}
