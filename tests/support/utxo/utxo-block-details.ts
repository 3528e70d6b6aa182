/**
 * What a node itself says about a block's transactions, amounts as exact integers: to hold decoded
 * bytes against.
 */
import type { RegtestNode } from '../nodes/regtest.ts';

export interface BlockDetails {
  readonly hash: string;
  readonly previousblockhash: string;
  readonly time: number;
  readonly tx: readonly {
    readonly txid: string;
    readonly vin: readonly { readonly txid?: string; readonly vout?: number; readonly coinbase?: string }[];
    readonly vout: readonly { readonly value?: number; readonly scriptPubKey?: { readonly hex: string } }[];
  }[];
}

export function blockDetails(node: RegtestNode, hash: string): Promise<BlockDetails> {
  return node.family === 'bitcoincash'
    ? node.rpc<BlockDetails>('getblock', hash, true, true)
    : node.rpc<BlockDetails>('getblock', hash, 2);
}

/** Eight decimals of a double are exact for any number of UTXOs that exists. */
export function unitsOfValue(value: number): bigint {
  return BigInt(value.toFixed(8).replace('.', ''));
}
