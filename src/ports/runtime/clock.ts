/** The only source of the present time for domain and app code. */
export interface Clock {
  /** The present instant. Implementations may run ahead of or behind the wall clock in tests. */
  now(): Date;
}
