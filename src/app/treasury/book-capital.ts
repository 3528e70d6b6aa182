/**
 * Books the difference between the chain and the books of a wallet as the operator's capital, as of
 * the last final block: of the hot wallet, or of a deposit address from which something left
 * without the gateway (a sweep that a restored backup lacks). The ledger goes on owing whatever is
 * not decided on: the operator bears the difference.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Block, OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { hotWalletOf, normalized } from '../sending/sending-chain.ts';
import { postCapital } from '../shared/capital-entry.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';

const OPEN_MAX = 10_000;

export interface CapitalFound {
  readonly asset: string;
  /** Null: the hot wallet. */
  readonly address: string | null;
  readonly height: number;
  readonly expectedUnits: bigint;
  readonly foundUnits: bigint;
  /**
   * Found less expected: the amount that is booked, or would be. Zero at an address where the
   * difference is what the chain takes uncounted.
   */
  readonly units: bigint;
  readonly booked: boolean;
}

export interface CapitalOrder {
  readonly asset: string;
  /** In any form of the family. Null, or left out: the hot wallet. */
  readonly address?: string | null;
  readonly note: string;
  readonly dryRun: boolean;
  /**
   * A deposit address that has more than the books say: whether just what was booked out there may
   * be booked in again. Somebody looked, and it is no payment. Default false.
   */
  readonly takesBack?: boolean;
}

/** What the chain says of a wallet at its last final block. */
export interface MeasuredWallet {
  /** Normalized; null: the hot wallet. */
  readonly address: string | null;
  readonly height: number;
  readonly block: Block;
  readonly foundUnits: bigint;
}

/**
 * Refused while a transfer from or to the wallet is open: its mined part is not in the books yet.
 * Where money takes several blocks (`capabilities.arrivesWithin`), also for that long after one:
 * booked money may not have arrived at that block. Throws ChainUnavailable.
 */
export function bookCapital(deps: SweepNeeds, on: TreasuryChain) {
  const [measure, book] = [measureWallet(deps, on), bookMeasured(deps, on)];
  return async (order: CapitalOrder): Promise<Result<CapitalFound, AppError>> => {
    const measured = await measure(order);
    return measured.ok ? book(order, measured.value) : measured;
  };
}

/** Asks a node; throws ChainUnavailable. */
export function measureWallet(deps: SweepNeeds, on: TreasuryChain) {
  const { chain, sender } = on;
  return async ({
    asset,
    address: given = null,
  }: Pick<CapitalOrder, 'asset' | 'address'>): Promise<Result<MeasuredWallet, AppError>> => {
    if (sender.utxos !== null)
      return refused(
        `Funding of the hot wallet on ${chain} is booked automatically. What was spent without the gateway is booked with all differences of the chain.`,
      );
    const cursor = await deps.unitOfWork.run((repositories) => repositories.chains.cursor(chain));
    if (cursor === null || cursor.finalizedHeight < 0)
      return refused(`No final block of ${chain} was read yet.`);
    const place = await placeOf(deps, on, given);
    if (!place.ok) return place;
    const [address, height] = [place.value, cursor.finalizedHeight];
    // Before reading the books: a transfer that is ordered later is in no block up to this one.
    const { block, units } = await sender.balances(address ?? hotWalletOf(on), [asset], { height });
    return ok({ address, height, block, foundUnits: units.get(asset) ?? 0n });
  };
}

/** Normalized; null for the hot wallet. */
async function placeOf(
  { unitOfWork }: Pick<SweepNeeds, 'unitOfWork'>,
  on: TreasuryChain,
  given: string | null,
): Promise<Result<string | null, AppError>> {
  if (given === null) return ok(null);
  const address = on.deriver.normalize(given);
  if (address === hotWalletOf(on)) return ok(null);
  if (on.sender.capabilities.pooled)
    return refused(`Deposits on ${on.chain} lie in the hot wallet: an address has no balance of its own.`);
  const [issued] =
    address === null ? [] : await unitOfWork.run(({ addresses }) => addresses.find(on.family, [address]));
  return issued === undefined
    ? err(appError('NOT_FOUND', `This gateway did not issue the address ${given}.`))
    : ok(address);
}

