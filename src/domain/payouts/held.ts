/** Why a payout is not sent before an operator releases it. */
import { keysOf } from '../catalog/keys-of.ts';
import { type Reason, reasonsFrom } from '../reason.ts';

export const HELD_CODES = {
  operator: 'An operator held it',
  limit: 'It is over a limit of one payout, or of a day',
  signer: 'The signer refuses it, because of its policy or its log',
  liquidity: 'The wallet lacked the money too often when it was to be signed',
  unclear:
    'Too often the nodes disagreed about it or took too long to try it, or its asset could not be used',
  fee: "Its recipient makes it cost more than was quoted (safety.md G2). A release sends it anyway, at the operator's cost",
  restored:
    'A backup was restored, or the wallet sent an unknown transaction (safety.md K4): the chain may have paid it already',
  restored_held:
    'Like `restored`, but the payout was held already for another reason, which follows. It is never released with the others',
} as const;
export type Held = Reason<keyof typeof HELD_CODES>;
export const heldFor = reasonsFrom(HELD_CODES);
export const ALL_HELD_CODES = keysOf(HELD_CODES);

/** Whether the chain may have paid the payout already (safety.md K4). */
export const isRestored = ({ code }: Held): boolean => code === 'restored' || code === 'restored_held';

/** An operator's hold. It does not erase the note that the chain may have paid the payout. */
export function heldByOperator(before: Held | null, reason: string): Held {
  return before !== null && isRestored(before)
    ? heldFor('restored_held', `${reason}; before that: ${before.text}`)
    : heldFor('operator', reason);
}
