/**
 * Balance reconciliation, for nodes that do not trace. What an address received beyond the
 * transactions of the blocks is reported as `unexplained` (safety.md E6), and never credited
 * automatically.
 */
import { balanceKey } from '../../../../domain/deposits/deposit.ts';
import type { Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import type { NodeBlock, NodeReceipt } from '../decode.ts';
import { type BalanceReader, balancesAt } from './balances.ts';

interface AddressBalances {
  readonly address: string;
  readonly before: bigint;
  readonly after: bigint;
}

/**
 * Unexplained arrivals by block height. `receipts` holds that of every transaction from or to one
 * of `addresses`.
 */
export async function unexplainedArrivals(options: {
  chain: string;
  asset: string;
  node: RpcNode;
  /** Linked, ascending. */
  blocks: readonly NodeBlock[];
  addresses: readonly string[];
  receipts: ReadonlyMap<string, NodeReceipt>;
  /** Of the balances on either side of the blocks. */
  endsAt: BalanceReader;
}): Promise<ReadonlyMap<number, readonly Transfer[]>> {
  const { chain, asset, node, addresses, receipts, endsAt } = options;
  // No block comes before the genesis block, and its own balances are no payments.
  const blocks = options.blocks.filter(({ height }) => height > 0);
  if (blocks.length === 0) return new Map();
  const movements = blocks.map((block) => explainedMovements(block, receipts));
  const arrivals = new Map<number, readonly Transfer[]>();

  /**
   * Halves the blocks down to those in which something came. Height, time and key therefore do not
   * depend on the scanned range.
   */
  async function find(from: number, to: number, around: readonly AddressBalances[]): Promise<void> {
    const open = around.filter(({ address, before, after }) => {
      const moved = movements.slice(from, to + 1);
      return after - before > moved.reduce((units, each) => units + (each.get(address) ?? 0n), 0n);
    });
    if (open.length === 0) return;
    const middle = Math.floor((from + to) / 2);
    const { height, hash: blockHash } = blocks[middle]!;
    if (from === to) {
      const transfers = open.map(({ address, before, after }): Transfer => {
        const units = after - before - (movements[middle]!.get(address) ?? 0n);
        const key = balanceKey(chain, height, address);
        return { ...key, asset, to: address, from: null, units, kind: 'unexplained' };
      });
      arrivals.set(height, transfers);
      return;
    }
    const between = await balancesAt(node, { addresses: open.map(({ address }) => address), blockHash });
    const early = open.map((each, position) => ({ ...each, after: between[position]! }));
    const late = open.map((each, position) => ({ ...each, before: between[position]! }));
    await find(from, middle, early);
    await find(middle + 1, to, late);
  }

  const before = await endsAt(node, { addresses, blockHash: blocks[0]!.parentHash });
  const after = await endsAt(node, { addresses, blockHash: blocks.at(-1)!.hash });
  const around = addresses.map((address, position) => ({
    address,
    ...{ before: before[position]!, after: after[position]! },
  }));
  await find(0, blocks.length - 1, around);
  return arrivals;
}

/**
 * What the block's transactions themselves change in balances, in wei: values in and out, and the
 * sender's fees.
 */
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
