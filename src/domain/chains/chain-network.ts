/**
 * The networks a database was used with: test coins must never be paid out as real ones (safety.md
 * K3).
 */

/**
 * `fake`; on EVM the chain id as in CAIP-2 (`eip155:1`); elsewhere `main`, `test`, `stage` or
 * `regtest`.
 */
export type Network = string;

export const FAKE_NETWORK: Network = 'fake';

export interface ChainNetwork {
  readonly chain: string;
  /** Null in a database of an earlier version: real, and nothing more is known. */
  readonly network: Network | null;
}

export interface NetworkConflict {
  readonly chain: string;
  readonly noted: Network | null;
  readonly found: Network;
}

/**
 * The chains of this start that contradict the database: a chain stays on its network, and fake and
 * real chains never share a database.
 */
export function networkConflicts(
  noted: readonly ChainNetwork[],
  found: readonly { readonly chain: string; readonly network: Network }[],
): readonly NetworkConflict[] {
  const before = new Map(noted.map(({ chain, network }) => [chain, network]));
  const conflicts = found.flatMap(({ chain, network }) => {
    const known = before.get(chain);
    const fits = known === undefined || known === network || (known === null && !isFake(network));
    return fits ? [] : [{ chain, noted: known, found: network }];
  });
  const [first] = found;
  if (conflicts.length > 0 || first === undefined) return conflicts;
  const mixed = noted.filter(({ network }) => isFake(network) !== isFake(first.network));
  return mixed.map(({ chain, network }) => ({ chain, noted: network, found: first.network }));
}

const isFake = (network: Network | null): boolean => network === FAKE_NETWORK;
