/** What the scripts say of each refusal of an account's use case. */
import type { AccountFault } from '../../src/app/accounts/accounts.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../src/domain/accounts/user.ts';
import { appError } from '../../src/domain/errors.ts';
import type { Result } from '../../src/domain/result.ts';
import { Refused } from './failures.ts';

const TEXTS: Partial<Record<AccountFault, string>> = {
  password_too_short: `The password needs at least ${PASSWORD_LENGTH_MIN} characters.`,
  password_too_long: `The password may have at most ${PASSWORD_LENGTH_MAX} characters.`,
  password_common: 'This password is easy to guess.',
  name_missing: 'The name is empty or too long.',
  email_taken: 'The address has a user already, with a role here.',
  last_of_its_kind: 'This is the last admin: make another one first.',
  other_side: 'The address belongs to the other side: an operator cannot be a user of a merchant.',
  too_many: 'There are too many open invitations.',
};

/** The value; a fault ends the script. */
export function orRefuseAccount<Value>(result: Result<Value, AccountFault>): Value {
  if (result.ok) return result.value;
  if (result.error === 'not_found')
    throw new Refused(appError('NOT_FOUND', 'No such user, operator or merchant.'));
  throw new Refused(appError('INVALID_TRANSITION', TEXTS[result.error] ?? result.error));
}
