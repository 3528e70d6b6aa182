/**
 * What a user began and has to answer: setting up one-time codes or a passkey, proving a passkey as
 * second factor, or signing in by one. Pure.
 */

export const CEREMONY_KINDS = ['codes', 'passkey', 'second_factor', 'sign_in'] as const;
export type CeremonyKind = (typeof CEREMONY_KINDS)[number];

const MINUTE_MS = 60_000;
/** Codes take longest: an app may have to be installed first. */
export const CEREMONY_MS: Readonly<Record<CeremonyKind, number>> = {
  ...{ codes: 15 * MINUTE_MS, passkey: 5 * MINUTE_MS },
  ...{ second_factor: 5 * MINUTE_MS, sign_in: 5 * MINUTE_MS },
};
