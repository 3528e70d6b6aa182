/** A provider's names of chains, and the chain that each name means. */
import { CHAIN_NAMES, type ChainName } from '../../../domain/catalog/chain-rows.ts';

export interface NetworkNames {
  nameOf(chain: ChainName): string;
  /** The chain for a name in any letter case; null if the gateway has no such chain. */
  chainOf(name: string): ChainName | null;
}

/** The chains whose names differ at the provider. */
export function networkNames(others: Readonly<Partial<Record<ChainName, string>>>): NetworkNames {
  const nameOf = (chain: ChainName): string => others[chain] ?? chain;
  const chains = new Map<string, ChainName>(
    CHAIN_NAMES.flatMap((chain) => [
      [nameOf(chain), chain],
      [chain, chain],
    ]),
  );
  return { nameOf, chainOf: (name) => chains.get(name.trim().toLowerCase()) ?? null };
}
