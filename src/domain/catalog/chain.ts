/** The chains of the catalog by name. Their facts are in chain-rows.ts. */
import type { ChainFacts, EvmFacts } from './chain-facts.ts';
import { CHAIN_NAMES, CHAIN_ROWS, type ChainName } from './chain-rows.ts';

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

/** Most that is offered for gas by default, of each chain that has it. */
export const GAS_CEILINGS: readonly { readonly chain: ChainName; readonly gwei: string }[] = CHAINS.flatMap(
  ({ name, evm }) => (evm === null ? [] : [{ chain: name, gwei: evm.gas.ceilingGwei }]),
);

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
