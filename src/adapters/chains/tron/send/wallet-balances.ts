/** A wallet's balances of all assets as of one block: the best one, or a recent one. */
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import { addressText } from '../address.ts';
import { constantCall } from '../constant-call.ts';
import { balanceCall } from '../contract.ts';
import type { TronNode } from '../node.ts';
import { headHeader, type TronHeader } from '../read/blocks.ts';
import { readAccount } from './resources.ts';
import { type AssetContract, ownWallet, type TronSending } from './sending.ts';

type TronApi = 'wallet' | 'walletsolidity';

/** A block comes every three seconds, and these calls take a fraction of one. */
const ATTEMPTS = 5;

/**
 * Balances in base units by asset key. A node has only its newest and its solidified state: for an
 * earlier height the changes of later blocks are subtracted. ChainUnavailable when that is too long
 * ago.
 */
export async function walletBalances(
  sending: TronSending,
  query: { wallet: string; assets: readonly string[]; at: { height: number } | null },
): ReturnType<ChainSender['balances']> {
  const hex = ownWallet(query.wallet);
  const keys = [...new Set(query.assets)];
  return sending.pool.use(async (node) => {
    const contracts = new Map<string, AssetContract>();
    for (const key of keys) contracts.set(key, await sending.assets.checked(key, node));
    const { at } = query;
    if (at === null) {
      const { header, units } = await stateOf(node, 'wallet', hex, contracts);
      return { block: { height: header.height, hash: header.hash }, units };
    }
    const solid = await headHeader(node, 'walletsolidity');
    const { header, units } = await stateOf(
      node,
      at.height <= solid.height ? 'walletsolidity' : 'wallet',
      hex,
      contracts,
    );
    if (header.height < at.height) throw new NodeLagging(`has no block ${at.height}`);
    const paid = await sending.assets.paid(node);
    const range = { height: at.height, last: header, paid };
    const since = await sending.changes.after(node, range, addressText(hex));
    return {
      block: { height: at.height, hash: since.hash },
      units: new Map([...units].map(([key, present]) => [key, present - (since.units.get(key) ?? 0n)])),
    };
  });
}

/** All at one block: the head is the same before and after. */
async function stateOf(
  node: TronNode,
  part: TronApi,
  wallet: string,
  contracts: ReadonlyMap<string, AssetContract>,
): Promise<{ header: TronHeader; units: ReadonlyMap<string, bigint> }> {
  let header = await headHeader(node, part);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const units = new Map<string, bigint>();
    for (const [key, contract] of contracts) units.set(key, await unitsOf(node, part, { wallet, contract }));
    const after = await headHeader(node, part);
    if (after.hash === header.hash) return { header, units };
    header = after;
  }
  throw new NodeLagging(`${node.label}: blocks came faster than balances could be read`);
}

export async function unitsOf(
  node: TronNode,
  part: TronApi,
  { wallet, contract }: { wallet: string; contract: AssetContract },
): Promise<bigint> {
  if (contract === null) return (await readAccount(node, wallet, part))?.balance ?? 0n;
  const called = await constantCall(node, { owner: wallet, contract, data: balanceCall(wallet), at: part });
  if (called.kind !== 'done' || called.answer.length !== 64)
    // The contract is at fault, and not the node.
    throw new RpcError(0, `${contract} answers no balance`);
  return BigInt(`0x${called.answer}`);
}
