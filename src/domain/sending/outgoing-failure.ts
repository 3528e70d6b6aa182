/** Why an outgoing transfer was given up, or had no effect. */
import { keysOf } from '../catalog/keys-of.ts';
import { type Reason, reasonsFrom } from '../reason.ts';

export const FAILURE_CODES = {
  operator: 'given up by an operator',
  signer_refused: 'the signer does not sign it',
  chain_refused: 'the nodes refuse it, or the wallet lacks the money',
  unmineable: 'no block can take what was signed',
  overdue: 'no block took what was signed in time',
  reverted: 'the chain carried the transaction without its effect',
  unfunded: 'a block took it, and our own wallet could not pay it',
  superseded: 'its nonce was used by another transaction',
  expired: 'it was given up, and its transaction expired',
  coin_lost: 'a UTXO that it spends has left the chain',
  payout_ended: 'the payout had ended',
  wallet_replaced: 'its wallet was replaced before anything was signed',
  restored: 'the chain may have paid it already',
  merchant_barred: 'its merchant may not be paid out',
  loan_late: 'delegating the energy took too long',
  loan_gone: 'less is delegated than was to be taken back',
  unused_sequence: 'a nonce that no payment took',
  account_settings: 'the settings of the account, by a transaction that moves nothing',
  /** Of a transfer that was given up, then paid, and reopened by a reorganisation. */
  given_up: 'it was given up',
} as const;
export type FailureCode = keyof typeof FAILURE_CODES;
export type Failure = Reason<FailureCode>;
export const failureOf = reasonsFrom(FAILURE_CODES);
export const ALL_FAILURE_CODES = keysOf(FAILURE_CODES);
