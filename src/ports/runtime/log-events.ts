/**
 * Every line that the gateway logs, by a name that programs can rely on: a name never changes, its
 * text may. `bun run docs` writes the table in docs/operations/alerts.md from here.
 */
import { ACCOUNT_EVENTS } from './log-events/accounts.ts';
import { CHAIN_EVENTS } from './log-events/chains.ts';
import { DEPOSIT_EVENTS } from './log-events/deposits.ts';
import { PAYOUT_EVENTS } from './log-events/payouts.ts';
import { SERVICE_EVENTS } from './log-events/service.ts';
import { TREASURY_EVENTS } from './log-events/treasury.ts';

/** In the order of the docs' table: alarms about money first. */
export const LOG_EVENTS = {
  ...DEPOSIT_EVENTS,
  ...PAYOUT_EVENTS,
  ...TREASURY_EVENTS,
  ...CHAIN_EVENTS,
  ...SERVICE_EVENTS,
  ...ACCOUNT_EVENTS,
} as const;

type AnyLogEvent = keyof typeof LOG_EVENTS;

/** The events of this level: the compiler refuses a line at another level than the table's. */
export type LogEvent<Level extends 'info' | 'warn' | 'error' = 'info' | 'warn' | 'error'> = {
  [Event in AnyLogEvent]: (typeof LOG_EVENTS)[Event]['level'] extends Level ? Event : never;
}[AnyLogEvent];
