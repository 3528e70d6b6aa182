/**
 * Every line that the gateway logs, by the stable name that programs go by. An event keeps its name for good; its text may be
 * reworded at any time. The table of docs/operations/alerts.md is made from here (`bun run docs`).
 */
import { CHAIN_EVENTS } from './log-events/chains.ts';
import { DEPOSIT_EVENTS } from './log-events/deposits.ts';
import { PAYOUT_EVENTS } from './log-events/payouts.ts';
import { SERVICE_EVENTS } from './log-events/service.ts';
import { TREASURY_EVENTS } from './log-events/treasury.ts';

/** The alarms first in the docs are those of money: the order here is the order there. */
export const LOG_EVENTS = {
  ...DEPOSIT_EVENTS,
  ...PAYOUT_EVENTS,
  ...TREASURY_EVENTS,
  ...CHAIN_EVENTS,
  ...SERVICE_EVENTS,
} as const;

type AnyLogEvent = keyof typeof LOG_EVENTS;

/** The events that are logged at this level: a line cannot be written at another one than its table says. */
export type LogEvent<Level extends 'info' | 'warn' | 'error' = 'info' | 'warn' | 'error'> = {
  [Event in AnyLogEvent]: (typeof LOG_EVENTS)[Event]['level'] extends Level ? Event : never;
}[AnyLogEvent];
