/** Which networks and chains the database was used with (safety.md K3). */
import type { Network } from '../../domain/chain-network.ts';
import type { Database, Sql } from './client.ts';
import { type Forgotten, forgetChain } from './forget-chain.ts';
import { theOnly } from './statements.ts';

export interface NotedChain {
  readonly chain: string;
  readonly network: Network;
  readonly genesis: string | null;
}

/** A chain that was read by a version which noted no networks, with the oldest of its blocks that is remembered. */
export interface UnnotedChain {
  readonly chain: string;
  readonly height: number;
  readonly hash: string;
}

export interface ChainRecords {
  /**
   * Notes the networks of chains that have none yet, unless `judge` throws when it is told what is noted; nothing is written then.
   * Of two processes that start at once on an empty database the second is told what the first one noted.
   */
  note(
    chains: readonly { readonly chain: string; readonly network: Network }[],
    at: Date,
    judge: (noted: readonly NotedChain[], unnoted: readonly UnnotedChain[]) => void,
  ): Promise<void>;
  all(): Promise<readonly NotedChain[]>;
  /** Forgets a chain that has no bookings (forget-chain.ts). */
  forget(chain: string): Promise<Forgotten>;
  /** Notes the first block of a chain unless one was noted; answers the one that stands. */
  noteGenesis(chain: string, genesis: string): Promise<string>;
}

const NOTE = `
  insert into chain_identities (chain, network, noted_at)
  select chain, network, $3 from unnest($1::text[], $2::text[]) as c (chain, network)
  on conflict (chain) do nothing`;
const ALL = 'select chain, network, genesis from chain_identities order by chain';
const UNNOTED = `
  select distinct on (b.chain) b.chain, b.height, b.hash from chain_blocks b
  where not exists (select from chain_identities i where i.chain = b.chain)
  order by b.chain, b.height`;
const NOTE_GENESIS = `
  update chain_identities set genesis = coalesce(genesis, $2) where chain = $1 returning genesis`;

export function postgresChainRecords(database: Database): ChainRecords {
  return {
    note: (chains, at, judge) =>
      database.transaction(async (sql) => {
        type Row = { chain: string; height: string; hash: string };
        const unnoted = await sql.query<Row>(UNNOTED);
        const networks = chains.map(({ network }) => network);
        await sql.query(NOTE, [chains.map(({ chain }) => chain), networks, at]);
        judge(
          await allOf(sql),
          unnoted.map(({ height, ...block }) => ({ ...block, height: Number(height) })),
        );
      }),
    all: () => allOf(database),
    forget: (chain) => forgetChain(database, chain),
    async noteGenesis(chain, genesis) {
      const rows = await database.query<{ genesis: string }>(NOTE_GENESIS, [chain, genesis]);
      return theOnly(rows, `the network of ${chain}`).genesis;
    },
  };
}

const allOf = (sql: Sql): Promise<readonly NotedChain[]> => sql.query<NotedChain>(ALL);
