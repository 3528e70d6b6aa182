/** What the pages say of each refusal of an account's use case. */
import type { AccountFault } from '../../../../app/accounts/accounts.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../../../domain/accounts/user.ts';
import type { Problem } from '../kit/shell.ts';

const TEXTS: Readonly<Record<AccountFault, string>> = {
  link_over: 'This link was used, or its time is over. Ask for a new one.',
  password_too_short: `The password needs at least ${PASSWORD_LENGTH_MIN} characters.`,
  password_too_long: `The password may have at most ${PASSWORD_LENGTH_MAX} characters.`,
  password_common: 'This password is easy to guess. Choose another one.',
  name_missing: 'Give a name.',
  email_malformed: 'This is no e-mail address. Write it as name@example.com.',
  email_taken: 'The person has a role here already.',
  wrong_password: 'The present password is wrong.',
  wrong_code:
    'That was not right. A code changes every 30 seconds: try the next one, and look whether the clock of your phone is right.',
  second_factor_needed: 'Your role needs a second factor. Set up another one before you remove this one.',
  confirm_needed: 'Give your second factor once more first, and send it again.',
  sign_in_again: 'Your sign-in is too long ago for this. Sign out, sign in, and set it up then.',
  try_later: 'Too many tries. Wait a while, and try again.',
  too_many: 'There are too many. Remove some first.',
  last_of_its_kind: 'This is the last one who can manage users. Give the role to somebody else first.',
  other_side: 'The address belongs to somebody of the other side: an operator cannot be a merchant’s user.',
  not_found: 'There is no such entry any more.',
  registration_closed: 'Accounts are made by invitation only.',
};

/** The inputs that are about a fault. */
const INPUTS: Partial<Readonly<Record<AccountFault, string>>> = {
  ...{ password_too_short: 'password', password_too_long: 'password', password_common: 'password' },
  ...{ name_missing: 'name', email_malformed: 'email', email_taken: 'email', other_side: 'email' },
  ...{ wrong_password: 'old', wrong_code: 'factor' },
};

/** For the page, and for the input that it is about (kit/form-parts.ts). */
export function problemOfFault(fault: AccountFault): Problem {
  const field = INPUTS[fault];
  const message = TEXTS[fault];
  return field === undefined ? { message } : { message, details: [{ field, sentence: message }] };
}

export function textOfFault(fault: AccountFault): string {
  return TEXTS[fault];
}
