/**
 * Balance reconciliation, for nodes that do not trace: what came to an address beyond the transactions the blocks show is
 * reported as `unexplained` (safety.md E6), never credited by itself.
 */
import { balanceKey } from '../../../domain/deposit.ts';
import type { Transfer } from '../../../ports/chain-scanner.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import type { BalanceReader } from './balances.ts';
import type { NodeBlock, NodeReceipt } from './decode.ts';

/** Unexplained arrivals by block height. `receipts` holds that of every transaction from or to one of `addresses`. */
export async function unexplainedArrivals(options: {
  chain: string;
  asset: string;
  node: RpcNode;
  /** Linked, ascending. */
  blocks: readonly NodeBlock[];
  addresses: readonly string[];
  receipts: ReadonlyMap<string, NodeReceipt>;
  balancesAt: BalanceReader;
}): Promise<ReadonlyMap<number, readonly Transfer[]>> {
  const { chain, asset, node, addresses, receipts, balancesAt } = options;
  // Nothing comes before the genesis block, whose own balances are no payments.
  const blocks = options.blocks.filter(({ height }) => height > 0);
  if (blocks.length === 0) return new Map();
  const movements = blocks.map((block) => explainedMovements(block, receipts));
  const first = blocks[0]!;

  const balances = (wanted: readonly string[], blockHash: string): Promise<readonly bigint[]> =>
    balancesAt(node, { addresses: wanted, blockHash });
  const before = await balances(addresses, first.parentHash);
  const after = await balances(addresses, blocks.at(-1)!.hash);
  const suspects = addresses.filter((address, position) => {
    const explained = movements.reduce((sum, movement) => sum + (movement.get(address) ?? 0n), 0n);
    return after[position]! - before[position]! > explained;
  });
  if (suspects.length === 0) return new Map();

  // Something came for these: find the very blocks, so that height, time and key do not depend on the scanned range.
  const arrivals = new Map<number, readonly Transfer[]>();
  let previous = await balances(suspects, first.parentHash);
  for (const [position, block] of blocks.entries()) {
    const current = await balances(suspects, block.hash);
    const found = suspects.flatMap((to, index): Transfer[] => {
      const units = current[index]! - previous[index]! - (movements[position]!.get(to) ?? 0n);
      if (units <= 0n) return [];
      return [{ ...balanceKey(chain, block.height, to), asset, to, from: null, units, kind: 'unexplained' }];
    });
    if (found.length > 0) arrivals.set(block.height, found);
    previous = current;
  }
  return arrivals;
}

/** What the block's transactions themselves do to balances, in wei: values in and out, and the sender's fees. */
function explainedMovements(
  block: NodeBlock,
  receipts: ReadonlyMap<string, NodeReceipt>,
): ReadonlyMap<string, bigint> {
  const movements = new Map<string, bigint>();
  const move = (address: string, wei: bigint): unknown =>
    movements.set(address, (movements.get(address) ?? 0n) + wei);
  for (const { hash, from, to, value } of block.transactions) {
    const receipt = receipts.get(hash);
    if (receipt === undefined) continue;
    move(from, -receipt.feeWei);
    if (!receipt.succeeded) continue;
    move(from, -value);
    if (to !== null) move(to, value);
  }
  return movements;
}
