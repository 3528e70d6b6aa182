/** To whom money can be sent so that somebody can spend it there. */
import type { Account } from '../answers.ts';
import { isOnCurve, isTokenProgram, SYSTEM_PROGRAM } from '../programs.ts';

/**
 * Why what is sent to `recipient` would be lost, null when it would not. A wallet is an account of the system program, or none yet
 * and a key pair's. What a program owns takes coins that nobody can move, and the associated account of a token account can be
 * reached by nobody. A vault of a program (no key pair) that exists as a wallet does is one.
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
