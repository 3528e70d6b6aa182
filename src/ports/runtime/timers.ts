/** The only source of delays for domain and app code. */
export interface Timers {
  /** Runs `work` once, not before `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}
