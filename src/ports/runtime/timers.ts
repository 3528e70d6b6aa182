/** The only source of delays for domain and app code. */
export interface Timers {
  /** Runs `work` once, not before `ms` milliseconds; answers how to cancel it. */
  after(ms: number, work: () => void): () => void;
}
