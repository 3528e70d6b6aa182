/** What a background job of a worker is. */
export interface WorkerJob {
  readonly name: string;
  readonly everyMs: number;
  /** Calls `due` whenever there is a reason to run before that, until `stopping` is aborted. */
  listen?(due: () => void, stopping: AbortSignal): void;
  /** Once `stopping` is aborted it begins nothing more, and ends soon. */
  run(stopping?: AbortSignal): Promise<void>;
  readonly handsOnTo?: readonly string[];
}
