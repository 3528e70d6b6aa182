/**
 * The balance changes of recent blocks. Nodes know only their newest state and the solidified one:
 * a balance as of a recent block is one of those, less what came after it.
 */
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { addressText } from '../address.ts';
import { amount } from '../answers.ts';
import type { TronNode } from '../node.ts';
import { blockAt, type NodeTransaction, readInfos, type TransactionInfo, type TronHeader } from './blocks.ts';
import { type PaidAssets, paymentsOf } from './payments.ts';

/** Half an hour of blocks; a full one changes some 500 balances. */
const BLOCKS_MAX = 600;

export interface BlockChanges {
  /**
   * What the blocks after `height` up to `last` changed at `wallet`, in base units by asset, and
   * the block at `height`. NodeLagging when there are too many blocks, or when a change to the
   * wallet is not known exactly. `paid` must be the same function at every call.
   */
  after(
    node: TronNode,
    range: { height: number; last: TronHeader; paid: PaidAssets },
    wallet: string,
  ): Promise<{ readonly hash: string; readonly units: ReadonlyMap<string, bigint> }>;
}

interface BalanceChanges {
  readonly parentHash: string;
  /** By `<address> <asset>`. */
  readonly units: ReadonlyMap<string, bigint>;
  /** Addresses whose balance of the native coin changed in a way that is not understood here. */
  readonly unsure: ReadonlySet<string>;
}

export function blockChanges(): BlockChanges {
  /** By block hash. */
  const known = new Map<string, BalanceChanges>();

  async function changesOf(
    node: TronNode,
    { height, hash }: { height: number; hash: string },
    paid: PaidAssets,
  ): Promise<BalanceChanges> {
    const seen = known.get(hash);
    if (seen !== undefined) return seen;
    const block = await blockAt(node, height);
    if (block.hash !== hash) throw new NodeLagging(`${node.label}: was reorganised while balances were read`);
    const changes = changesIn(block.transactions, await readInfos(node, block), paid);
    if (known.size >= 2 * BLOCKS_MAX) known.clear();
    const found = { parentHash: block.parentHash, ...changes };
    known.set(hash, found);
    return found;
  }

  return {
    async after(node, { height, last, paid }, wallet) {
      if (last.height - height > BLOCKS_MAX)
        throw new NodeLagging(`${node.label}: balances as of block ${height} are too old to be told`);
      const sums = new Map<string, bigint>();
      let { hash } = last;
      for (let at = last.height; at > height; at -= 1) {
        const { units, unsure, parentHash } = await changesOf(node, { height: at, hash }, paid);
        if (unsure.has(wallet))
          throw new NodeLagging(`${node.label}: what block ${at} did to ${wallet} is not clear`);
        for (const asset of [paid.native, ...paid.tokens.values()])
          sums.set(asset, (sums.get(asset) ?? 0n) + (units.get(`${wallet} ${asset}`) ?? 0n));
        hash = parentHash;
      }
      return { hash, units: sums };
    },
  };
}

/**
 * Contracts that move nothing of their owner's native coin except the fee, or whose amount is
 * counted below.
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  'TransferContract',
  'TriggerSmartContract',
  'TransferAssetContract',
  'VoteWitnessContract',
  'AccountPermissionUpdateContract',
  'FreezeBalanceV2Contract',
  'DelegateResourceContract',
  'UnDelegateResourceContract',
]);

function changesIn(
  transactions: readonly NodeTransaction[],
  infos: readonly TransactionInfo[],
  paid: PaidAssets,
): Omit<BalanceChanges, 'parentHash'> {
  const units = new Map<string, bigint>();
  const unsure = new Set<string>();
  const add = (address: string, asset: string, change: bigint): unknown =>
    units.set(`${address} ${asset}`, (units.get(`${address} ${asset}`) ?? 0n) + change);
  for (const [index, transaction] of transactions.entries()) {
    const info = infos[index]!;
    const { value, type } = transaction;
    const owner = addressOrNull(value.owner_address);
    if (owner !== null) {
      if (!UNDERSTOOD.has(type)) unsure.add(owner);
      add(owner, paid.native, -info.feeUnits);
      // Neither is among the payments: the value that a call carries, and stake.
      if (transaction.succeeded && info.succeeded)
        add(
          owner,
          paid.native,
          -(amount(value.call_value, 'call value') + amount(value.frozen_balance, 'stake')),
        );
    }
    for (const { from, to, asset, units: moved } of paymentsOf(transaction, info, paid)) {
      if (from !== null) add(from, asset, -moved);
      add(to, asset, moved);
    }
  }
  return { units, unsure };
}

function addressOrNull(value: unknown): string | null {
  return typeof value === 'string' && /^41[0-9a-f]{40}$/.test(value) ? addressText(value) : null;
}
