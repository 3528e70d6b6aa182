/**
 * Log events of money that comes in: deposits, their screening, their rates, and the operator's own
 * funding.
 */
import type { LogEventEntry } from './entry.ts';

export const DEPOSIT_EVENTS = {
  'deposit.reversed': {
    level: 'error',
    page: true,
    text: 'a credited payment left the chain and was reversed in the ledger',
    meaning:
      "A reorganisation deeper than finality. The merchant's balance went down. While it is below zero its payouts wait",
    action:
      'See [incidents](incidents.md#a-credited-payment-was-reversed). If the transaction returns, it is credited again',
  },
  'deposit.high_risk': {
    level: 'error',
    page: true,
    text: 'the risk check holds a payment',
    meaning:
      'The invoice is `high_risk`, and the money is on the held account. The line is missing if the process was killed just then: `quittance_held_deposits_open` counts what is held all the same',
    action: '`bun run risk list`, then `release` or `reject`',
  },
  'deposit.risk_check_away': {
    level: 'warn',
    text: 'the risk check does not answer: a payment waits',
    meaning: 'The risk service is asked again',
    action: 'Check the risk service',
  },
  'deposit.not_credited_at_once': {
    level: 'warn',
    text: 'payments are final, and could not be credited in the same transaction',
    meaning:
      'A balance was locked (`code` 55P03), the deny list did not answer (RiskCheckLate), or there is a bug. The job `screen-deposits` credits them',
    action:
      'Nothing, unless it persists. Then look for what locks balances, or at the disk of `risk.deny_file`',
  },
  'deposit.no_rate': {
    level: 'warn',
    text: 'payments wait: there is no fresh exchange rate to credit them at',
    meaning:
      'Fewer than two price services agree on a price of `asset` that is not older than `rates.credit_max_age_seconds`. Its payments stay `confirming`',
    action: 'Nothing at first: they are credited when a price is fresh. Otherwise as for `rates.not_renewed`',
  },
  'deposit.price_overdue': {
    level: 'error',
    page: true,
    over: 'deposit.price_back',
    text: 'payments have waited for a fresh exchange rate for more than an hour',
    meaning: 'The oldest payment in `asset` has been final since `since`, and no price of the asset is fresh',
    action: 'See [incidents](incidents.md#no-prices)',
  },
  'deposit.price_back': { level: 'info', text: 'no payment waits for a fresh exchange rate any more' },
  'deposit.stray': {
    level: 'warn',
    text: 'an unmatched deposit arrived',
    meaning:
      'The payment belongs to no open invoice. `strayReason` says [why](#why-something-waits-or-failed)',
    action: '`bun run strays list`',
  },
  'deposit.parked': {
    level: 'warn',
    text: 'money came to the hot wallet without a known tag: it waits for an operator',
    meaning: 'You sent the XRP yourself, or a customer left the tag out',
    action: '`bun run strays list`, then `bun run treasury adopt` or `bun run strays assign`',
  },
  'deposit.block_disputed': {
    level: 'warn',
    text: 'nodes disagreed on a block twice in a row: its payments are not credited yet',
    meaning: 'Two nodes show different blocks, or one of them lags',
    action: 'Wait. If it persists, `node.block_not_confirmed` names the node that is wrong',
  },
  'deposit.payments_disputed': {
    level: 'warn',
    text: 'nodes disagree on payments in a block: these are not credited yet',
    meaning:
      'A node does not show payments that another node shows: one of them lies, or does not record what contracts pay',
    action: 'Look `txid` up in an explorer. Replace the node that is wrong, or that records too little',
  },
  'deposit.not_moved_on': {
    level: 'error',
    text: 'a deposit could not be advanced',
    meaning: 'A bug, or the database did not answer. The deposit is tried again; the others go on',
    action: 'If it repeats, report it',
  },
  'invoice.not_settled': {
    level: 'error',
    text: 'the payments of an invoice could not be settled',
    meaning:
      'Something of its merchant was locked for more than a second, the database did not answer, or there is a bug. All payments of the invoice are tried again; other invoices go on. After three of a merchant its others wait for the next run',
    action: 'If it repeats, look for what holds locks, and report it',
  },
  'invoice.not_ended': {
    level: 'error',
    text: 'an invoice whose time has passed could not be ended',
    meaning:
      'Something of its merchant was locked for more than a second, or there is a bug. It is tried again every second; other invoices end. After three of a merchant its others wait for the next run',
    action: 'If it repeats, look for what holds locks, and report it',
  },
  'rates.not_renewed': {
    level: 'warn',
    text: 'no exchange rate could be renewed: fewer than two sources agree',
    meaning: 'The price services do not answer, or disagree',
    action: 'Check the network. See [incidents](incidents.md#no-prices)',
  },
  'rates.asset_unpriced': {
    level: 'warn',
    text: 'an asset has no price',
    meaning:
      'When prices were first fetched, fewer than two services agreed on a price of `asset`. Until two agree, the asset cannot be paid',
    action: 'For a token of `CONFIG_FILE`, check that its `rate` is the ticker that the services use',
  },
  'rates.source_away': {
    level: 'warn',
    text: 'a price source does not answer',
    meaning: '`source` names it. Two others that agree are enough',
    action: 'Nothing, unless it persists',
  },
  'funding.arrived': { level: 'info', text: 'the operator sent money to a hot wallet' },
  'funding.reversed': {
    level: 'error',
    text: 'a reorganisation removed money that the operator had sent to a hot wallet',
    meaning: 'Your own transfer left the chain. The ledger follows',
    action: 'Look `txid` up in an explorer. Send it again if it does not return',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
