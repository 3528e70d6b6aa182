/** Which passwords the console takes. Pure. */
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './user.ts';

export type PasswordFault = 'password_too_short' | 'password_too_long' | 'password_common';

/** The same characters can be typed as different code points: one form is hashed and compared. */
export function preparedPassword(typed: string): string {
  return typed.normalize('NFKC');
}

/** Null if it may be used. Lengths are in code points. */
export function passwordFault(typed: string, email: string): PasswordFault | null {
  const password = preparedPassword(typed);
  // A code point has at most two code units, so a huge text is not taken apart.
  const length = password.length > 2 * PASSWORD_LENGTH_MAX ? password.length : Array.from(password).length;
  if (length < PASSWORD_LENGTH_MIN) return 'password_too_short';
  if (length > PASSWORD_LENGTH_MAX) return 'password_too_long';
  return isCommon(password.toLowerCase(), email) ? 'password_common' : null;
}

/**
 * Whether whoever guesses tries it early: few different characters, a short piece repeated, keys in
 * their order, the own address, or a popular word with digits and signs around it.
 */
function isCommon(password: string, email: string): boolean {
  const letters = password.replaceAll(/[^\p{L}]/gu, '');
  const [local = ''] = email.split('@');
  return (
    new Set(password).size < DIFFERENT_MIN ||
    /^(.{1,6}?)\1+.{0,5}$/su.test(password) ||
    ROWS.some((row) => row.includes(password)) ||
    POPULAR.has(letters) ||
    password.includes(email) ||
    password.replaceAll(/\d+$/g, '') === local
  );
}

const DIFFERENT_MIN = 5;
const ROW_TEXTS = [
  '012345678901234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
];
const ROWS: readonly string[] = ROW_TEXTS.flatMap((row) => [row, row.split('').reverse().join('')]);
/** The letters of passwords that lists of stolen ones begin with. */
const POPULAR: ReadonlySet<string> = new Set([
  ...['password', 'passwort', 'passw', 'passwd', 'mypassword', 'thepassword', 'passwordpassword'],
  ...['letmein', 'letmeinplease', 'welcome', 'welcomeback', 'iloveyou', 'iloveyouforever', 'trustno'],
  ...['admin', 'administrator', 'adminadmin', 'root', 'superuser', 'changeme', 'changemenow', 'secret'],
  ...['topsecret', 'qwerty', 'qwertyuiop', 'qwertz', 'qwertzuiop', 'azerty', 'azertyuiop', 'asdfghjkl'],
  ...['monkey', 'dragon', 'sunshine', 'princess', 'football', 'baseball', 'basketball', 'superman'],
  ...['batman', 'starwars', 'michael', 'jordan', 'liverpool', 'chelsea', 'computer', 'internet'],
  ...['whatever', 'master', 'shadow', 'hello', 'helloworld', 'freedom', 'charlie', 'unknown'],
  ...['correcthorsebatterystaple', 'satoshi', 'satoshinakamoto', 'crypto'],
  ...['cryptocurrency', 'tothemoon', 'merchant', 'payment', 'gateway', 'quittance', 'default', 'temp'],
]);
