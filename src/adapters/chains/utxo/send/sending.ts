/** What the parts of a UTXO sender share: the chain, its nodes, and the operator's settings. */
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import type { SpendingBackend } from '../backend.ts';
import { scriptOf } from '../codec/address.ts';
import type { UtxoNetwork } from '../network.ts';
import type { FeePolicy } from './fee-market.ts';

export interface UtxoSending {
  readonly chain: string;
  readonly network: UtxoNetwork;
  readonly pool: NodePool<SpendingBackend>;
  readonly fees: FeePolicy;
  /** Blocks that make a transaction final, its own included. */
  readonly confirmations: number;
  /** Whether waiting transactions are replaced; if not, a child spends their change. */
  readonly replaceable: boolean;
  /** <account>/1/<index>. */
  changeAddress(index: number): string;
}

/** The key and the address that take the change of the transaction of `nonce`. */
export function changeOfNonce(sending: UtxoSending, nonce: bigint) {
  const index = Number(nonce) + 1;
  return { key: { role: 'change', index } as const, address: sending.changeAddress(index) };
}

/** The script of our own address. It comes from our own storage, so any other text throws. */
export function ownAddressScript({ network }: UtxoSending, address: string): Uint8Array {
  const script = scriptOf(network, address);
  if (script === null) throw new Error(`${address} is no address of ${network.family} ${network.name}`);
  return script;
}
