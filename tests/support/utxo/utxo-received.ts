/**
 * What a real node's chain says that addresses received: read from its blocks, with the node's own
 * words.
 */
import type { RegtestNode } from '../nodes/regtest.ts';
import { blockDetails, unitsOfValue } from './utxo-block-details.ts';

/** Base units paid to `address` in the blocks above `height`. */
export async function receivedSince(node: RegtestNode, height: number, address: string): Promise<bigint> {
  return (await receiptsSince(node, height))(address);
}

/** The same for any number of addresses, of one reading. */
export async function receiptsSince(node: RegtestNode, height: number): Promise<(address: string) => bigint> {
  const received = new Map<string, bigint>();
  const tip = await node.height();
  for (let at = height + 1; at <= tip; at += 1) {
    const { tx } = await blockDetails(node, await node.rpc<string>('getblockhash', at));
    for (const { value, scriptPubKey } of tx.flatMap(({ vout }) => vout)) {
      const script = scriptPubKey?.hex ?? '';
      received.set(script, (received.get(script) ?? 0n) + unitsOfValue(value ?? 0));
    }
  }
  return (address) => received.get(Buffer.from(node.scriptOf(address)).toString('hex')) ?? 0n;
}
