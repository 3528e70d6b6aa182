/**
 * Bugs to plant, each one change of the code: what simulated histories must find. A test holds
 * every `find` against the present code.
 *
 * Left out is what costs nobody money, since a second defence holds:
 * - no look at the status under the lock when a deposit becomes final, an event that is queued
 *   twice, a payout that is dispatched twice: a unique index refuses it,
 * - no comparison of the balance with a payout: the database takes no balance below zero,
 * - bytes stored for a payout that was cancelled while they were signed: the batch has changed,
 * - records of a replaced block that stay: before they are final, all nodes are asked about the
 *   block (of final ones no payment is lost for ever here, world/acts/reorganise.ts),
 * - a payout that is settled before its block is final: it is reopened when the block is replaced,
 * - a sweep that does not mark its deposits: what nobody decided on stays, so the next one moves
 *   nothing,
 * - small payments that the expiry of their invoice leaves: the job of the risk check finds them,
 * - a refund that is ordered twice: the invoice, the refunds before it and what is left of the
 *   payment each refuse it.
 */
import { DEPOSIT_BUGS } from './bugs/deposits.ts';
import { INVOICE_BUGS } from './bugs/invoices.ts';
import { PAYOUT_BUGS } from './bugs/payouts.ts';
import { SENDING_BUGS } from './bugs/sending.ts';
import { TREASURY_BUGS } from './bugs/treasury.ts';
import { WATCHING_BUGS } from './bugs/watching.ts';
import { WEBHOOK_BUGS } from './bugs/webhooks.ts';
import type { PlantedBug } from './planted-bug.ts';
import { PLANTED_LOCKS } from './planted-locks.ts';

export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...[...WATCHING_BUGS, ...DEPOSIT_BUGS, ...INVOICE_BUGS, ...WEBHOOK_BUGS],
  ...[...PAYOUT_BUGS, ...SENDING_BUGS, ...TREASURY_BUGS, ...PLANTED_LOCKS],
];
