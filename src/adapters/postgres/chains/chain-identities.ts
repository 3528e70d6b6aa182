/** The networks and chains that the database was used with (safety.md K3). */
import { sql } from 'drizzle-orm';
import type { Network } from '../../../domain/chains/chain-network.ts';
import type { Database } from '../client/client.ts';
import { theOnly } from '../client/statements.ts';
import { chainBlocks as b, chainIdentities as i } from '../schema/chains.ts';
import { statement } from '../statement.ts';
import { at, insertSelect, names, notNull, nullable, records, set } from '../statement-parts.ts';
import { type Forgotten, forgetChain } from './forget-chain.ts';

export interface NotedChain {
  readonly chain: string;
  readonly network: Network;
  readonly genesis: string | null;
}

/**
 * A chain that an older version read without storing its network, with the oldest remembered block.
 */
export interface UnnotedChain {
  readonly chain: string;
  readonly height: number;
  readonly hash: string;
}

export interface ChainRecords {
  /**
   * Stores the networks of chains that have none yet. Passes the stored ones to `judge` first; if
   * that throws, nothing is written. Of two processes that start on an empty database together, the
   * second gets what the first stored.
   */
  note(
    chains: readonly { readonly chain: string; readonly network: Network }[],
    at: Date,
    judge: (noted: readonly NotedChain[], unnoted: readonly UnnotedChain[]) => void,
  ): Promise<void>;
  all(): Promise<readonly NotedChain[]>;
  /** Removes a chain without bookings (forget-chain.ts). */
  forget(chain: string): Promise<Forgotten>;
  /** Stores the first block of a chain unless there is one; returns the stored one. */
  noteGenesis(chain: string, genesis: string): Promise<string>;
}

const NOTE = statement({
  given: { chains: records('c', { chain: i.chain, network: i.network }), at: i.notedAt },
  text: ({ chains, at: notedAt }) => sql`
    ${insertSelect(i, { chain: at('c', i.chain), network: at('c', i.network), notedAt })} from ${chains}
    on conflict (${names(i.chain)}) do nothing`,
});
const ALL = statement({
  selects: { chain: i.chain, network: i.network, genesis: i.genesis },
  text: (_given, select) => sql`select ${select} from ${i} order by ${i.chain}`,
});
const UNNOTED = statement({
  selects: { chain: b.chain, height: b.height, hash: b.hash },
  text: (_given, select) => sql`
    select distinct on (${b.chain}) ${select} from ${b}
    where not exists (select from ${i} where ${i.chain} = ${b.chain})
    order by ${b.chain}, ${b.height}`,
});
const NOTE_GENESIS = statement({
  given: { chain: i.chain, genesis: nullable(i.genesis) },
  selects: { genesis: notNull(i.genesis) },
  text: ({ chain, genesis }, select) => sql`
    update ${i} set ${set(i, { genesis: sql<string>`coalesce(${i.genesis}, ${genesis})` })}
    where ${i.chain} = ${chain} returning ${select}`,
});

export function postgresChainRecords(database: Database): ChainRecords {
  return {
    note: (chains, at, judge) =>
      database.transaction(async (sql) => {
        const unnoted = await UNNOTED(sql);
        await NOTE(sql, { chains, at });
        judge(await ALL(sql), unnoted);
      }),
    all: () => ALL(database),
    forget: (chain) => forgetChain(database, chain),
    noteGenesis: async (chain, genesis) =>
      theOnly(await NOTE_GENESIS(database, { chain, genesis }), `the network of ${chain}`).genesis,
  };
}
