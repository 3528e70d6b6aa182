/** Removes all records of a chain from the database, if no money is booked there (safety.md K3). */
import { sql } from 'drizzle-orm';
import type { Database } from '../client/client.ts';
import { otherSessions } from '../client/other-sessions.ts';
import { theOnly } from '../client/statements.ts';
import { IS_THERE } from '../deposits/deposit-row.ts';
import { deposits as d } from '../schema/addresses.ts';
import { chainHealth, nodeUsage } from '../schema/chain-health.ts';
import { chainCursors as c, chainBlocks, chainIdentities as i } from '../schema/chains.ts';
import { oneOf } from '../schema/columns.ts';
import { outgoingTransfers as t, utxos as u, wallets } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { forwardRequests, capitalBookings as k, sweeps as s } from '../schema/treasury.ts';
import { statement } from '../statement.ts';

export type Forgotten =
  | { readonly kind: 'forgotten' }
  /** There are no records of it. */
  | { readonly kind: 'unknown' }
  /** The bookings, by name; never empty. */
  | { readonly kind: 'booked'; readonly booked: readonly { readonly what: string; readonly count: number }[] }
  | { readonly kind: 'in_use'; readonly sessions: number };

const CHAIN = { chain: i.chain };
const KNOWN = statement({
  given: CHAIN,
  selects: { known: sql<boolean>`known` },
  text: ({ chain }, select) => sql`
    select ${select} from (
      select exists (select from ${i} where ${i.chain} = ${chain})
        or exists (select from ${c} where ${c.chain} = ${chain}) as known)`,
});
const countOf = (name: string) => sql.raw(name).mapWith(Number);
const BOOKED = statement({
  given: CHAIN,
  selects: {
    deposits: countOf('deposits'),
    coins: countOf('coins'),
    transfers: countOf('transfers'),
    sweeps: countOf('sweeps'),
    capital: countOf('capital'),
    payouts: countOf('payouts'),
  },
  text: ({ chain }, select) => sql`
    select ${select} from (select
      (select count(*) from ${d} where ${d.chain} = ${chain} and ${IS_THERE}) as deposits,
      (select count(*) from ${u} where ${u.chain} = ${chain}) as coins,
      (select count(*) from ${t} where ${t.chain} = ${chain}) as transfers,
      (select count(*) from ${s} where ${s.chain} = ${chain}) as sweeps,
      (select count(*) from ${k} where ${k.chain} = ${chain}) as capital,
      (select count(*) from ${p} where not ${p.sandbox} and split_part(${p.asset}, '_', 2) = ${chain}
        and not ${oneOf(p.status, ['failed', 'cancelled'])}) as payouts)`,
});
const FORGET = [i, c, chainBlocks, chainHealth, nodeUsage, wallets, forwardRequests].map((table) =>
  statement({
    given: CHAIN,
    text: ({ chain }) => sql`delete from ${table} where ${table.chain} = ${chain}`,
  }),
);

/** One transaction: all of it is removed, or nothing. */
export function forgetChain(database: Database, chain: string): Promise<Forgotten> {
  return database.transaction(async (on) => {
    const sessions = await otherSessions(on);
    if (sessions > 0) return { kind: 'in_use', sessions };
    const { known } = theOnly(await KNOWN(on, { chain }), 'whether it is known');
    if (!known) return { kind: 'unknown' };
    const counts = theOnly(await BOOKED(on, { chain }), 'what is booked');
    const booked = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [{ what, count }] : []));
    if (booked.length > 0) return { kind: 'booked', booked };
    for (const forget of FORGET) await forget(on, { chain });
    return { kind: 'forgotten' };
  });
}
