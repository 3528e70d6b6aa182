/** Log events of sweeps and of the books. */
import type { LogEventEntry } from './entry.ts';

export const TREASURY_EVENTS = {
  'books.disagree': {
    level: 'error',
    page: true,
    over: 'books.agree',
    text: 'the books do not agree: run bun run reconcile',
    meaning: 'The hourly reconciliation found differences',
    action: 'See [treasury](treasury.md#reconciliation)',
  },
  'books.agree': { level: 'info', text: 'the books agree again, with each other and with all chains' },
  'books.chain_not_reconciled': {
    level: 'warn',
    text: 'a chain could not be reconciled',
    meaning: 'No node answered for the last final block',
    action: 'Check the nodes, or use an archive node',
  },
  'books.token_unreadable': {
    level: 'error',
    page: true,
    text: 'a listed token could not be reconciled: no node returns its balances',
    meaning:
      'Its contract returns no balance (`asset`, `reason`), although the nodes return balances of the native coin. Everything else was compared with the chain',
    action: 'Is the contract paused, replaced or gone? Then switch the asset off (`assets.<key>.enabled`)',
  },
  'books.unlisted_unreadable': {
    level: 'warn',
    text: 'an unlisted token could not be reconciled: no node returns its balances',
    meaning:
      'Its contract returns no balance (`asset`, `reason`). Everything else was compared with the chain',
    action: 'Nothing. The token may be worthless',
  },
  'sweep.failed': {
    level: 'error',
    text: 'a sweep failed: the money stays at its deposit address until an operator sweeps it',
    meaning: 'The transfer was reverted; gas was spent',
    action: 'Find out why, then `bun run treasury sweep`',
  },
  'sweep.ended_unmoved': {
    level: 'warn',
    text: 'a sweep ended without moving anything',
    meaning:
      '`reason` says why. When fees rose, or the risk check holds a payment, it is planned again later',
    action: 'Nothing',
  },
  'sweep.reopened': {
    level: 'error',
    text: 'a reorganisation removed the block of a sweep: it is open again',
    meaning: 'It goes on if its deposit is still there',
    action: 'If it stays open: `bun run treasury giveup`',
  },
  'sweep.not_planned': {
    level: 'error',
    text: 'a sweep could not be planned; without `address`, none of the chain could',
    meaning: 'A bug, or the database did not answer. It is tried again; the others go on',
    action: 'If it repeats, report it',
  },
  'sweep.not_advanced': {
    level: 'error',
    text: 'a sweep could not be advanced',
    meaning: 'A bug, or the database did not answer. It is tried again; the others go on',
    action: 'If it repeats, report it',
  },
  'sweep.given_up': {
    level: 'warn',
    text: 'an operator gave up a sweep',
    meaning: 'By `bun run treasury giveup`',
    action: 'Nothing',
  },
  'sweep.energy_gone': {
    level: 'warn',
    text: 'energy that was delegated for a sweep is gone: it was taken back elsewhere',
    meaning: 'Taken back by hand, or by unstaking',
    action: 'Nothing',
  },
  'forward.ordered': { level: 'info', text: 'money above the threshold is forwarded to the cold address' },
  'forward.arrived': { level: 'info', text: 'a forward is final at the cold address' },
  'forward.waits': { level: 'info', text: 'nothing of an asset is forwarded now' },
  'forward.failed': {
    level: 'error',
    text: 'a forward ended without moving anything',
    meaning:
      'The chain carried it without its effect, another transaction used its nonce, or it was given up (`code`, `reason`). What the network took is booked. Another is tried after a pause, which grows',
    action: 'Find out why: can the cold address take that asset? On Solana, XRP and TON: does it exist?',
  },
  'forward.late': {
    level: 'error',
    page: true,
    text: 'a forward has been on its way for hours',
    meaning:
      'It is not signed, or no final block has it (`status`, `since`). Until it ends nothing else of that asset is forwarded, and on EVM, XRP and TON payouts behind it wait',
    action:
      'See the lines about its `transferId`. Is signing stopped, or are fees above the ceiling? At last `bun run treasury giveup`',
  },
  'forward.no_cold_address': {
    level: 'error',
    page: true,
    text: 'nothing of an asset is forwarded: there is no cold address that may be paid',
    meaning:
      "`treasury.forward` has a threshold, and the signer's policy names no `cold_addresses` for the asset or its chain, or one that is ours or not of the chain (`code`, `reason`)",
    action: "Put the address into the signer's policy, or take the threshold out of CONFIG_FILE",
  },
  'forward.reorganised': {
    level: 'error',
    text: 'a reorganisation removed the block of a forward: it is open again',
    meaning: 'Its entry is reversed, and the same bytes are broadcast again',
    action: 'Nothing',
  },
  'forward.request_dropped': {
    level: 'warn',
    text: 'a forward that an operator asked for was not made',
    meaning: '`reason` says why: there is not enough above what is kept, or something barred it for a day',
    action: 'Ask again with `bun run treasury forward`',
  },
  'forward.given_up': {
    level: 'warn',
    text: 'an operator gave up a forward',
    meaning: 'By `bun run treasury giveup`',
    action: 'Nothing',
  },
  'address.owner_changed': {
    level: 'error',
    text: 'the owner of a deposit address changed: nothing is swept from it',
    meaning:
      'Tron: a stranger may know the key of this address. It is frozen, and what arrives there becomes an unmatched deposit',
    action: 'See [incidents](incidents.md#a-deposit-address-changed-its-owner-tron)',
  },
  'address.unfrozen': {
    level: 'warn',
    text: 'an operator unfroze an address',
    meaning: 'By `bun run treasury thaw`',
    action: 'Nothing',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
