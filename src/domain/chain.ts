/** The chains of the catalog: their family, identity and when their blocks are final (chains.md, "Finality defaults"). */

export const FAMILIES = [
  'evm',
  'bitcoin',
  'litecoin',
  'bitcoincash',
  'tron',
  'solana',
  'xrp',
  'ton',
] as const;
/** Families that have permanent addresses (specification, "Permanent deposit address"). */
export type PermanentFamily = (typeof FAMILIES)[number];
export type Family = PermanentFamily | 'monero';

/** Families whose money is in outputs of transactions. Each has one chain, of the family's name. */
export const UTXO_FAMILIES = ['bitcoin', 'litecoin', 'bitcoincash'] as const satisfies readonly Family[];
export type UtxoFamily = (typeof UTXO_FAMILIES)[number];

/** The networks that a chain of these families can be configured for. */
export const NETWORKS = ['main', 'test', 'regtest'] as const;
export type NetworkName = (typeof NETWORKS)[number];

/** Whether money of the family is unspent outputs, each of which a key of its own spends, and not the balance of an address. */
export function hasCoins(family: Family): family is UtxoFamily {
  return (UTXO_FAMILIES as readonly Family[]).includes(family);
}

/** Whether miners make its blocks, at times that nobody knows. */
export function isMined(family: Family): boolean {
  return hasCoins(family) || family === 'monero';
}

export interface Chain {
  readonly name: string;
  readonly family: Family;
  /** EIP-155 chain id; null outside evm. */
  readonly chainId: number | null;
  /** Blocks on top after which a block is final where the node has no `finalized` tag or equivalent. */
  readonly confirmations: number;
  /** Whether finality follows the node's own `finalized` tag unless configuration names a number of confirmations. */
  readonly finalityTag: boolean;
  readonly pollMs: number;
}

function evm(name: string, chainId: number, confirmations: number, pollMs: number): Chain {
  return { name, family: 'evm', chainId, confirmations, finalityTag: true, pollMs };
}

function other(name: string, family: Family, confirmations: number, pollMs: number): Chain {
  return { name, family, chainId: null, confirmations, finalityTag: false, pollMs };
}

export const CHAINS: readonly Chain[] = [
  other('bitcoin', 'bitcoin', 2, 10_000),
  other('litecoin', 'litecoin', 6, 10_000),
  other('bitcoincash', 'bitcoincash', 6, 10_000),
  evm('ethereum', 1, 12, 12_000),
  evm('bsc', 56, 15, 6_000),
  evm('polygon', 137, 64, 6_000),
  evm('arbitrum', 42_161, 30, 6_000),
  evm('base', 8_453, 30, 6_000),
  evm('optimism', 10, 30, 6_000),
  evm('avalanche', 43_114, 1, 6_000),
  other('tron', 'tron', 19, 6_000),
  other('solana', 'solana', 32, 6_000),
  other('xrp', 'xrp', 1, 4_000),
  other('ton', 'ton', 1, 4_000),
  other('monero', 'monero', 10, 20_000),
];

const BY_NAME: ReadonlyMap<string, Chain> = new Map(CHAINS.map((chain) => [chain.name, chain]));

/** The chain of that name; throws for a name outside the catalog (a bug: names are checked where they enter). */
export function chainNamed(name: string): Chain {
  const chain = BY_NAME.get(name);
  if (!chain) throw new Error(`no such chain: ${name}`);
  return chain;
}

export function isPermanentFamily(value: string): value is PermanentFamily {
  return (FAMILIES as readonly string[]).includes(value);
}
