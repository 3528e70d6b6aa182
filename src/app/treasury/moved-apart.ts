/**
 * Transfers that the records do not cover as of a block: open ones, and, where money takes several
 * blocks, recently settled ones whose money may have been between two addresses at that block. The
 * chain returns what each had done by then.
 */
import { batchesOf, type OutgoingTransfer, type SignedTransaction } from '../../domain/sending/outgoing.ts';
import { delegationOf, leavesUs, movesMoney } from '../../domain/sending/outgoing-purpose.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { AppDependencies } from '../dependencies.ts';
import { paidAndSpent } from '../sending/paid-and-spent.ts';
import { hotWalletOf, normalized } from '../sending/sending-chain.ts';
import { inLanes } from '../shared/in-lanes.ts';
import type { TreasuryChain } from '../sweeps/sweep-needs.ts';

const OPEN_MAX = 10_000;

export interface MovedApart {
  /** Transfers that the records are to leave out. */
  readonly apart: readonly string[];
  /** Their effect at one of the gateway's addresses, in base units. */
  units(address: string, asset: string): bigint;
}

/**
 * Call before reading the records: what is ordered after this is in no block up to `height`. Throws
 * ChainUnavailable, also at a height of long ago where signed bytes it needs were removed.
 */
export async function movedApart(
  deps: Pick<AppDependencies, 'unitOfWork'>,
  on: TreasuryChain,
  height: number,
): Promise<MovedApart> {
  const { chain, sender } = on;
  const { arrivesWithin } = sender.capabilities;
  const { open, lately, signed } = await deps.unitOfWork.run(async ({ outgoing }) => {
    const open = await outgoing.open(chain, OPEN_MAX);
    const settled = arrivesWithin ? await outgoing.settledFrom(chain, height - arrivesWithin) : [];
    const lately = settled.filter(({ block }) => block !== null && block.height <= height);
    const batches = new Set([...open, ...lately].map(({ transferBatchId }) => transferBatchId));
    return { open, lately, signed: await outgoing.signedOf([...batches]) };
  });
  const transactions: ReadonlyMap<string, SignedTransaction[]> = Map.groupBy(
    signed,
    ({ transferBatchId }) => transferBatchId,
  );
  requireBytes(lately, transactions, { chain, height, arrivesWithin });
  const apart = new Set(open.map(({ id }) => id));
  const sums = new Map<string, bigint>();
  const add = (address: string, asset: string, units: bigint) => {
    const key = `${address} ${asset}`;
    sums.set(key, (sums.get(key) ?? 0n) + units);
  };
  await inLanes(batchesOf([...open, ...lately]), async (batch) => {
    const [{ transferBatchId, wallet, nonce, asset, purpose }] = batch;
    const own = transactions.get(transferBatchId) ?? [];
    if (own.length === 0) return;
    const { payments } = await paidAndSpent(deps, on, batch, own);
    const order = { asset, payments, ...delegationOf(purpose) };
    const toOurs = !leavesUs({ purpose });
    const outcome = await sender.outcome({
      ...{ wallet, nonce, transactions: own, order, inputs: [] },
      ...{ toOurs, asOf: height },
    });
    if (outcome.kind !== 'mined' || outcome.block.height > height) return;
    for (const { id } of payments) apart.add(id);
    const { feeUnits, hotFeeUnits = 0n, effects, left = effects, arrived = effects } = outcome;
    add(wallet, sender.nativeAsset, hotFeeUnits - feeUnits);
    add(hotWalletOf(on), sender.nativeAsset, -hotFeeUnits);
    if (!movesMoney({ purpose })) return;
    for (const [position, { to, units }] of payments.entries()) {
      if (left[position]) add(wallet, asset, -units);
      if (arrived[position] && toOurs) add(normalized(on.deriver, to), asset, units);
    }
  });
  return {
    apart: [...apart],
    units: (address, asset) => sums.get(`${address} ${asset}`) ?? 0n,
  };
}

/**
 * The chain shows by the signed bytes how far money had come. Retention removes those of old blocks
 * (signing/forget-bytes.ts). Only an operator still asks about such a block, and may take another.
 */
function requireBytes(
  lately: readonly OutgoingTransfer[],
  transactions: ReadonlyMap<string, readonly SignedTransaction[]>,
  { chain, height, arrivesWithin = 0 }: { chain: string; height: number; arrivesWithin?: number | undefined },
): void {
  const heights = lately
    .filter(({ transferBatchId }) => transactions.get(transferBatchId)?.some(({ raw }) => raw === ''))
    .flatMap(({ block }) => (block === null ? [] : [block.height]));
  if (heights.length === 0) return;
  const [first, last] = [Math.min(...heights), Math.max(...heights)];
  throw new ChainUnavailable(
    `${chain}: bytes of its transfers of the blocks ${first} to ${last} were removed (RETENTION_SIGNED_DAYS), and how far their money had come by block ${height} is not known: check below block ${first}, or above block ${last + arrivesWithin}`,
  );
}
