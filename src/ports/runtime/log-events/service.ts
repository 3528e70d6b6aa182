/** Log events of the processes themselves: jobs, HTTP, the database, webhooks and the signer. */
import type { LogEventEntry } from './entry.ts';

export const SERVICE_EVENTS = {
  'service.ready': { level: 'info', text: 'ready' },
  'service.stopping': { level: 'info', text: 'stopping' },
  'service.chains_not_opened': {
    level: 'error',
    text: 'opening the chains failed and will be tried again',
    meaning: 'A bug, or the database did not answer',
    action: 'If it repeats, report it',
  },
  'job.failed': {
    level: 'error',
    text: 'a job failed and will run again',
    meaning: 'A bug, or the database did not answer',
    action: 'If it repeats, report it',
  },
  'http.request': { level: 'info', text: 'request' },
  'http.refused': {
    level: 'warn',
    text: 'callers were refused: they sent too many requests',
    meaning:
      'The number of 429 answers in the last minute, by caller (`by_caller`): a merchant, or the network of requests without a valid key',
    action: 'A merchant: talk to it, or raise `RATE_LIMIT_PER_MINUTE`. A network: block it in your proxy',
  },
  'http.request_failed': {
    level: 'error',
    text: 'request failed',
    meaning: 'A bug. The caller got a 500 with the `request_id`',
    action: 'Report it',
  },
  'checkout.not_told': {
    level: 'error',
    text: 'open checkouts get no updates at the moment',
    meaning: 'The database does not answer, or a bug. Pages poll instead',
    action: 'If it persists, report it',
  },
  'checkout.not_built': {
    level: 'error',
    text: 'the files of the checkout or of the console were not built and will be tried again',
    meaning: 'A bug, or the disk is full',
    action: 'If it repeats, report it',
  },
  'webhook.not_sent': {
    level: 'error',
    text: 'a webhook could not be sent',
    meaning: 'A bug: the receiver was not called. It is tried again',
    action: 'If it repeats, report it',
  },
  'webhook.receiver_silent': {
    level: 'warn',
    text: 'a receiver does not answer: its webhooks wait',
    meaning: '`destination` is tried again at `tryAt`, and later every five minutes. Webhooks wait for a day',
    action: 'If it persists, tell the merchant: `bun run webhooks status`',
  },
  'webhook.receiver_answers': { level: 'info', text: 'a receiver answers again' },
  'webhook.given_up': {
    level: 'warn',
    text: 'webhooks were given up: their receivers have not answered for a day',
    meaning: '`deliveries` says how many. Merchants can read the changes through the API',
    action: 'When the receiver is back: `bun run webhooks replay --dead --since TIME`',
  },
  'merchant.new_key_used': {
    level: 'info',
    text: 'a merchant called with its new API key: its webhooks are signed with it from now on',
  },
  'merchant.old_key_ends': {
    level: 'warn',
    text: 'an old API key ends soon, and its merchant has not called with the new one',
    meaning:
      'At `until` the old key of `merchantId` is refused, and webhooks are signed with the new one alone',
    action:
      'Ask the merchant. If it needs more time: `bun run merchant end-overlap <id> --environment live --in 24h`',
  },
  'database.migrated': { level: 'info', text: 'migrated the database' },
  'database.away': {
    level: 'error',
    text: 'the database is away',
    meaning: 'It does not answer. Calls get a 503, and jobs run again',
    action: 'Check the database',
  },
  'database.back': { level: 'info', text: 'the database is back' },
  'replica.unfit': {
    level: 'warn',
    text: 'the replica cannot answer lists and reports: the primary does',
    meaning:
      '`reason` is `away`, `behind` (it has not replayed what the primary stored), `slow`, `no_standby`, `other_database` (of another cluster, or another one of this cluster), or `other_timeline` (it follows another primary, or the role may not see which one). `cause` is the error, where there is one',
    action:
      'Check the replica of `DATABASE_URL_READ`. For `other_timeline`, `grant pg_read_all_stats` to its role',
  },
  'replica.fit': { level: 'info', text: 'the replica answers lists and reports again' },
  'clock.differs': {
    level: 'error',
    page: true,
    over: 'clock.agrees',
    text: "the machine's clock and the chains' own time differ",
    meaning:
      '`aheadSeconds` says by how much the clock is ahead (below zero: behind). The limit is one minute, or two hours where only Bitcoin, Litecoin, Bitcoin Cash or Monero is read',
    action: 'Set the clock by NTP. See [incidents](incidents.md#the-clock-is-wrong)',
  },
  'clock.agrees': { level: 'info', text: "the machine's clock and the chains' own time agree again" },
  'addresses.database_behind': {
    level: 'error',
    page: true,
    text: 'the database knows fewer addresses than this host gave out: they are not given out again',
    meaning: 'An older backup of the database was put back',
    action:
      'If `bun run restore` was not run: stop all processes and run it. See [backup](backup.md#restoring-an-older-backup)',
  },
  'addresses.mark_missing': {
    level: 'warn',
    text: 'issued-indexes.json is missing: the database alone says how many addresses were given out',
    meaning: 'Normal once, after an upgrade and on a new host. Otherwise `issued-indexes.json` was lost',
    action:
      'If the database is from a backup: stop all processes and run `bun run restore`, which skips more addresses',
  },
  'postgres.started': { level: 'info', text: 'started the embedded PostgreSQL' },
  'postgres.adopted': { level: 'info', text: 'took over the embedded PostgreSQL, which was still running' },
  'postgres.ended': {
    level: 'error',
    text: 'the embedded PostgreSQL ended unexpectedly: starting it again',
    meaning: 'It was killed, perhaps by the kernel for its memory',
    action: 'Check the memory of the machine',
  },
  'postgres.not_back': {
    level: 'error',
    text: 'the embedded PostgreSQL could not be started again yet',
    meaning: '`error` says why. It is tried again',
    action: 'Check the disk and the memory of the machine',
  },
  'postgres.back': { level: 'info', text: 'the embedded PostgreSQL is back' },
  'signer.signed': { level: 'info', text: 'signed' },
  'signer.derived': { level: 'info', text: 'derived' },
  'signer.not_signed': {
    level: 'warn',
    text: 'did not sign',
    meaning: '`kind` says whether the order was refused or failed, `reason` why',
    action: 'For a refusal by the policy: check the order, then the policy',
  },
  'signer.order_failed': {
    level: 'error',
    text: 'an order failed',
    meaning: 'A bug',
    action: 'Report it',
  },
  'signer.connection_failed': {
    level: 'error',
    text: 'a connection of the signer failed',
    meaning: 'A bug. The worker connects again',
    action: 'If it repeats, report it',
  },
  'signer.log_torn': {
    level: 'warn',
    text: 'the last line of the signer log was incomplete: its signature was never returned',
    meaning: 'The process or the machine ended while it wrote',
    action: 'Nothing',
  },
  'mail.not_sent': {
    level: 'warn',
    text: 'a mail server did not take an e-mail',
    meaning: '`code` is its answer, if there was one. Unless it is final the e-mail is tried again for a day',
    action: 'If it repeats, check SMTP_URL and the mail server',
  },
  'mail.given_up': {
    level: 'warn',
    text: 'an e-mail to a customer was given up',
    meaning:
      '`failure` is `refused` by the server for good, `unreachable` for a day, or `obsolete`: what it tells is not true any more',
    action: 'Nothing, if it is `obsolete` or the address is wrong. Else check the mail server',
  },
  'notice.not_stored': {
    level: 'warn',
    text: 'an alarm could not be stored as a notice to operators',
    meaning:
      'If the database is away, the alarm is stored when it is back. Otherwise this log alone has it (`error`)',
    action: 'Check the database. If it repeats, report it',
  },
  'notice.not_sent': {
    level: 'warn',
    text: 'a notice to operators could not be sent',
    meaning:
      '`channel` is `mail` or `webhook`, `failure` says whether it was refused or nobody answered. It is tried again for a day',
    action: 'Check SMTP_URL, OPERATOR_MAIL_TO and OPERATOR_WEBHOOK_URL',
  },
  'notice.given_up': {
    level: 'error',
    text: 'a notice to operators was given up: nobody took it for a day',
    meaning: 'An alarm (`alarm`) was raised, and this channel did not report it. The notice is kept',
    action: 'Read the alarm in this log. Then check the channel as for `notice.not_sent`',
  },
  'backup.not_recorded': {
    level: 'warn',
    text: 'a backup was made, and the database did not take the record of it',
    meaning: 'The copy is good. `quittance_backup_age_seconds` does not know of it (`error`)',
    action: 'Nothing before an upgrade. Otherwise check the database',
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
