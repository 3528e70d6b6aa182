/**
 * How many webhooks a receiver may have at once: few at first, one more with each answer in time,
 * half as many when it asks for less or says nothing, and no more once its answers take longer than
 * they have to (safety W1).
 */

/**
 * What an attempt met. `busy`: an answer that asks for less (429, 5xx). `none`: nobody was asked,
 * so nothing was learnt. `exhausted`: this process has run out of something.
 */
export interface AttemptMet {
  readonly answer: 'answered' | 'busy' | 'silent' | 'none' | 'exhausted';
  readonly tookMs: number;
}

export interface Window {
  readonly most: number;
  /** The last attempt was answered in time. */
  readonly trusted: boolean;
  /** The shortest answer, in milliseconds. */
  readonly fastestMs: number;
}

export interface WindowBounds {
  readonly first: number;
  readonly least: number;
  /** Where answers take seconds. */
  readonly slow: number;
  readonly most: number;
}

/** Of one merchant at one destination, and of all merchants there. */
export const LANE_WINDOW: WindowBounds = { first: 8, least: 1, slow: 4, most: 256 };
export const DESTINATION_WINDOW: WindowBounds = { first: 64, least: 64, slow: 64, most: 512 };

/** An answer that takes this long holds its place too long to be given more. */
const SLOW_MS = 3_000;
/** A receiver that takes this much longer than it can is at its limit. */
const LOADED = { times: 2, ms: 50 };
/** What a receiver can do is learnt anew now and then. */
const FORGETS = 1.01;

export function firstWindow({ first }: WindowBounds): Window {
  return { most: first, trusted: false, fastestMs: Number.POSITIVE_INFINITY };
}

export function learnt(window: Window, { answer, tookMs }: AttemptMet, bounds: WindowBounds): Window {
  if (answer === 'none' || answer === 'exhausted') return window;
  const half = Math.max(bounds.least, Math.floor(window.most / 2));
  if (answer === 'silent') return { ...window, trusted: false, most: half };
  if (tookMs >= SLOW_MS) return { ...window, trusted: false, most: Math.min(window.most, bounds.slow) };
  const fastestMs = Math.min(tookMs, window.fastestMs * FORGETS);
  if (answer === 'busy') return { trusted: true, fastestMs, most: half };
  const isLoaded = tookMs > fastestMs * LOADED.times + LOADED.ms;
  const fewer = Math.max(Math.min(window.most, bounds.first), window.most - 1);
  return { trusted: true, fastestMs, most: isLoaded ? fewer : Math.min(bounds.most, window.most + 1) };
}
