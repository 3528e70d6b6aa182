/** Checks of the dense numbers that lists go by, for reconciliation: each selects `reference, expected, found`. */
import type { Stream } from './numbering.ts';

export const NUMBERING_CHECKS: Readonly<Record<string, string>> = {
  'invoices are numbered without gaps': numbering({
    stream: 'invoices',
    table: 'invoices',
    key: 'seq',
    time: 'created_at',
  }),
  'payouts are numbered without gaps': numbering({
    stream: 'payouts',
    table: 'payouts',
    key: 'seq',
    time: 'created_at',
  }),
  'the ledger feed is numbered without gaps': numbering({
    stream: 'ledger',
    table: 'ledger_entries',
    key: 'feed_seq',
    time: 'at',
  }),
  // Attempts are numbered as they end, so the times they were sent may cross.
  'attempts are numbered without gaps': numbering({
    stream: 'notifications',
    table: 'webhook_attempts',
    key: 'seq',
    time: null,
  }),
  // Replays repeat a number.
  'events are numbered without gaps': numbering({
    stream: 'events',
    table: 'webhook_deliveries',
    key: 'case when event_at is not null then event_seq end',
    time: 'event_at',
  }),
};

/** Numbers run from 1 to the counter's value without a gap, and times never backwards along them. */
function numbering(list: { stream: Stream; table: string; key: string; time: string | null }): string {
  const { stream, table, key, time } = list;
  const backwards =
    time === null
      ? 'false'
      : `${time} < lag(${time}) over (partition by merchant_id, sandbox order by ${key})`;
  return `
    with numbered as (
      select merchant_id, sandbox, ${key} as seq, ${backwards} as backwards from ${table} where ${key} is not null),
    counted as (
      select merchant_id, sandbox, count(*) as rows, max(seq) as last, bool_or(backwards) as backwards
      from numbered group by merchant_id, sandbox)
    select c.merchant_id || case when c.sandbox then ' sandbox' else ' live' end as reference,
      c.value::text as expected,
      format('%s rows up to %s%s', coalesce(n.rows, 0), coalesce(n.last, 0),
        case when n.backwards then ', times running backwards' else '' end) as found
    from counters c left join counted n using (merchant_id, sandbox)
    where c.stream = '${stream}'
      and (c.value <> coalesce(n.rows, 0) or c.value <> coalesce(n.last, 0) or coalesce(n.backwards, false))`;
}
