/**
 * The networks of the XRP Ledger: the prefixes of their X-addresses, and the network ids of their
 * nodes.
 */
import type { NetworkName } from '../../../domain/catalog/family.ts';

/** What all parts of the family need to know of a network. */
export interface XrpNetwork {
  readonly name: 'main' | 'test';
  /**
   * First two bytes of an X-address (XLS-5): text begins with X on the main network, with T
   * elsewhere.
   */
  readonly prefix: readonly [number, number];
  /**
   * Ids that a node may report; null for a node whose configuration names none, like many of the
   * main network.
   */
  readonly ids: readonly (number | null)[];
}

const NETWORKS: Readonly<Record<XrpNetwork['name'], XrpNetwork>> = {
  main: { name: 'main', prefix: [0x05, 0x44], ids: [0, null] },
  // Testnet and Devnet: their addresses and transactions do not differ.
  test: { name: 'test', prefix: [0x04, 0x93], ids: [1, 2] },
};

/** By its configured name; the main network by default. */
export function xrpNetwork(name: NetworkName | null): XrpNetwork {
  return NETWORKS[name === null || name === 'main' ? 'main' : 'test'];
}
