/** Live or sandbox. */
export type Environment = 'live' | 'sandbox';
