/** A background job of a worker. */
export interface WorkerJob {
  readonly name: string;
  readonly everyMs: number;
  /** Calls `due` whenever the job should run before its interval, until `stopping` is aborted. */
  listen?(due: () => void, stopping: AbortSignal): void;
  /** Starts nothing more once `stopping` is aborted, and ends soon. */
  run(stopping?: AbortSignal): Promise<void>;
  readonly handsOnTo?: readonly string[];
}
