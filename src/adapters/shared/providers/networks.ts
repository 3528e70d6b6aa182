/** How a provider names chains, and which chain such a name means. */
import { CHAIN_NAMES, type ChainName } from '../../../domain/catalog/chain-rows.ts';

export interface NetworkNames {
  nameOf(chain: ChainName): string;
  /** The chain that the provider means, in any letter case; null when it is none of ours. */
  chainOf(name: string): ChainName | null;
}

/** The chains that the provider names otherwise than we do. */
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
