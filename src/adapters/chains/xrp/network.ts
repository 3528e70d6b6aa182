/** The networks of the XRP Ledger: how their X-addresses begin, and which id their nodes tell. */
import type { NetworkName } from '../../../domain/catalog/family.ts';

/** What all parts of the family need to know of a network. */
export interface XrpNetwork {
  readonly name: 'main' | 'test';
  /** First two bytes of an X-address (XLS-5): text begins with X on the main network, with T elsewhere. */
  readonly prefix: readonly [number, number];
  /** Ids that a node may tell; null is that of a node whose configuration names none, as many of the main network's do. */
  readonly ids: readonly (number | null)[];
}

const NETWORKS: Readonly<Record<XrpNetwork['name'], XrpNetwork>> = {
  main: { name: 'main', prefix: [0x05, 0x44], ids: [0, null] },
  // Testnet and Devnet: nothing in an address or a transaction tells them apart.
  test: { name: 'test', prefix: [0x04, 0x93], ids: [1, 2] },
};

/** By its configured name; the main one when none is. */
export function xrpNetwork(name: NetworkName | null): XrpNetwork {
  return NETWORKS[name === null || name === 'main' ? 'main' : 'test'];
}
