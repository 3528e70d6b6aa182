/** Which recipients can spend what they are sent. */
import type { Account } from '../answers.ts';
import { isOnCurve, isTokenProgram, SYSTEM_PROGRAM } from '../programs.ts';

/**
 * Why money sent to `recipient` would be lost; null when it would not. A wallet is an account of
 * the system program, or a key pair's address without an account. An account that a program owns
 * takes coins that cannot be moved, and the associated account of a token account is out of reach.
 * An existing vault of a program (no key pair) counts as a wallet.
 */
export function recipientFault(recipient: string, account: Account | null): string | null {
  if (account === null)
    return isOnCurve(recipient)
      ? null
      : `${recipient} is no key pair's address and no account: money sent to it would be lost`;
  if (account.owner === SYSTEM_PROGRAM) return null;
  return isTokenProgram(account.owner)
    ? `${recipient} is a token account or a mint and no wallet: give the address of the wallet`
    : `${recipient} belongs to a program and is no wallet: money sent to it would be lost`;
}
