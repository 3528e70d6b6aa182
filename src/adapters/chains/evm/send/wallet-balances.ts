/** A wallet's balances of all assets as of one block. */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { balanceAnswered, balanceCall } from '../contract.ts';
import { blockRef, quantity } from '../decode.ts';
import { balancesAt, tokenBalancesAt } from '../read/balances.ts';
import { headerAt } from '../read/block-reader.ts';
import { type EvmSending, ownWallet, type SendableAsset } from './sending.ts';

/**
 * Balances in base units by asset key, at a height or at the best block. The state is read by the
 * block's hash: a node that lost the block or its state reports that (ChainUnavailable when no
 * other has it), and does not return the state of another block.
 */
export function walletBalances(
  sending: EvmSending,
  query: { wallet: string; assets: readonly string[]; at: { height: number } | null },
): ReturnType<ChainSender['balances']> {
  const wallet = ownWallet(query.wallet);
  return sending.pool.use(async (node) => {
    const assets = await checkedAssets(sending, node, query.assets);
    const { height, hash } = await blockOf(node, query.at);
    const keys = [...assets.keys()];
    const answers = await node.batch(keys.map((key) => balanceQuestion(assets.get(key)!, wallet, hash)));
    const units = answers.map((answer, position) =>
      assets.get(keys[position]!)!.kind === 'native' ? quantity(answer, 'balance') : balanceAnswered(answer),
    );
    return {
      block: { height, hash },
      units: new Map(keys.map((key, position) => [key, units[position]!])),
    };
  });
}

/** The same for many wallets: some calls for each asset, however many wallets there are. */
export function balancesOf(
  sending: EvmSending,
  query: { wallets: readonly string[]; assets: readonly string[]; at: { height: number } },
): ReturnType<NonNullable<ChainSender['balancesOf']>> {
  const addresses = query.wallets.map(ownWallet);
  return sending.pool.use(async (node) => {
    const assets = await checkedAssets(sending, node, query.assets);
    const { height, hash } = await blockOf(node, query.at);
    const found = query.wallets.map(() => new Map<string, bigint>());
    for (const [key, asset] of assets) {
      const asked = { addresses, blockHash: hash };
      const units =
        asset.kind === 'native'
          ? await balancesAt(node, asked)
          : await tokenBalancesAt(node, asset.contract, asked);
      for (const [position, each] of units.entries()) found[position]!.set(key, each);
    }
    return {
      block: { height, hash },
      units: new Map(query.wallets.map((wallet, position) => [wallet, found[position]!])),
    };
  });
}

async function checkedAssets(
  { assets }: EvmSending,
  node: RpcNode,
  keys: readonly string[],
): Promise<ReadonlyMap<string, SendableAsset>> {
  const checked = new Map<string, SendableAsset>();
  for (const key of keys) checked.set(key, await assets.checked(key, node));
  return checked;
}

async function blockOf(node: RpcNode, at: { height: number } | null): Promise<BlockRef> {
  const header =
    at === null
      ? blockRef(await node.call('eth_getBlockByNumber', 'latest', false))
      : await headerAt(node, at.height);
  if (header === null) throw new NodeLagging(`has no block ${at?.height}`);
  return header;
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
