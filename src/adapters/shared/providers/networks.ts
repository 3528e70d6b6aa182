/** How a provider names chains, and which chain such a name means. */

export interface NetworkNames {
  /** A chain without a name of the provider's goes by its own. */
  nameOf(chain: string): string;
  /** The chain that the provider means, in any letter case; null when it is none of ours. */
  chainOf(name: string): string | null;
}

export function networkNames(names: Readonly<Record<string, string>>): NetworkNames {
  const chains = new Map(
    Object.entries(names).flatMap(([chain, name]) => [
      [name, chain],
      [chain, chain],
    ]),
  );
  return {
    nameOf: (chain) => names[chain] ?? chain,
    chainOf: (name) => chains.get(name.trim().toLowerCase()) ?? null,
  };
}
