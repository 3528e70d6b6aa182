/** Recovery codes: each stands for the second factor once. Pure. */

export const RECOVERY_CODES = 10;
/** Without 0, 1, i, l, o and u, which are misread, or spell words. */
const LETTERS = '23456789abcdefghjkmnpqrstvwxyz';
/** Of 30 letters: 58 bits. */
const LENGTH = 12;

/**
 * `k7wd-...`: the letters of a random token of base64url that are of use, which are as random; null
 * if there are too few.
 */
export function recoveryCodeFrom(token: string): string | null {
  const letters = token.split('').filter((character) => LETTERS.includes(character));
  if (letters.length < LENGTH) return null;
  return letters
    .slice(0, LENGTH)
    .join('')
    .replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** As it is compared: people leave out dashes, and write capitals. */
export function normalizedRecoveryCode(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^0-9a-z]/g, '');
}
