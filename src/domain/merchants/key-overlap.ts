/** Two valid keys while a shop changes from one to the other (decision 0011). Pure. */

/** How long the older key stays valid: by default, and at most. */
export const OVERLAP_SECONDS = 86_400;
export const OVERLAP_SECONDS_MAX = 30 * 86_400;

/**
 * The order in which keys sign. A receiver that checks one signature has the older key until its
 * shop calls the API with the newer one. `older` is null without an overlap.
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
