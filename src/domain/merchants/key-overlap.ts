/** Two keys side by side while a shop changes from one to the other (decision 0011). Pure. */

/** How long the older key lives on, unless an operator says otherwise, and at most. */
export const OVERLAP_SECONDS = 86_400;
export const OVERLAP_SECONDS_MAX = 30 * 86_400;

/**
 * Which key signs: a receiver that looks at one signature has the older key until its shop calls the API with the newer one.
 * `older` is null outside of an overlap.
 */
export function inSigningOrder<Key>(keys: {
  readonly newest: Key;
  readonly newestUsed: boolean;
  readonly older: Key | null;
}): { readonly current: Key; readonly other: Key | null } {
  const { newest, newestUsed, older } = keys;
  if (older === null || newestUsed) return { current: newest, other: older };
  return { current: older, other: newest };
}
