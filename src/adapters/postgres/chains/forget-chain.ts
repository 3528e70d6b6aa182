/** Takes from the database that it was ever used with a chain, as long as no money is booked there (safety.md K3). */
import type { Database } from '../client/client.ts';
import { otherSessions } from '../client/other-sessions.ts';
import { theOnly } from '../client/statements.ts';

export type Forgotten =
  | { readonly kind: 'forgotten' }
  /** Nothing was noted or read of it. */
  | { readonly kind: 'unknown' }
  /** What is booked, by name; never empty. */
  | { readonly kind: 'booked'; readonly booked: readonly { readonly what: string; readonly count: number }[] }
  | { readonly kind: 'in_use'; readonly sessions: number };

const KNOWN = `
  select exists (select from chain_identities where chain = $1)
    or exists (select from chain_cursors where chain = $1) as known`;
const BOOKED = `
  select
    (select count(*)::int from deposits where chain = $1 and status not in ('dropped', 'reversed')) as deposits,
    (select count(*)::int from coins where chain = $1) as coins,
    (select count(*)::int from outgoing_transfers where chain = $1) as transfers,
    (select count(*)::int from sweeps where chain = $1) as sweeps,
    (select count(*)::int from capital_bookings where chain = $1) as capital,
    (select count(*)::int from payouts
     where not sandbox and split_part(asset, '_', 2) = $1 and status not in ('failed', 'cancelled')) as payouts`;
const FORGET = [
  'chain_identities',
  'chain_cursors',
  'chain_blocks',
  'chain_health',
  'node_usage',
  'wallets',
].map((table) => `delete from ${table} where chain = $1`);

/** One transaction: all of it is forgotten, or nothing. */
export function forgetChain(database: Database, chain: string): Promise<Forgotten> {
  return database.transaction(async (sql) => {
    const sessions = await otherSessions(sql);
    if (sessions > 0) return { kind: 'in_use', sessions };
    const { known } = theOnly(await sql.query<{ known: boolean }>(KNOWN, [chain]), 'whether it is known');
    if (!known) return { kind: 'unknown' };
    const counts = theOnly(await sql.query<Record<string, number>>(BOOKED, [chain]), 'what is booked');
    const booked = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [{ what, count }] : []));
    if (booked.length > 0) return { kind: 'booked', booked };
    for (const statement of FORGET) await sql.query(statement, [chain]);
    return { kind: 'forgotten' };
  });
}
