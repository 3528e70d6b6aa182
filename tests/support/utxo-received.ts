/** What a real node's chain says that an address received: read from its blocks, with the node's own words. */
import type { RegtestNode } from './nodes/regtest.ts';
import { blockDetails, unitsOfValue } from './utxo-block-details.ts';

/** Base units paid to `address` in the blocks above `height`. */
export async function receivedSince(node: RegtestNode, height: number, address: string): Promise<bigint> {
  const script = Buffer.from(node.scriptOf(address)).toString('hex');
  const tip = await node.height();
  let received = 0n;
  for (let at = height + 1; at <= tip; at += 1) {
    const { tx } = await blockDetails(node, await node.rpc<string>('getblockhash', at));
    for (const { value, scriptPubKey } of tx.flatMap(({ vout }) => vout))
      if (scriptPubKey?.hex === script) received += unitsOfValue(value ?? 0);
  }
  return received;
}
