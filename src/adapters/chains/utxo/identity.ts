/**
 * Whether a source serves the wanted network: by the genesis block, and by a later one where two
 * chains share it.
 */

import type { UtxoFamily } from '../../../domain/catalog/family.ts';
import { NodeLagging } from '../shared/nodes/node-errors.ts';
import type { UtxoBackend } from './backend.ts';
import type { UtxoNetwork } from './network.ts';

/**
 * Bitcoin and Bitcoin Cash split at 478,559; Bitcoin Cash and what became BSV and eCash split up to
 * 661,648. Their test networks are distinguished by the genesis block as far as it differs.
 */
const AFTER_THE_SPLITS: Partial<Record<UtxoFamily, { height: number; hash: string }>> = {
  bitcoin: { height: 478_559, hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148' },
  bitcoincash: { height: 661_648, hash: '0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce' },
};

export async function servesNetwork(backend: UtxoBackend, network: UtxoNetwork): Promise<boolean> {
  const split = network.name === 'main' ? AFTER_THE_SPLITS[network.family] : undefined;
  const [genesis, later] = await backend.hashesAt(split === undefined ? [0] : [0, split.height]);
  if (!network.genesis.includes(genesis ?? '')) return false;
  // A node that is still catching up may become either: it cannot be used yet, but it is not wrong.
  if (split !== undefined && later === null)
    throw new NodeLagging('has not reached the block that identifies its chain');
  return split === undefined || later === split.hash;
}
