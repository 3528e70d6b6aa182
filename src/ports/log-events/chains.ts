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
  'chain.pending_unreadable': {
    level: 'warn',
    summed: true,
    text: 'what waits for a block cannot be read at the moment',
    meaning: 'Payments show only once they are in a block',
    action: 'Check the nodes',
  },
  'chain.late': {
    level: 'error',
    page: true,
    text: 'payments on a chain are seen late, and it is not offered for new invoices',
    meaning:
      'What is not read yet is older than `chains.<chain>.behind_after_seconds` (`state`, `since`, `lag_seconds`), or no node ever answered. Nothing is lost: what was paid is found when the chain is read. Told again after an hour, then after twice as long each time',
    action: 'Check the nodes and their plans: `bun run chains status`, and whether a worker runs',
  },
  'chain.in_time': { level: 'info', text: 'payments on a chain are seen in time again' },
  'chain.never_reached': {
    level: 'warn',
    summed: true,
    text: 'a chain was never reached yet: it takes no payments',
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
    text: 'the node is behind what was read: waiting for it',
    meaning:
      'One of its machines is a little behind the others, which is usual. Where it stays, `chain.late` follows',
    action: 'Nothing',
  },
  'chain.balances_unreconciled': {
    level: 'warn',
    text: 'balances could not be reconciled: internal transfers of these blocks stay unseen',
    meaning: 'The node neither traces nor answers for old blocks',
    action: 'Later `bun run rescan` on a better node',
  },
  'chain.omissions_unreadable': {
    level: 'warn',
    text: 'final blocks could not be looked at again: what a node left out of them stays unseen',
    meaning:
      'No node answered for them so that it could be believed, ten times in a row. They were read when they were new',
    action: 'Later `bun run rescan` of these blocks on a better node',
  },
  'chain.transactions_unproven': {
    level: 'warn',
    summed: true,
    text: 'a block lists other transactions than its header names, or none where there are some in each, read again too: it is believed',
    meaning:
      'On tron somebody sent a transaction with bytes that nodes hash and do not print, which does no harm, or your nodes leave payments out of block `height`; on solana this is more likely',
    action:
      'With one node only: hold the number of its transactions against a block explorer, and add a node of another owner',
  },
  'chain.addresses_underivable': {
    level: 'warn',
    text: 'no addresses can be derived at the moment',
    meaning: 'The signer does not answer. Addresses that were derived before are still given out',
    action: 'Check the signer',
  },
  'chain.public_keys_missing': {
    level: 'warn',
    text: 'keystore.json has no public keys of some families: no live address of them',
    meaning: 'The file is older than these families, and this process may not complete it',
    action: 'Start the process that signs once, copy its `keystore.json`',
  },
  'node.failed': {
    level: 'warn',
    text: 'node failed',
    meaning: '`node` is not asked for a while; the others are',
    action: 'Nothing, unless it stays',
  },
  'node.history_unreadable': {
    level: 'error',
    text: 'an Electrum server does not tell the history of an address',
    meaning:
      'What pays `address` is not seen at `node` until it tells it, which it is asked for each minute: the history may be too long for the server',
    action: 'Unless it was busy for a moment: add a server with higher limits, or a node of your own',
  },
  'node.limited': {
    level: 'info',
    text: 'the plan of a node has no room for all calls at the moment',
  },
  'node.payments_missing': {
    level: 'warn',
    summed: true,
    text: 'a node left payments out that another one shows: they are recorded now',
    meaning: 'The first of them is in block `height`. They are credited once all nodes show them',
    action: 'Use another node, if it stays',
  },
  'node.logs_missing': {
    level: 'warn',
    summed: true,
    text: 'a node left out logs of blocks: their receipts were read instead',
    meaning: 'Its index of logs is behind its blocks, or broken: `height` is the first of so many `blocks`',
    action: 'Nothing, unless it stays: then use another node',
  },
  'node.read_in_full': {
    level: 'info',
    summed: true,
    text: 'a node does not show for certain what concerns us: its blocks are read in full',
    meaning:
      '`why`: on TON it has no index of version 3, or one that lags or lacks something; on XRP it does not list all that changed our account. Nothing is missed, but many more calls (TON) or bytes (XRP) are used',
    action: 'Where it stays and the plan is too small, use a node that has it',
  },
  'node.recovered': { level: 'info', text: 'node answers again' },
  'node.stream_lost': {
    level: 'warn',
    summed: true,
    text: 'a node does not tell new heads: its chain is polled',
    meaning:
      'The stream of `node` broke, stays silent or tells nonsense (`problem`). Payments are seen as without it',
    action: 'Nothing, unless it stays: then check `stream` and what the plan allows',
  },
  'node.stream_recovered': { level: 'info', summed: true, text: 'a node tells new heads again' },
  'wallet.families_not_noted': {
    level: 'warn',
    text: 'the database does not know the keys of some families yet: no live address of them',
    meaning: 'They are new in `keystore.json`, and `ROLE=api` cannot prove that they are of the same wallet',
    action: 'Start a process with `ROLE=worker` or `all`',
  },
  'node.wrong_chain': {
    level: 'error',
    text: 'node serves another chain and is not used',
    meaning: 'Wrong URL or `chain_id`',
    action: 'Correct the configuration',
  },
  'node.foreign_chain': {
    level: 'error',
    page: true,
    text: 'a node is of another chain than the database and is not used',
    meaning: 'Its first block (`found`) is not that of the chain that the database was used with (`noted`)',
    action: 'Correct the URL. A test chain that began anew: `bun run chains forget`',
  },
  'node.block_not_confirmed': {
    level: 'info',
    text: 'a node does not confirm a block',
    meaning: 'Which node, and `why`. One that does not call it final yet is merely a little behind',
    action: 'Nothing, unless it stays',
  },
  'node.trace_failed': {
    level: 'warn',
    summed: true,
    text: 'tracing failed: balances are reconciled instead',
    meaning: 'Internal transfers of these blocks are found by their balances. Tracing is asked again later',
    action: 'Nothing, unless it stays',
  },
  'node.traces_nothing': {
    level: 'info',
    text: 'node does not trace: balances are reconciled instead, and it is asked again in an hour',
  },
  'asset.contract_unfit': {
    level: 'error',
    text: 'asset is not scanned: its contract does not fit the catalog',
    meaning:
      'The contract has other decimals or another symbol, or is none: every node that answers says so. Payments in this asset would not be seen',
    action: 'Correct `assets.<key>`, or switch the asset off',
  },
  'asset.contract_fits': {
    level: 'warn',
    text: 'the contract of an asset fits the catalog after all: it is scanned from here on',
    meaning: '`asset.contract_unfit` was true for a while, or was the fault of the nodes',
    action: 'Where it was the fault of the nodes: `bun run rescan` from the time of that line',
  },
  'monero.wallet_made': {
    level: 'info',
    text: 'a view-only wallet was made',
    meaning: 'Normal at the first start with Monero, and after its file was lost',
    action: 'Nothing',
  },
  'monero.rescan': {
    level: 'warn',
    text: 'the wallet reads its blocks again: it did not know every address',
    meaning: 'More addresses were given out than the wallet had ahead',
    action: 'Nothing. It takes as long as the wallet is old',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
