/**
 * Compares the chains of a start with the database's, and each node's first block with the chain's:
 * fake money must never be paid out in real coins (safety.md K3).
 */
import { fakeBlockHash } from '../../adapters/chains/fake/chain-state.ts';
import type { ChainRecords } from '../../adapters/postgres/chains/chain-identities.ts';
import type { Config } from '../../config/types.ts';
import { CHAINS, type Chain } from '../../domain/catalog/chain.ts';
import {
  FAKE_NETWORK,
  type Network,
  type NetworkConflict,
  networkConflicts,
} from '../../domain/chains/chain-network.ts';
import type { ChainIdentity } from '../../ports/chains/chain-identity.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { placeOf } from '../place.ts';
import { networkNameOf } from './configured-networks.ts';

/**
 * The database was used with other chains than this start has. The message is complete and in
 * lines, for the operator.
 */
export class ChainsRefused extends Error {
  override readonly name = 'ChainsRefused';
}

export interface ForeignNode {
  readonly chain: string;
  readonly node: string;
  /** First block of the database's chain, and of the node's. */
  readonly noted: string;
  readonly found: string;
}

export interface ChainIdentities {
  of(chain: string): ChainIdentity;
  /** Throws ChainsRefused if a chain that is not open has a node of another chain. */
  refuseForeign(open: ReadonlySet<string>): void;
}

interface Parts {
  readonly records: ChainRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Records the networks of chains that are new to the database. Throws ChainsRefused without
 * recording any.
 */
export async function bindChains(
  config: Config,
  { records, clock, logger }: Parts,
): Promise<ChainIdentities> {
  const found = networksOf(config);
  await records.note(found, clock.now(), (noted, unnoted) => {
    const before = unnoted.map(({ chain, height, hash }) => ({
      chain,
      network: hash === fakeBlockHash(chain, height) ? FAKE_NETWORK : null,
    }));
    const conflicts = networkConflicts([...noted, ...before], found);
    if (conflicts.length > 0) throw new ChainsRefused(conflictLines(config, conflicts).join('\n  '));
  });
  const foreign = new Map<string, ForeignNode>();
  const known = new Map<string, string>();
  return {
    of: (chain) => ({
      async isOurs(genesis, node) {
        const noted = known.get(chain) ?? (await records.noteGenesis(chain, genesis));
        known.set(chain, noted);
        if (noted === genesis) return true;
        foreign.set(chain, { chain, node, noted, found: genesis });
        logger.error('node.foreign_chain', { chain, node, noted, found: genesis });
        return false;
      },
    }),
    refuseForeign(open) {
      const closed = [...foreign.values()].filter(({ chain }) => !open.has(chain));
      if (closed.length > 0) throw new ChainsRefused(foreignLines(config, closed).join('\n  '));
    },
  };
}

/** Of every chain in this configuration. */
function networksOf(config: Config): readonly { chain: string; network: Network }[] {
  if (config.fakeChains) return CHAINS.map(({ name: chain }) => ({ chain, network: FAKE_NETWORK }));
  return CHAINS.flatMap((chain) => {
    const network = networkOf(config, chain);
    return network === null ? [] : [{ chain: chain.name, network }];
  });
}

function networkOf(config: Config, { name, chainId }: Chain): Network | null {
  const settings = config.chains[name];
  if (settings === undefined) return null;
  if (chainId !== null) return `eip155:${settings.chainId ?? chainId}`;
  return networkNameOf(settings);
}

function conflictLines(config: Config, conflicts: readonly NetworkConflict[]): readonly string[] {
  const { database } = placeOf(config);
  const mixed = conflicts.some(({ noted, found }) => (noted === FAKE_NETWORK) !== (found === FAKE_NETWORK));
  const told = conflicts.map(
    ({ chain, noted, found }) =>
      `  ${chain}: the database has ${noted ?? 'a real chain'}, this start ${found}`,
  );
  if (mixed)
    return [
      `${database} was used with ${conflicts[0]?.found === FAKE_NETWORK ? 'real chains, and CHAINS=fake' : 'CHAINS=fake, and this configuration'} would mix them:`,
      ...told.slice(0, 3),
      'What was earned on fake chains would be paid out in real coins. Give each its own DATA_DIR (or DATABASE_URL).',
    ];
  return [
    `${database} was used with other networks than this configuration has:`,
    ...told,
    'Money of one network must not be paid out on another. Use a DATA_DIR (or DATABASE_URL) for each,',
    'or correct chain_id and network in CONFIG_FILE. Of a chain without bookings: bun run chains forget --help',
  ];
}

function foreignLines(config: Config, foreign: readonly ForeignNode[]): readonly string[] {
  return [
    `${placeOf(config).database} was used with other chains than the nodes of this configuration serve:`,
    ...foreign.map(
      ({ chain, node, noted, found }) =>
        `  ${chain}: the first block of the database's is ${noted}, that of ${node} ${found}`,
    ),
    'Correct the URLs in CONFIG_FILE, or use a DATA_DIR (or DATABASE_URL) for each chain.',
    'A test chain that began anew, and has no bookings here: bun run chains forget --help',
  ];
}
