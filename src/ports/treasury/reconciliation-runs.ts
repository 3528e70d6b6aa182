/**
 * The hourly reconciliations of workers, stored so that every process can show the last one. Inside
 * UnitOfWork.run only.
 */

export interface ReconciliationRun {
  readonly at: Date;
  readonly agree: boolean;
  /** Places where the books disagree with themselves. */
  readonly faults: number;
  readonly chains: readonly {
    readonly chain: string;
    readonly differences: number;
    /** Whether it could be checked in all listed tokens. */
    readonly checked: boolean;
  }[];
}

export interface ReconciliationRuns {
  append(run: ReconciliationRun): Promise<void>;
  last(): Promise<ReconciliationRun | null>;
  forgetBefore(at: Date): Promise<void>;
}
