/**
 * All that is stored about payments, to be compared with what another run stored: names instead of
 * what differs from run to run.
 */
import type { SQL } from 'bun';
import { unpacked } from '../../../src/adapters/postgres/client/packed-text.ts';
import type { Json } from '../test-service.ts';

const QUERIES = {
  invoices: 'select to_jsonb(t) as row from invoices t where merchant_id = any ($1) order by id',
  deposits: 'select to_jsonb(t) as row from deposits t where merchant_id = any ($1)',
  entries: `
    select to_jsonb(t) || jsonb_build_object('postings',
      (select jsonb_agg(jsonb_build_array(p.account, p.currency, p.amount::text) order by p.ordinal)
       from ledger_postings p where p.entry_id = t.id)) as row
    from ledger_entries t where merchant_id = any ($1)`,
  balances: 'select to_jsonb(t) as row from balances t where merchant_id = any ($1)',
  counters: 'select to_jsonb(t) as row from counters t where merchant_id = any ($1)',
  deliveries: `
    select to_jsonb(t) || to_jsonb(q) as row
    from webhook_deliveries t join webhook_queue q on q.delivery_id = t.id where t.merchant_id = any ($1)`,
  coins: `
    select to_jsonb(t) as row from coins t join deposits d on d.chain = t.chain and d.txid = t.txid
    where d.merchant_id = any ($1)`,
} as const;
/** Random, or of the chain's own counting. */
const VOLATILE = new Set([
  'id',
  'delivery_id',
  'block_height',
  'block_hash',
  'derivation_index',
  'key_index',
  'seq',
]);

/** By table; rows in an order that does not depend on ids. */
export async function rowsOf(
  sql: SQL,
  {
    merchants,
    invoices,
    txids,
  }: { merchants: readonly { id: string }[]; invoices: readonly Json[]; txids: readonly string[] },
): Promise<Record<keyof typeof QUERIES, Json[]>> {
  const names = new Map<string, string>();
  for (const [n, { id }] of merchants.entries()) names.set(id, `merchant ${n}`);
  for (const [n, { order_id: id, address_to: address }] of invoices.entries()) {
    names.set(id, `invoice ${n}`);
    names.set(address, `address ${n}`).set(address.toLowerCase(), `address ${n}`);
  }
  for (const [n, txid] of txids.entries()) names.set(txid, `payment ${n}`);
  const ids = sql.array(
    merchants.map(({ id }) => id),
    'TEXT',
  );
  const read = async (query: string): Promise<Json[]> =>
    (await sql.unsafe(query, [ids])).map(({ row }: Json) => withBody(row));
  for (const { id, external_id: external } of await read(QUERIES.invoices))
    names.set(external, `page of ${names.get(id)}`);
  const deposits = await read(QUERIES.deposits);
  for (const { id, txid } of deposits) names.set(id, `deposit of ${names.get(txid)}`);
  const any = new RegExp([...names.keys()].join('|'), 'g');
  const named = (rows: Json[]): Json[] =>
    rows
      .map((row) =>
        JSON.stringify(row, (key, value) => (VOLATILE.has(key) && key !== '' ? undefined : value)),
      )
      .map((text) => text.replaceAll(any, (found) => names.get(found) ?? found))
      .sort()
      .map((text) => JSON.parse(text));
  const found: Partial<Record<keyof typeof QUERIES, Json[]>> = {};
  for (const [table, query] of Object.entries(QUERIES))
    found[table as keyof typeof QUERIES] = named(await read(query));
  return found as Record<keyof typeof QUERIES, Json[]>;
}

/** A packed body as JSON. */
function withBody({ packed_body: bytes, ...row }: Json): Json {
  return bytes ? { ...row, body: JSON.parse(unpacked(Buffer.from(bytes.slice(2), 'hex'))) } : row;
}
