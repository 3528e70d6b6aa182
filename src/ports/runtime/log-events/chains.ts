/** Log events of chains and of the nodes that show them. */
import type { LogEventEntry } from './entry.ts';

export const CHAIN_EVENTS = {
  'chain.unreadable': {
    level: 'warn',
    summed: true,
    text: 'a chain cannot be read at the moment',
    meaning: 'No node answers',
    action: 'Check the nodes',
  },
  'chain.unsendable': {
    level: 'warn',
    summed: true,
    text: 'nothing can be sent on a chain at the moment',
    meaning: 'No node answers, or the signer does not',
    action: 'Check the nodes and the signer',
  },
  'chain.unsweepable': {
    level: 'warn',
    summed: true,
    text: 'nothing can be swept on a chain at the moment',
    meaning: 'No node answers, or the signer does not',
    action: 'Check the nodes and the signer',
  },
  'chain.unforwardable': {
    level: 'warn',
    summed: true,
    text: 'nothing can be forwarded on a chain at the moment',
    meaning: 'No node answers, or the signer does not',
    action: 'Check the nodes and the signer',
  },
  'chain.pending_unreadable': {
    level: 'warn',
    summed: true,
    text: 'the mempool of a chain cannot be read at the moment',
    meaning: 'Payments show only once they are in a block',
    action: 'Check the nodes',
  },
  'chain.late': {
    level: 'error',
    page: true,
    over: 'chain.in_time',
    text: 'payments on a chain are seen late, and it is not offered for new invoices',
    meaning:
      'The chain is read up to a time more than `chains.<chain>.behind_after_seconds` ago (`state`, `since`, `lag_seconds`), or no node ever answered. Nothing is lost: payments are found when the chain is read. Raised again after an hour, then after twice as long each time',
    action: '`bun run chains status`. See [incidents](incidents.md#a-chain-is-late)',
  },
  'chain.in_time': { level: 'info', text: 'payments on a chain are seen in time again' },
  'chain.never_reached': {
    level: 'warn',
    summed: true,
    text: 'a chain was never reached: it takes no payments',
    meaning: 'No node has answered since the first start with this chain',
    action: 'Check the nodes and their URLs',
  },
  'chain.fees_unknown': {
    level: 'warn',
    summed: true,
    text: 'the fees of a chain are not known at the moment',
    meaning: 'No node answers. The last known fees are used',
    action: 'Check the nodes',
  },
  'chain.reorganised': {
    level: 'warn',
    text: 'a reorganisation was found',
    meaning: 'Normal when small',
    action: 'Nothing',
  },
  'chain.behind_cursor': {
    level: 'info',
    summed: true,
    text: 'the node lags: it lacks a block that was read already. The worker waits for it',
    meaning:
      'One of the machines behind the URL lags a little, which is usual. If it persists, `chain.late` follows',
    action: 'Nothing',
  },
  'chain.balances_unreconciled': {
    level: 'warn',
    text: 'balances could not be reconciled: internal transfers of these blocks stay unseen',
    meaning: 'The node does not trace, and does not return balances at old blocks',
    action: 'Run `bun run rescan` for these blocks later, with a node that does one of the two',
  },
  'chain.omissions_unreadable': {
    level: 'warn',
    text: 'final blocks could not be checked again: payments that a node left out stay unseen',
    meaning:
      'In ten attempts no node returned an answer for them that could be verified. They were read once, when they were new',
    action: 'Run `bun run rescan` for these blocks later, with a better node',
  },
  'chain.transactions_unproven': {
    level: 'warn',
    summed: true,
    text: 'the transactions of a block do not match its header, or are missing, also on a second read: the block is accepted',
    meaning:
      'Your nodes may leave payments out of block `height`; on Solana this is likely. On Tron the cause may also be a transaction with bytes that nodes hash and do not show, which does no harm',
    action:
      'With one node only: compare the number of transactions in the block with an explorer, and add a node of another owner',
  },
  'chain.addresses_underivable': {
    level: 'warn',
    text: 'no addresses can be derived at the moment',
    meaning: 'The signer does not answer. Addresses that were derived before are still given out',
    action: 'Check the signer',
  },
  'chain.public_keys_missing': {
    level: 'warn',
    text: 'keystore.json lacks the public keys of some families: they get no live addresses',
    meaning: 'The file is older than these families, and this process may not complete it',
    action: 'Start the process that signs once, then copy its `keystore.json` to this host',
  },
  'node.failed': {
    level: 'warn',
    text: 'a node failed',
    meaning: '`node` rests for a while. The other nodes are asked',
    action: 'Nothing, unless it persists',
  },
  'node.history_unreadable': {
    level: 'error',
    text: 'an Electrum server does not return the history of an address',
    meaning:
      'Payments to `address` are not seen at `node` until it answers. It is asked each minute. The history may be too long for the server',
    action: 'If it repeats, add a server with higher limits, or a node of your own',
  },
  'node.limited': {
    level: 'info',
    text: 'the plan of a node does not allow all calls at the moment: some of them wait',
  },
  'node.list_rests': {
    level: 'info',
    text: 'a node does not answer a list: for some minutes payments are looked up one by one there',
  },
  'node.payments_missing': {
    level: 'warn',
    summed: true,
    text: 'a node left out payments that another node shows: they are recorded now',
    meaning: 'The first of them is in block `height`. They are credited once all nodes show them',
    action: 'If it repeats, use another node',
  },
  'node.logs_missing': {
    level: 'warn',
    summed: true,
    text: 'a node left out logs of blocks: their receipts were read instead',
    meaning:
      'Its index of logs lags behind its blocks, or is broken. `height` is the first of `blocks` blocks',
    action: 'Nothing. If it repeats, use another node',
  },
  'node.read_in_full': {
    level: 'info',
    summed: true,
    text: 'a node cannot show that it lists all of our transactions: its blocks are read in full',
    meaning:
      '`why` says more. TON: the node has no index of version 3, or one that lags or lacks something. XRP: it does not list all that changed our account. Nothing is missed, but reading takes many more calls (TON) or bytes (XRP)',
    action: 'If it persists and the plan is too small, use another node',
  },
  'node.recovered': { level: 'info', text: 'a node answers again' },
  'node.stream_lost': {
    level: 'warn',
    summed: true,
    text: 'a node announces no new heads: its chain is polled',
    meaning:
      'The stream of `node` broke, stays silent or sends nonsense (`problem`). Payments are seen at the next poll',
    action: 'Nothing. If it persists, check `stream` and what the plan allows',
  },
  'node.stream_recovered': { level: 'info', summed: true, text: 'a node announces new heads again' },
  'wallet.families_not_noted': {
    level: 'warn',
    text: 'the database does not know the keys of some families yet: they get no live addresses',
    meaning:
      'They are new in `keystore.json`, and a process with `ROLE=api` cannot prove that they are of the same wallet',
    action: 'Start a process with `ROLE=worker` or `all`',
  },
  'node.wrong_chain': {
    level: 'error',
    text: 'a node serves another chain and is not used',
    meaning: 'The URL or `chain_id` is wrong',
    action: 'Correct the configuration',
  },
  'node.foreign_chain': {
    level: 'error',
    page: true,
    text: 'a node serves another chain than the one that the database was used with, and is not used',
    meaning:
      'Its first block (`found`) is not the first block of the chain that the database was used with (`noted`)',
    action: 'Correct the URL. For a test chain that was reset: `bun run chains forget`',
  },
  'node.block_not_confirmed': {
    level: 'info',
    text: 'a node does not confirm a block',
    meaning:
      '`node` and `why` say more. A node that does not report the block as final yet only lags a little',
    action: 'Nothing, unless it persists',
  },
  'node.trace_failed': {
    level: 'warn',
    summed: true,
    text: 'tracing failed: balances are reconciled instead',
    meaning: 'Internal transfers of these blocks are found by balances. Tracing is tried again later',
    action: 'Nothing, unless it persists',
  },
  'node.traces_nothing': {
    level: 'info',
    text: 'a node does not trace: balances are reconciled instead, and it is asked again in an hour',
  },
  'asset.contract_unfit': {
    level: 'error',
    text: 'an asset is not scanned: its contract does not match the catalog',
    meaning:
      'Every node that answers reports that the contract has other decimals, another symbol, or no code. Payments in this asset are not seen',
    action: 'Correct `assets.<key>`, or switch the asset off',
  },
  'asset.contract_fits': {
    level: 'warn',
    text: 'the contract of an asset matches the catalog after all: it is scanned from now on',
    meaning: '`asset.contract_unfit` was true for a while, or the nodes were wrong',
    action: 'If the nodes were wrong: `bun run rescan` from the time of that line',
  },
  'monero.wallet_made': {
    level: 'info',
    text: 'a view-only wallet was created',
    meaning: 'Normal at the first start with Monero, and after its file was lost',
    action: 'Nothing',
  },
  'monero.rescan': {
    level: 'warn',
    text: 'the wallet reads its blocks again: it did not know every address',
    meaning: 'More addresses were given out than the wallet had derived ahead',
    action: 'Nothing. The older the wallet, the longer it takes',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
