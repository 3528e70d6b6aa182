/** The operator's view of the treasury: where the money is, the kill switch, frozen addresses. */

import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { isOpenTransfer } from '../../domain/sending/outgoing.ts';
import { movesMoney } from '../../domain/sending/outgoing-purpose.ts';
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import type { AtDepositAddresses, WaitingPayouts } from '../../ports/treasury/treasury-queries.ts';
import type { ForwardRequest, FrozenAddress } from '../../ports/treasury/treasury-repositories.ts';
import { scannedAssetsOf } from '../catalog/assets-of-chain.ts';
import { hotWalletOf, hotWalletText } from '../sending/sending-chain.ts';
import { undecidedUnits as undecidedIn } from '../sending/unidentified-units.ts';
import { belowCost } from '../sweeps/below-cost.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';

const SWEEPS_SHOWN = 100;
/** One is open at a time; a reorganisation may open earlier ones again. */
const FORWARDS_READ = 8;

export interface AssetHoldings {
  readonly asset: string;
  /** On the chain, at its best block. */
  readonly hotWalletUnits: bigint;
  readonly atDepositAddresses: Omit<AtDepositAddresses, 'asset'>;
  /** Ordered and unsettled: leaving the hot wallet, and arriving there. */
  readonly leavingUnits: bigint;
  readonly arrivingUnits: bigint;
  /**
   * The part at deposit addresses, or in UTXOs, that costs more to collect than it is worth, at
   * usual fees.
   */
  readonly belowCost: { readonly count: number; readonly units: bigint };
  readonly waiting: Omit<WaitingPayouts, 'asset'>;
  /** The amount that the hot wallet lacks for waiting payouts, without fees. */
  readonly lackingUnits: bigint;
}

export interface TreasuryStatus {
  readonly chain: string;
  readonly hotWallet: string;
  readonly height: number;
  readonly assets: readonly AssetHoldings[];
  /** Open ones, and failed ones whose money is still at its address. */
  readonly sweeps: readonly Sweep[];
  /** Open ones, and the last that ended of each asset; newest first. */
  readonly forwards: readonly OutgoingTransfer[];
  /** What an operator wants forwarded now. */
  readonly forwardRequests: readonly ForwardRequest[];
  readonly frozen: readonly FrozenAddress[];
}

export function signingSwitch(deps: Pick<SweepNeeds, 'unitOfWork'>) {
  return () => deps.unitOfWork.run((repositories) => repositories.outgoing.findSigningStop());
}

/** Throws ChainUnavailable if no node can report the balances. */
export async function treasuryStatus(deps: SweepNeeds, on: TreasuryChain): Promise<TreasuryStatus> {
  const { chain, sender } = on;
  const assets = scannedAssetsOf(deps, chain);
  const { height, units } =
    sender.utxos === null ? await balances(on, assets) : await spendableUtxos(deps, on);
  const [resting, waiting, moving, sweeps, frozen, small, forwarded] = await Promise.all([
    sender.capabilities.pooled
      ? undecidedAmong(deps, on, height)
      : deps.treasuryQueries.atDepositAddresses(chain),
    deps.treasuryQueries.waitingForLiquidity(assets),
    deps.treasuryQueries.onTheWay(chain),
    deps.treasuryQueries.sweepsToLookAt(chain, SWEEPS_SHOWN),
    deps.treasuryQueries.frozenAddresses(chain),
    belowCost(deps, on),
    forwardsToShow(deps, chain, assets),
  ]);
  const movingOf = (asset: string, arrives: boolean): bigint =>
    moving
      .filter(movesMoney)
      .filter((transfer) => transfer.asset === asset && (transfer.purpose === 'sweep') === arrives)
      .reduce((sum, transfer) => sum + transfer.units, 0n);
  return {
    chain,
    hotWallet: hotWalletText(on),
    height,
    sweeps,
    ...forwarded,
    frozen,
    assets: assets.map((asset) => {
      const there = resting.find((row) => row.asset === asset);
      const wait = waiting.find((row) => row.asset === asset);
      const below = small.find((row) => row.asset === asset);
      const hotWalletUnits = units.get(asset) ?? 0n;
      const leavingUnits = movingOf(asset, false);
      const atDepositAddresses = {
        sweepableUnits: there?.sweepableUnits ?? 0n,
        undecidedUnits: there?.undecidedUnits ?? 0n,
      };
      const notOurs = sender.capabilities.pooled ? atDepositAddresses.undecidedUnits : 0n;
      const lacking = (wait?.units ?? 0n) - (hotWalletUnits - notOurs - leavingUnits);
      return {
        asset,
        hotWalletUnits,
        atDepositAddresses,
        belowCost: countedUnits(below),
        leavingUnits,
        arrivingUnits: movingOf(asset, true),
        waiting: countedUnits(wait),
        lackingUnits: wait !== undefined && lacking > 0n ? lacking : 0n,
      };
    }),
  };
}

