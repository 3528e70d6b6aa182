/**
 * Litecoin's extension block on regtest: coins go in, and one comes out to an address by the HogEx
 * of a block.
 */
import { formatUnits } from '../../../src/domain/money/decimal.ts';
import { startCoreNode } from './core-nodes.ts';
import { nodeRpc } from './json-rpc.ts';
import type { RegtestNode } from './regtest.ts';

/** Regtest activates MWEB at this height. */
const ACTIVATION = 432;

export interface MwebNode extends RegtestNode {
  /** A payment out of the extension block; the next block's HogEx makes it. */
  pegOut(payment: { to: string; units: bigint }): Promise<void>;
}

/** A litecoind whose extension block is active and holds coins of a wallet of its own. */
export async function startMwebNode(): Promise<MwebNode> {
  const node = await startCoreNode('litecoin', { arguments: ['-fallbackfee=0.0002'] });
  await node.mine(ACTIVATION - 1 - (await node.height()));
  await node.rpc('createwallet', 'inside');
  const inside = nodeRpc(`${node.url}/wallet/inside`);
  await node.rpc('sendtoaddress', await inside<string>('getnewaddress', '', 'mweb'), 20);
  await node.mine(3);
  return {
    ...node,
    pegOut: async ({ to, units }) => {
      await inside('sendtoaddress', to, formatUnits(units, 8));
    },
  };
}