/** The transaction of a booking, without any network. */
export function bookMeasured(deps: SweepNeeds, on: TreasuryChain) {
  const { chain } = on;
  return (
    { asset, note, dryRun, takesBack = false }: CapitalOrder,
    { address, height, block, foundUnits }: MeasuredWallet,
  ): Promise<Result<CapitalFound, AppError>> =>
    runResult(deps.unitOfWork, async (repositories) => {
      await repositories.outgoing.lockWallet({ chain, address: address ?? hotWalletOf(on) });
      const refusal = await whyNotNow(repositories, on, { asset, address, height });
      if (refusal !== null) return refused(refusal);
      const expectedUnits = await expectedAt(repositories, on, { asset, address, height });
      const difference = foundUnits - expectedUnits;
      const units = address !== null && isUncounted(on, asset, difference) ? 0n : difference;
      if (address !== null && units > 0n) {
        const back = takesBack && (await repositories.capital.takesBack({ chain, asset, address, units }));
        if (!back) return refused(moreThanRecorded(address));
      }
      const books = !dryRun && units !== 0n;
      if (books)
        await postCapital(deps, repositories, { chain, asset, address, units, block, note, coin: null });
      return ok({ asset, address, height, expectedUnits, foundUnits, units, booked: books });
    });
}

function moreThanRecorded(address: string): string {
  return `${address} has more than the books say: a payment that was not recorded. Read its blocks again (bun run rescan), and it is a deposit. It is not the operator's capital. Just what was booked out there before, and came back, is booked in again with --address.`;
}

/** What an account costs the chain is no difference (reconcile-chain.ts). */
function isUncounted({ sender }: TreasuryChain, asset: string, difference: bigint): boolean {
  const uncounted = asset === sender.nativeAsset ? (sender.capabilities.uncountedUnits ?? 0n) : 0n;
  return difference <= uncounted && -difference <= uncounted;
}

interface BookingPlace {
  readonly asset: string;
  readonly address: string | null;
  readonly height: number;
}

async function expectedAt(
  { capital }: Pick<Repositories, 'capital'>,
  on: TreasuryChain,
  { asset, address, height }: BookingPlace,
): Promise<bigint> {
  const { chain, sender } = on;
  const at = { chain, nativeAsset: sender.nativeAsset, height, apart: [] };
  if (address === null) {
    const pooled = sender.capabilities.pooled ?? false;
    return (await capital.unitsOfHotWallet({ ...at, wallet: hotWalletOf(on), pooled })).get(asset) ?? 0n;
  }
  const rows = await capital.unitsOfAddresses({ ...at, addresses: [address] });
  return rows.find((row) => row.asset === asset)?.units ?? 0n;
}

async function whyNotNow(
  { outgoing, capital }: Pick<Repositories, 'outgoing' | 'capital'>,
  on: TreasuryChain,
  { asset, address, height }: BookingPlace,
): Promise<string | null> {
  const { chain, sender, deriver } = on;
  const { arrivesWithin } = sender.capabilities;
  const touches = ({ wallet, purpose, to }: OutgoingTransfer): boolean =>
    address === null
      ? wallet === hotWalletOf(on) || purpose === 'sweep'
      : wallet === address || normalized(deriver, to) === address;
  const open = await outgoing.open(chain, OPEN_MAX);
  const lately = arrivesWithin ? await outgoing.settledFrom(chain, height - arrivesWithin) : [];
  const touching = [...open, ...lately].filter(touches);
  if (touching.length > 0)
    return `${touching.length} transfers from or to ${address ?? 'the hot wallet'} are open, or were a moment ago. Wait until they are settled, or stop signing first.`;
  const last = await capital.lastHeight({ chain, asset, address });
  if (last !== null && last >= height)
    return `Capital of ${asset} was booked at block ${last}. Wait until a later block is final.`;
  return null;
}

function refused(message: string): Result<never, AppError> {
  return err(appError('INVALID_TRANSITION', message));
}
