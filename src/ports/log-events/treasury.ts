/** Log events of sweeps and of the books. */
import type { LogEventEntry } from './entry.ts';

export const TREASURY_EVENTS = {
  'books.disagree': {
    level: 'error',
    page: true,
    text: 'the books do not agree: run bun run reconcile',
    meaning: 'The hourly reconciliation found differences',
    action: 'See [Treasury](#treasury)',
  },
  'books.chain_not_reconciled': {
    level: 'warn',
    text: 'a chain could not be reconciled',
    meaning: 'No node answered for the last final block',
    action: 'Check the nodes, or use an archive node',
  },
  'books.token_unreadable': {
    level: 'error',
    page: true,
    text: 'a listed token could not be reconciled: no node tells what is held in it',
    meaning:
      'Its contract answers no balance (`asset`, `reason`), though the nodes tell that of the coin. All else was held against the chain',
    action:
      'Look at the contract: paused, replaced or gone? If so, take no payments in it (`assets.<key>.enabled`)',
  },
  'books.unlisted_unreadable': {
    level: 'warn',
    text: 'an unlisted token could not be reconciled: no node tells what is held in it',
    meaning: 'Its contract answers no balance (`asset`, `reason`). All else was held against the chain',
    action: 'Nothing. What came in it may be worth nothing',
  },
  'sweep.failed': {
    level: 'error',
    text: 'a sweep failed: the money stays at its deposit address until an operator sweeps it',
    meaning: 'The chain undid the transfer; gas was spent',
    action: 'Find out why, then `bun run treasury sweep`',
  },
  'sweep.ended_unmoved': {
    level: 'warn',
    text: 'a sweep ended without moving anything',
    meaning: '`reason` says why. After "fees rose" and "the risk check keeps" it is planned again by itself',
    action: 'Nothing',
  },
  'sweep.reopened': {
    level: 'error',
    text: 'a reorganisation removed the block of a sweep: it is open again',
    meaning: 'It goes on by itself if its deposit is still there',
    action: 'If it stays open: `bun run treasury giveup`',
  },
  'sweep.not_advanced': {
    level: 'error',
    text: 'a sweep cannot be moved on',
    meaning: 'A fault of ours, or the database was away. It is tried again; the others go on',
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
    text: 'energy that was lent for a sweep is lent no more: somebody else took it back',
    meaning: 'By hand, or by unstaking',
    action: 'Nothing',
  },
  'address.owner_changed': {
    level: 'error',
    text: 'the owner of an address of ours changed: nothing is swept from it',
    meaning:
      'Tron: somebody may know the key of this address, and took it over. It is frozen; what arrives is parked',
    action: 'Find out how the key got out. `bun run treasury thaw`, once nobody else can spend from it',
  },
  'address.unfrozen': {
    level: 'warn',
    text: 'an operator lets a frozen address be used again',
    meaning: 'By `bun run treasury thaw`',
    action: 'Nothing',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
