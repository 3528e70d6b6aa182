/**
 * Compares the books with themselves. New entries are compared every hour, with all that they are
 * about; their sums are kept, and balances must equal them. A walk compares every row, in chunks of
 * bounded size, each in a snapshot of its own. It may be interrupted at any time, and goes on where
 * it was. Where a fault is found, every further run looks again until it is mended.
 */

export interface ReconciliationFault {
  readonly check: string;
  readonly reference: string;
  readonly expected: string;
  readonly found: string;
}

export interface BookChecks {
  /**
   * Faults in what was written since the last run, in the sums of all entries, and wherever there
   * was one before; of each check at most 1,000, and one more that says that there are others.
   * Reads no more, however many rows there are. With the time it also looks at recent rows that no
   * entry names, and says where no walk ended in 54 hours of service. New entries that cannot be
   * compared are a fault. Before a walk has summed up all entries it walks that far, and returns
   * early when `stopping` is aborted.
   */
  newFaults(now: Date | null, stopping?: AbortSignal): Promise<readonly ReconciliationFault[]>;
  /**
   * Begins a walk if the last one began before `dueSince`, even if it is not over, or after now;
   * else goes on with one that is under way. Returns what this call found. A phase that fails twice
   * at one place is passed over, and thrown at the end; where the database is away the call throws,
   * and the next one goes on there. Ends early when `stopping` is aborted, or another process
   * walks.
   */
  walkBooks(walk: {
    readonly now: Date;
    readonly dueSince: Date;
    readonly stopping?: AbortSignal | undefined;
  }): Promise<readonly ReconciliationFault[]>;
  /** Begins a walk, and waits for its end; then what is new. Empty if the books have no fault. */
  reconciliationFaults(now?: Date | null): Promise<readonly ReconciliationFault[]>;
}
