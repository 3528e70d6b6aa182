/** What a wallet holds, all assets as of one block. */
import type { ChainSender } from '../../../ports/chain-sender.ts';
import { NodeBehind } from '../shared/faults.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { headerAt } from './block-reader.ts';
import { balanceCall } from './contract.ts';
import { blockRef, hexBytes, quantity } from './decode.ts';
import { ownWallet, type SendableAsset, type Sending } from './sending.ts';

/**
 * Balances in base units by asset key, at a height or at the best block. The state is asked for by the block's hash, so a
 * node that lost the block, or its state, says so (ChainUnavailable, when no other has it) instead of answering another one's.
 */
export async function walletBalances(
  { pool, assets: sendable }: Sending,
  query: { wallet: string; assets: readonly string[]; at: { height: number } | null },
): ReturnType<ChainSender['balances']> {
  const wallet = ownWallet(query.wallet);
  const keys = [...new Set(query.assets)];
  return pool.use(async (node) => {
    const assets: SendableAsset[] = [];
    for (const key of keys) assets.push(await sendable.checked(key, node));
    const header =
      query.at === null
        ? blockRef(await node.call('eth_getBlockByNumber', 'latest', false))
        : await headerAt(node, query.at.height);
    if (header === null) throw new NodeBehind(`has no block ${query.at?.height}`);
    const answers = await node.batch(assets.map((asset) => balanceQuestion(asset, wallet, header.hash)));
    const units = answers.map((answer, position) =>
      assets[position]!.kind === 'native'
        ? quantity(answer, 'balance')
        : BigInt(hexBytes(answer, 'token balance', 32)),
    );
    return {
      block: { height: header.height, hash: header.hash },
      units: new Map(keys.map((key, position) => [key, units[position]!])),
    };
  });
}

function balanceQuestion(
  asset: SendableAsset,
  wallet: string,
  blockHash: string,
): Parameters<RpcNode['batch']>[0][number] {
  return asset.kind === 'native'
    ? { method: 'eth_getBalance', params: [wallet, { blockHash }] }
    : { method: 'eth_call', params: [{ to: asset.contract, data: balanceCall(wallet) }, { blockHash }] };
}
