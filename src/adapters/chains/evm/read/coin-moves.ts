/**
 * Finds by balances where the native coin moved. It takes the same number of calls for few blocks
 * and addresses as for many.
 */
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { normalizeEvmAddress } from '../address.ts';
import type { NodeHeader } from '../decode.ts';
import { balancesTogether } from './balances.ts';
import { headersAt } from './block-reader.ts';

/** Balances by address. */
export interface BalancesAround {
  /**
   * Without addresses that were not asked about then: those handed out since, and those to be
   * compared again.
   */
  readonly before: ReadonlyMap<string, bigint>;
  readonly now: ReadonlyMap<string, bigint>;
}

export interface Move {
  readonly height: number;
  readonly addresses: readonly string[];
}

/** Balances after two blocks, by hash; null where the node cannot read them together. */
export type BalanceFollower = (
  node: RpcNode,
  at: { after: string; tip: string; addresses: readonly string[] },
) => Promise<BalancesAround | null>;

/** Remembers the balances of the last block of each node: the next range begins there. */
export function balanceFollower(): BalanceFollower {
  /** By the node's label. */
  const last = new Map<string, { readonly blockHash: string; readonly units: ReadonlyMap<string, bigint> }>();
  return async (node, { after, tip, addresses }) => {
    if (addresses.length === 0) return { before: new Map(), now: new Map() };
    const known = last.get(node.label);
    const before =
      known?.blockHash === after
        ? known.units
        : await balancesTogether(node, { addresses, blockHash: after });
    const now = before && (await balancesTogether(node, { addresses, blockHash: tip }));
    if (!before || !now) return null;
    last.set(node.label, { blockHash: tip, units: now });
    return { before, now };
  };
}

export function movedAmong(addresses: readonly string[], { before, now }: BalancesAround): readonly string[] {
  return addresses.filter((address) => now.get(address) !== (before.get(address) ?? 0n));
}

/**
 * The heights at which the coins of some of `addresses` moved, ascending, with these addresses;
 * null where the node cannot tell. A sweep may take as much as came, and then the balance is the
 * same. But a sweep moves `wallet` too: where `wallet` moved, all are compared on either side.
 */
export async function movesIn(
  node: RpcNode,
  { from, to }: { from: number; to: number },
  addresses: readonly string[],
  around: BalancesAround,
  wallet?: string,
): Promise<readonly Move[] | null> {
  const moved = movedAmong(addresses, around);
  if (moved.length === 0) return [];
  if (from === to) return [{ height: from, addresses: moved }];
  const middle = Math.floor((from + to) / 2);
  const [{ hash: blockHash }] = (await headersAt(node, [middle])) as [NodeHeader];
  const open = wallet !== undefined && moved.includes(wallet) ? addresses : moved;
  const between = await balancesTogether(node, { addresses: open, blockHash });
  if (between === null) return null;
  const [early, late] = [
    await movesIn(node, { from, to: middle }, open, { before: around.before, now: between }, wallet),
    await movesIn(node, { from: middle + 1, to }, open, { before: between, now: around.now }, wallet),
  ];
  return early && late && [...early, ...late];
}

/**
 * The addresses whose balances say which blocks to read: those whose payments matter now, and our
 * hot wallet, which pays for whatever it sends.
 */
export async function followedOf(watch: WatchList): Promise<readonly string[]> {
  const wallet = watch.spending === undefined ? [] : [watch.spending.wallet];
  const addresses = (await watch.following()).flatMap((address) => normalizeEvmAddress(address) ?? []);
  return [...new Set([...wallet, ...addresses])];
}