function forwardsToShow(
  { unitOfWork }: Pick<SweepNeeds, 'unitOfWork'>,
  chain: string,
  assets: readonly string[],
): Promise<Pick<TreasuryStatus, 'forwards' | 'forwardRequests'>> {
  return unitOfWork.run(async ({ outgoing, forwardRequests }) => {
    const shown: OutgoingTransfer[] = [];
    for (const asset of assets) {
      const newest = await outgoing.newestForwards(asset, FORWARDS_READ);
      const ended = newest.find((forward) => !isOpenTransfer(forward));
      shown.push(...newest.filter(isOpenTransfer), ...(ended === undefined ? [] : [ended]));
    }
    return {
      forwards: shown.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()),
      forwardRequests: await forwardRequests.ofChain(chain),
    };
  });
}

function countedUnits(row: { readonly count: number; readonly units: bigint } | undefined) {
  return { count: row?.count ?? 0, units: row?.units ?? 0n };
}

/** Where deposits arrive in the hot wallet: the part of its balance without a decision. */
async function undecidedAmong(
  { unitOfWork }: Pick<SweepNeeds, 'unitOfWork'>,
  { chain, sender: { nativeAsset } }: TreasuryChain,
  height: number,
): Promise<readonly AtDepositAddresses[]> {
  const undecidedUnits = await unitOfWork.run((repositories) =>
    undecidedIn(repositories, { chain, nativeAsset, height }),
  );
  return [{ asset: nativeAsset, sweepableUnits: 0n, undecidedUnits }];
}

type UnitsAtHeight = { readonly height: number; readonly units: ReadonlyMap<string, bigint> };

async function balances(on: TreasuryChain, assets: readonly string[]): Promise<UnitsAtHeight> {
  const { block, units } = await on.sender.balances(hotWalletOf(on), assets);
  return { height: block.height, units };
}

/** On a UTXO chain the hot wallet is all UTXOs that may be spent now, at any address. */
async function spendableUtxos(
  { unitOfWork }: Pick<SweepNeeds, 'unitOfWork'>,
  { chain, sender }: TreasuryChain,
): Promise<UnitsAtHeight> {
  return unitOfWork.run(async ({ chains, utxos }) => {
    const cursor = await chains.cursor(chain);
    const finalHeight = cursor?.finalizedHeight ?? -1;
    const units = await utxos.freeUnits(chain, finalHeight);
    return { height: cursor?.height ?? 0, units: new Map([[sender.nativeAsset, units]]) };
  });
}

/** An operator made sure that nobody else can spend from a frozen address: it is swept again. */
export function thawAddress(deps: Pick<SweepNeeds, 'unitOfWork' | 'logger'>) {
  return async (place: { chain: string; address: string }): Promise<Result<null, AppError>> => {
    const thawed = await deps.unitOfWork.run((repositories) => repositories.frozen.thaw(place));
    if (!thawed) return err(appError('NOT_FOUND', `${place.address} is not frozen on ${place.chain}.`));
    deps.logger.warn('address.unfrozen', place);
    return ok(null);
  };
}
