/**
 * What the service writes for payouts that wait together, in plain SQL: sets of payouts, a
 * statement for each table, and a transaction for each of the four moments (allocated, signed,
 * broadcast, settled). Nothing is decided or signed here.
 */
import type { SQL } from 'bun';

export interface WaitingPayouts {
  readonly ids: readonly string[];
  /** Of a payout's webhook, packed, in hex. */
  readonly body: string;
  /** A transaction's bytes as they are stored. */
  readonly raw: string;
  /** A final block, so that the service does not take the payouts for undone. */
  readonly block: { readonly height: number; readonly hash: string };
}

/** Payouts in a transaction. */
const SET = 500;
/** Not the service's own, whose nonces it counts. */
const WALLET = '0x00000000000000000000000000000000000000aa';

const GIVEN = `any (string_to_array($1, ','))`;
const id = (kind: string, of: string): string => `substr(md5('${kind}' || ${of}), 1, 24)`;
const txid = (of: string): string => `md5('t' || ${of}) || md5(${of})`;

/** A webhook of each payout, and its event. */
const TELL = `
  with wanted as (
    select merchant_id, sandbox, count(*) as lines from payouts where id = ${GIVEN} group by 1, 2),
  counter as (
    insert into counters (merchant_id, sandbox, stream, value, last_at)
    select merchant_id, sandbox, 'events', lines, now() from wanted order by 1, 2
    on conflict (merchant_id, sandbox, stream) do update set
      value = counters.value + excluded.value, last_at = excluded.last_at
    returning merchant_id, sandbox, value),
  delivery as (
    insert into webhook_deliveries (id, payout_id, merchant_id, sandbox, url, packed_body, told_status, told_event, event_seq, event_at)
    select ${id('w', 'p.status || p.id')}, p.id, p.merchant_id, p.sandbox, m.callback_url, decode($2, 'hex'), p.status,
      'payout.' || p.status,
      counter.value - wanted.lines + row_number() over (partition by p.merchant_id, p.sandbox order by p.id), now()
    from payouts p join merchants m on m.id = p.merchant_id
      join counter using (merchant_id, sandbox) join wanted using (merchant_id, sandbox)
    where p.id = ${GIVEN}
    returning id, merchant_id, sandbox, url)
  insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts)
  select id, merchant_id, sandbox, url, now(), 0 from delivery`;

const ALLOCATED = [
  `with wallet as (
     insert into wallets (chain, address, next_sequence)
     select 'ethereum', '${WALLET}', cardinality(string_to_array($1, ','))
     on conflict (chain, address) do update set next_sequence = wallets.next_sequence + excluded.next_sequence
     returning next_sequence)
   insert into outgoing_transfers (id, chain, wallet, sequence, bundle_id, position, purpose, reference_id, asset, to_address,
     units, status, voided, created_at)
   select ${id('o', 'id')}, 'ethereum', '${WALLET}', next_sequence - row_number() over (order by id), ${id('o', 'id')}, 0, 'payout',
     id, asset, address, sent_units, 'allocated', false, now()
   from payouts, wallet where id = ${GIVEN}`,
  `update payouts set let_go_at = now() where id = ${GIVEN}`,
];
const SIGNED = [
  `insert into signed_transactions (bundle_id, ordinal, txid, raw, voids, max_fee_units, signed_at)
   select ${id('o', 'id')}, 1, ${txid('id')}, $2, false, 136500000000000, now() from payouts where id = ${GIVEN}`,
  `update outgoing_transfers set status = 'signed', open_attempts = 1 where purpose = 'payout' and reference_id = ${GIVEN}`,
  `update payouts set status = 'processing', txid = ${txid('id')}, tx_hashes = array[${txid('id')}], updated_at = now()
   where id = ${GIVEN}`,
];
const BROADCAST = `
  update signed_transactions set broadcast_at = now()
  where bundle_id = any (array(select ${id('o', 'id')} from payouts where id = ${GIVEN}))`;
const SETTLED = [
  `update outgoing_transfers set status = 'confirmed', txid = ${txid('reference_id')},
     block_height = $2::int, block_hash = $3, fee_units = 71500000000000
   where purpose = 'payout' and reference_id = ${GIVEN}`,
  `update payouts set status = 'success', processed_at = now(), updated_at = now() where id = ${GIVEN}`,
  `with entry as (
     insert into ledger_entries (id, merchant_id, sandbox, kind, reference_id, ordinal, at)
     select ${id('s', 'id')}, merchant_id, sandbox, 'payout_settled', id, 2, now() from payouts where id = ${GIVEN}
     union all
     select ${id('n', 'id')}, null, false, 'network_fee', ${id('o', 'id')}, 1, now() from payouts where id = ${GIVEN})
   insert into ledger_postings (entry_id, ordinal, account, currency, amount)
   select substr(md5(entry || id), 1, 24), ordinal, account, coalesce(currency, asset), amount
   from payouts cross join (values ('s', 0, 'payouts_in_flight', 'USD', 1143000), ('s', 1, 'network_fees', 'USD', -143000),
     ('s', 2, 'trading', 'USD', -1000000), ('s', 3, 'trading', null, 1000000), ('s', 4, 'treasury', null, -1000000),
     ('n', 0, 'treasury', 'eth_ethereum', -71500000000000), ('n', 1, 'trading', 'eth_ethereum', 71500000000000),
     ('n', 2, 'trading', 'USD', -143000), ('n', 3, 'network_fees', 'USD', 143000))
     posting (entry, ordinal, account, currency, amount)
   where id = ${GIVEN}`,
];

/** Each pays 1 USDT on Ethereum; the merchant pays 0.143 USD for the network. */
export async function payInSets(sql: SQL, { ids, body, raw, block }: WaitingPayouts): Promise<void> {
  const sets: string[] = [];
  for (let from = 0; from < ids.length; from += SET) sets.push(ids.slice(from, from + SET).join(','));
  const each = async (work: (transaction: SQL, given: string) => Promise<unknown>): Promise<void> => {
    for (const given of sets) await sql.begin((transaction) => work(transaction, given));
  };
  await each(async (on, given) => {
    for (const write of ALLOCATED) await on.unsafe(write, [given]);
  });
  await each(async (on, given) => {
    const [transactions, ...updates] = SIGNED;
    await on.unsafe(transactions!, [given, raw]);
    for (const update of updates) await on.unsafe(update, [given]);
    await on.unsafe(TELL, [given, body]);
  });
  await each((on, given) => on.unsafe(BROADCAST, [given]));
  await each(async (on, given) => {
    const [transfers, ...writes] = SETTLED;
    await on.unsafe(transfers!, [given, block.height, block.hash]);
    for (const write of writes) await on.unsafe(write, [given]);
    await on.unsafe(TELL, [given, body]);
  });
}
