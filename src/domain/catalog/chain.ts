/**
 * The families of chains, and the chains of the catalog by name. Their facts are in
 * catalog/chain-rows.ts.
 */
import type { ChainFacts, EvmFacts } from './chain-facts.ts';
import { CHAIN_NAMES, CHAIN_ROWS, type ChainName } from './chain-rows.ts';
import { FAMILIES, type Family, type PermanentFamily } from './family.ts';

/** Families whose money is in outputs of transactions. Each has one chain, of the family's name. */
export const UTXO_FAMILIES = ['bitcoin', 'litecoin', 'bitcoincash'] as const satisfies readonly Family[];
export type UtxoFamily = (typeof UTXO_FAMILIES)[number];

/** The networks that a chain of these families can be configured for. */
export const NETWORKS = ['main', 'test', 'regtest'] as const;
export type NetworkName = (typeof NETWORKS)[number];

/**
 * Whether money of the family is unspent outputs, each of which a key of its own spends, and not
 * the balance of an address.
 */
export function hasCoins(family: Family): family is UtxoFamily {
  return (UTXO_FAMILIES as readonly Family[]).includes(family);
}

/** Whether miners make its blocks, at times that nobody knows. */
export function isMined(family: Family): boolean {
  return hasCoins(family) || family === 'monero';
}

/**
 * What is known of a chain, with its name: one of the catalog's, as all are that nodes are
 * configured for.
 */
export interface Chain extends ChainFacts {
  readonly name: string;
}

/** In the order in which lists show them. */
export const CHAINS: readonly (Chain & { readonly name: ChainName })[] = CHAIN_NAMES.map((name) => ({
  name,
  ...CHAIN_ROWS[name],
}));

const BY_NAME: ReadonlyMap<string, Chain> = new Map(CHAINS.map((chain) => [chain.name, chain]));

/**
 * The chain of that name; throws for a name outside the catalog (a bug: names are checked where
 * they enter).
 */
export function chainNamed(name: string): Chain {
  const chain = BY_NAME.get(name);
  if (!chain) throw new Error(`no such chain: ${name}`);
  return chain;
}

/** What is known of an EVM chain besides; throws for any other. */
export function evmFacts(name: string): EvmFacts {
  const { evm } = chainNamed(name);
  if (!evm) throw new Error(`not an EVM chain: ${name}`);
  return evm;
}

const ALIASES: ReadonlyMap<string, ChainName> = new Map(
  CHAINS.flatMap(({ name, aliases }) => [name, ...aliases].map((alias) => [alias, name])),
);

/**
 * The name of the chain that a merchant calls so, in any letter case; null when it is none of the
 * catalog.
 */
export function canonicalChain(name: string): ChainName | null {
  return ALIASES.get(name.trim().toLowerCase()) ?? null;
}

/** Whether addresses of the family can be a user's for good. */
export function isPermanentFamily(value: string): value is PermanentFamily {
  return (FAMILIES as readonly string[]).includes(value);
}
