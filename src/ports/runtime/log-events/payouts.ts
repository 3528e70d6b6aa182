/**
 * Log events of money that goes out: payouts, signing, transactions, and the coins and nonces they
 * use.
 */
import type { LogEventEntry } from './entry.ts';

export const PAYOUT_EVENTS = {
  'payout.held': {
    level: 'warn',
    text: 'a payout is over a limit and waits for an operator',
    meaning: '`held` says which limit',
    action: '`bun run payouts release` or `cancel`',
  },
  'payout.set_aside': {
    level: 'warn',
    text: 'a payout could not be signed: it is tried again after a pause, and others go first',
    meaning:
      '`reason` says why: the nodes take too long to simulate it, the money or the asset is missing, or the policy does not allow its fee',
    action: 'Nothing. The pauses grow, and after the last one it is held',
  },
  'payout.unsignable': {
    level: 'error',
    page: true,
    text: 'a payout could not be signed and is held',
    meaning: '`reason` says why: every attempt failed, or the policy of the signer does not allow it',
    action: 'Remove the cause, then `bun run payouts release`; or `bun run payouts cancel`',
  },
  'payout.fee_over_policy': {
    level: 'error',
    page: true,
    text: 'a payout waits: fees are above what the policy of the signer allows',
    meaning: 'Fees have been above the policy for more than 20 minutes. It is tried again every half hour',
    action: 'Raise `max_fee` in `SIGNER_POLICY`, or wait until fees fall',
  },
  'payout.merchant_barred': {
    level: 'warn',
    text: 'a payout waits: its merchant is not active, or not approved',
    meaning: '`reason` says which. The payout is sent once the merchant is active and approved',
    action: 'Nothing, or `bun run payouts release` or `cancel`',
  },
  'payout.cancel_ordered': {
    level: 'info',
    text: 'an operator cancelled a signed payout: the chain decides whether it is still paid',
  },
  'payout.paid_after_end': {
    level: 'error',
    page: true,
    text: 'a payout that had ended was paid on the chain: the merchant is debited again',
    meaning:
      'The amount had returned to the balance, and then the payment was mined. The ledger follows the chain',
    action: 'Look `txid` up in an explorer. Talk to the merchant: the balance may be below zero',
  },
  'payout.reorganised': {
    level: 'error',
    text: 'a reorganisation removed the block of a settled payout',
    meaning: 'A reorganisation deeper than finality. The same transaction is sent again',
    action: 'Raise `chains.<chain>.confirmations`',
  },
  'approval.failed': {
    level: 'warn',
    text: 'an approved order of the console could not be carried out, and is given up',
    meaning: '`code` says why: the balance is gone, for example. Nothing was paid. The console shows it',
    action: 'Nothing: whoever ordered it orders it again',
  },
  'approval.carried_out_later': {
    level: 'warn',
    text: 'the database did not answer while an order of the console was carried out: a worker tries again',
    meaning: 'It is done once, whatever came of the first try',
    action: 'Nothing',
  },
  'signing.stopped': {
    level: 'warn',
    text: 'signing is stopped by an operator: nothing is sent',
    meaning: 'Logged once for each chain and worker after a stop',
    action: '`bun run payouts start`, when the cause is gone',
  },
  'signing.resumed': { level: 'info', text: 'signing resumed' },
  'signing.stop_ordered': { level: 'info', text: 'an operator stopped signing: nothing is sent' },
  'signing.start_ordered': { level: 'info', text: 'an operator resumed signing' },
  'signing.refused': {
    level: 'warn',
    text: 'a transfer could not be signed',
    meaning: '`reason` says why, `verdict` what happens to it',
    action: '`bun run payouts list --waiting` shows what waits. After the verdict `wait` it is tried again',
  },
  'signing.sequence_conflict': {
    level: 'warn',
    text: 'the signer has signed another payment under this nonce',
    meaning:
      'A signature was lost before it was stored, or a backup was restored: the log of the signer is ahead of the database',
    action: 'Nothing. The payouts take another nonce, and the signer pays none of them twice',
  },
  'signing.followed_earlier': {
    level: 'warn',
    text: 'the signer had signed this before, and the signature was not stored: the earlier transaction is used',
    meaning: 'The process ended between signing and storing, or a backup was restored',
    action: 'Nothing',
  },
  'transfer.not_advanced': {
    level: 'error',
    text: 'a transfer could not be advanced',
    meaning: 'A bug, or the database did not answer. It is tried again; the others go on',
    action: 'If it repeats, report it',
  },
  'transfer.not_taken': {
    level: 'warn',
    text: 'nodes do not accept a transaction at the moment',
    meaning: '`reason` is the answer of a node. The broadcast is repeated',
    action: 'Nothing, unless it persists',
  },
  'transfer.given_up': {
    level: 'error',
    page: true,
    text: 'a signed payment cannot go on and is given up',
    meaning:
      '`reason` says why: no block can take it, it would be reverted now, or no block took it for hours. A transaction that moves nothing takes its place, or it expires. The chain decides between the two, and later payments go on',
    action: 'Nothing. If its payout fails, the merchant may make a new one',
  },
  'transfer.unsignable': {
    level: 'error',
    page: true,
    text: 'a payment expired and cannot be signed again',
    meaning: '`reason` says why. Attempts failed for more than 20 minutes, and go on every half hour',
    action: 'Remove the cause, or `bun run payouts cancel`',
  },
  'transfer.unseen': {
    level: 'error',
    text: 'no node has a transaction that was signed hours ago, and it may still be mined',
    meaning:
      'Tron, Solana, TON and XRP: its outcome should have been known within minutes. `bun run payouts list --waiting` shows it beside its payout',
    action:
      'Check the nodes: their time, and how far back their history reaches. The payout is not paid twice meanwhile',
  },
  'transfer.coins_lost': {
    level: 'error',
    text: 'all UTXOs that a transaction spends have left the chain: it waits for them',
    meaning: 'A reorganisation removed every payment that it spends',
    action: 'Nothing, if they return. Otherwise `bun run payouts cancel`',
  },
  'transfer.given_up_lost_coin': {
    level: 'error',
    text: 'a UTXO that a transaction spends has left the chain: the transaction is given up',
    meaning:
      'A reorganisation removed a payment that it spends. The other UTXOs go back to the wallet, and then its payouts fail',
    action: 'Nothing',
  },
  'transfer.coins_replaced': {
    level: 'warn',
    text: 'UTXOs that were to be spent are gone: others are chosen',
    meaning:
      'A reorganisation removed them, or a stranger with the key spent them, before anything was signed',
    action: 'Nothing',
  },
  'transfer.no_child_possible': {
    level: 'warn',
    text: 'a transaction waits for a block, and no child transaction can pay for it (CPFP)',
    meaning: 'It has no output of ours that could pay a higher fee for both',
    action: 'Wait until fees fall',
  },
  'wallet.nonce_used_elsewhere': {
    level: 'error',
    page: true,
    text: 'a nonce was used by a transaction that this gateway did not sign',
    meaning: 'A stranger has the key of this wallet, or you sent from it by hand',
    action:
      'If it was not you: `bun run payouts stop` at once, and move the money. See [incidents](incidents.md#the-hot-wallet-sent-something-that-quittance-did-not-sign)',
  },
  'wallet.used_elsewhere': {
    level: 'error',
    page: true,
    text: 'a wallet was used by transactions that are not ours',
    meaning: 'The chain is ahead of what this gateway sent: a backup was restored, or a stranger has its key',
    action: 'If you restored no backup and it was not you: `bun run payouts stop` at once',
  },
  'payout.found_paid': {
    level: 'info',
    text: 'an operator found the transaction that paid a payout',
  },
  'payouts.wait_for_chain': {
    level: 'info',
    text: 'payouts from before the start wait until no unknown transaction can be mined any more',
  },
  'wallet.goes_on_behind': {
    level: 'error',
    text: 'the hot wallet continues after transactions that this gateway does not know',
    meaning:
      'Every node has reported the nonces from `from` up to, but not including, `below` as used for a minute, and not all of their transactions were found in a block. The payouts that were pending before are held (`heldPayouts`)',
    action: 'As for `wallet.unknown_transaction`',
  },
  'wallet.unknown_transaction': {
    level: 'error',
    page: true,
    text: 'the hot wallet sent transactions that this gateway does not know: earlier payouts are held',
    meaning:
      'An older backup was put back, or the wallet was used elsewhere. These transactions may have paid pending payouts: `heldPayouts` says how many are held. On UTXO chains a stranger may also have paid exactly what a payout owes',
    action:
      '[Decide on the held payouts](backup.md#deciding-on-held-payouts). If you restored no backup and it was not you: `bun run payouts stop` at once',
  },
  'wallet.nonce_contradicted': {
    level: 'error',
    text: 'a node reports a nonce that is ahead of ours, and other nodes contradict it',
    meaning: 'That node is wrong, or the others lag',
    action: 'Compare `told` with an explorer. Replace the node that is wrong',
  },
  'wallet.blocked': {
    level: 'error',
    page: true,
    text: 'the next payment of a wallet has been in no block for an hour: later ones wait',
    meaning:
      'It is signed and no block takes it, or it cannot be signed: `bun run payouts list` says why. Usual causes: fees are above `fee_ceiling`, signing is stopped, or the wallet lacks the native coin for the fee',
    action: 'Remove the cause, or `bun run payouts cancel`; for a sweep `bun run treasury giveup`',
  },
  'wallet.nonce_gap_filled': {
    level: 'warn',
    text: 'unused nonces were filled with transactions that move nothing',
    meaning: 'Later payments would otherwise wait for these nonces',
    action: 'Nothing',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
